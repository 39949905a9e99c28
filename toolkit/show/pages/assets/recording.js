"use strict";
// A recorded search: its steps, and what is known of every node at each of them. It draws nothing.
//
// A *visit* is one entry of the search into a node; a *place* is a node of the tree, told by the moves
// that lead to it, which may be visited often. A *step* enters a visit or leaves it; a visit without
// visits below it is one step. Values and windows are as the side to move at the root sees them.
(() => {
  const MATE_BOUND = 31000; // values beyond are mates
  window.mtdf.MATE_BOUND = MATE_BOUND;

  // The first place of a sorted list whose number is greater than a limit.
  const after = (sorted, limit, from = 0, to = sorted.length) => {
    while (from < to) {
      const middle = (from + to) >> 1;
      if (sorted[middle] > limit) to = middle; else from = middle + 1;
    }
    return from;
  };

  // Steps in order: a row of visits that is entered, or ~row where it is left.
  const stepsOf = (parents) => {
    const steps = [], path = [];
    const entered = new Int32Array(parents.length), left = new Int32Array(parents.length);
    const leave = () => {
      const row = path.pop();
      if (entered[row] === steps.length - 1 && steps[steps.length - 1] === row) left[row] = steps.length - 1;
      else { left[row] = steps.length; steps.push(~row); }
    };
    parents.forEach((parent, row) => {
      while (path.length && path[path.length - 1] !== parent) leave();
      entered[row] = steps.length;
      steps.push(row);
      path.push(row);
    });
    while (path.length) leave();
    return { steps: Int32Array.from(steps), entered, left };
  };

  // The tree of all places. A tree that was made by hand is known before any visit.
  const placesOf = (raw) => {
    const places = { parent: [], move: [], ply: [], children: [], rows: [], leaf: [], called: [] };
    const found = new Map();
    const add = (parent, move) => {
      const key = `${parent} ${move}`;
      if (!found.has(key)) {
        const place = places.parent.length;
        found.set(key, place);
        places.parent.push(parent);
        places.move.push(move);
        places.ply.push(parent < 0 ? 0 : places.ply[parent] + 1);
        places.children.push([]);
        places.rows.push([]);
        places.leaf.push(null);
        places.called.push("");
        if (parent >= 0) places.children[parent].push(place);
      }
      return found.get(key);
    };
    add(-1, "");
    for (const [row, node] of (raw.tree ?? []).entries()) {
      const place = node.parent < 0 ? 0 : add(node.parent, node.move);
      if (place !== row) throw new Error("the nodes of a tree are not in order");
      places.leaf[place] = node.value;
      places.called[place] = node.name;
    }
    const { parent, move } = raw.visits, at = new Int32Array(parent.length);
    parent.forEach((above, row) => {
      const name = move[row] < 0 ? "" : raw.moves[move[row]];
      // A pass over one root move has no visit of the root; a node that is searched again less deep is its own parent.
      const from = above < 0 ? 0 : at[above];
      at[row] = name === "" ? from : add(from, name);
      places.rows[at[row]].push(row);
    });
    return { places, at };
  };

  // Whether bounds in the table ended a visit.
  const isByTable = (code) => code.startsWith("table") || code === "children";

  window.mtdf.recording = (raw) => {
    const { visits, passes } = raw, size = visits.parent.length;
    const { steps, entered, left } = stepsOf(visits.parent);
    const { places, at } = placesOf(raw);
    const firsts = passes.map((one) => one.first_visit ?? size);
    const codes = raw.reasons;
    const passOf = (row) => after(firsts, row) - 1;
    const isMax = (place) => places.ply[place] % 2 === 0;

    // What was counted when a row had been entered, and nodes expanded when a step was done.
    const counts = { nodes: new Float64Array(size), leaves: new Float64Array(size), hits: new Float64Array(size), tables: new Float64Array(size) };
    const sums = { nodes: 0, leaves: 0, hits: 0, tables: 0 };
    for (let row = 0; row < size; row++) {
      const code = codes[visits.reason[row]].code;
      sums.nodes += 1 + visits.below[row];
      sums.leaves += visits.depth[row] === 0;
      sums.hits += visits.hits[row];
      sums.tables += isByTable(code);
      for (const name of Object.keys(sums)) counts[name][row] = sums[name];
    }
    const expanded = new Int32Array(steps.length + 1), again = new Int32Array(steps.length + 1);
    steps.forEach((step, number) => {
      const row = step < 0 ? ~step : step, isLeft = left[row] === number;
      expanded[number + 1] = expanded[number] + (isLeft && visits.expanded[row]);
      again[number + 1] = again[number] + (isLeft && visits.again[row]);
    });

    const rowOf = (step) => (steps[step] < 0 ? ~steps[step] : steps[step]);
    const reach = (step) => after(entered, step) - 1; // the last row that was entered
    const turned = (row, low, high) => (isMax(at[row]) ? [low, high] : [high === null ? null : -high, low === null ? null : -low]);
    // No leaf of a tree that was made by hand is worth a mate: a window up there, where SSS* and DUAL* begin,
    // is that of the whole pass. Inside it moved on only because mates are counted in plies.
    const windowOf = (row) => {
      const [low, high] = turned(row, visits.alpha[row], visits.beta[row]), { alpha, beta } = passes[passOf(row)];
      const isBeyond = raw.game === "tree" && ((low !== null && low > MATE_BOUND) || (high !== null && high < -MATE_BOUND));
      return isBeyond ? [alpha, beta] : [low, high];
    };
    const bounds = (row, pair) => (pair === null ? null : turned(row, pair[0], pair[1]));

    // Of a visit: all that is told of it.
    const visit = (row) => ({
      row, place: at[row], pass: passOf(row), depth: visits.depth[row], isMax: isMax(at[row]),
      window: windowOf(row),
      before: bounds(row, visits.before[row]), after: bounds(row, visits.after[row]),
      value: isMax(at[row]) ? visits.value[row] : -visits.value[row],
      reason: codes[visits.reason[row]], best: visits.best[row] < 0 ? null : raw.moves[visits.best[row]],
      searched: visits.searched[row], of: visits.of[row], isAgain: visits.again[row] === 1,
      below: visits.below[row], isRepeated: visits.research[row] === 1,
    });

    // The last visit of a place up to a step, or null.
    const lastVisit = (place, step) => {
      const rows = places.rows[place], known = after(rows, reach(step));
      return known === 0 ? null : rows[known - 1];
    };
    const timesVisited = (place, step) => after(places.rows[place], reach(step));
    const isLeft = (row, step) => left[row] <= step;

    // What a node knows so far of the moves that it has searched.
    const bestSoFar = (row, step) => {
      let best = null;
      for (const child of places.children[at[row]]) {
        for (const below of places.rows[child]) {
          if (visits.parent[below] !== row || below > reach(step) || !isLeft(below, step)) continue;
          const value = visit(below).value;
          if (best === null || (isMax(at[row]) ? value > best : value < best)) best = value;
        }
      }
      return best;
    };

    // The next step from which on a test holds, or null; the tests are breakpoints.
    const breaks = {
      pass: (row, step) => visits.parent[row] < 0 && entered[row] === step && row === firsts[passOf(row)],
      cut: (row, step) => left[row] === step && codes[visits.reason[row]].cut,
      hit: (row, step) => entered[row] === step && visits.hits[row] > 0,
      again: (row, step) => left[row] === step && visits.again[row] === 1,
    };
    const find = (from, way, test) => {
      for (let step = from + way; step >= 0 && step < steps.length; step += way) {
        if (test(rowOf(step), step)) return step;
      }
      return null;
    };

    // Other places with the same position as that of a row, among those entered up to a step.
    const same = (row, step) => {
      const found = new Set(), last = reach(step);
      for (const other of rowsOfPosition(visits.position[row])) {
        if (other > last) break;
        if (at[other] !== at[row]) found.add(at[other]);
      }
      return [...found];
    };
    let byPosition = null;
    const rowsOfPosition = (position) => {
      if (byPosition === null) {
        byPosition = new Map();
        visits.position.forEach((one, row) => {
          if (byPosition.has(one)) byPosition.get(one).push(row); else byPosition.set(one, [row]);
        });
      }
      return byPosition.get(position);
    };

    return {
      isByTable, raw, size, steps, places, at, entered, left, visit, lastVisit, timesVisited, isLeft, bestSoFar, isMax, passOf, rowOf, reach, same,
      isEntered: (step) => steps[step] >= 0,
      isMade: raw.game === "tree",
      next: (from, way, kind) => find(from, way, breaks[kind]),
      nextVisit: (from, way, place) => find(from, way, (row, step) => at[row] === place && entered[row] === step),
      startOf: (pass) => (firsts[pass] < size ? entered[firsts[pass]] : null),
      endOf: (pass) => {
        const last = (firsts[pass + 1] ?? size) - 1;
        let row = last;
        while (visits.parent[row] >= 0) row = visits.parent[row];
        return left[row];
      },
      leavesOf: (pass) => {
        const [from, to] = [firsts[pass], firsts[pass + 1] ?? size], before = from > 0 ? counts.leaves[from - 1] : 0;
        return to > from ? counts.leaves[to - 1] - before : 0;
      },
      // Where the search is when it has visited so many nodes, and all that was left by then.
      stepOfNodes: (nodes) => {
        const row = after(counts.nodes, nodes);
        return row >= size ? steps.length - 1 : Math.max(0, entered[row] - 1);
      },
      totals: (step) => {
        const row = reach(step), told = {};
        for (const [name, sum] of Object.entries(counts)) told[name] = row < 0 ? 0 : sum[row];
        return { ...told, expanded: expanded[step + 1], again: again[step + 1] };
      },
      path: (row) => {
        const rows = [];
        for (let one = row; one >= 0; one = visits.parent[one]) rows.unshift(one);
        return rows;
      },
      line: (place) => {
        const names = [];
        for (let one = place; places.parent[one] >= 0; one = places.parent[one]) names.unshift(places.move[one]);
        return names;
      },
    };
  };
})();

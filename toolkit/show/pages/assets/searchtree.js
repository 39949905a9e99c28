"use strict";
// The tree of a recorded search at one step: all of a small tree; of a large one the path to the
// node where the search is, with the nodes beside it.
(() => {
  const { drawn } = window.mtdf;
  const WIDTH = 72, HEIGHT = 50, GAP = 8, LEVEL = 78;
  const WHOLE = 80; // places of a tree that is drawn whole
  const BESIDE = 9; // nodes of a level of a large one
  const LETTERS = 8;

  const short = (text, most = LETTERS) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

  // The value that a visit returned, with what it says: a bound unless it lies inside the window.
  const returned = ({ value, window: [alpha, beta], depth, reason }, told) => {
    const isExact = reason.code === "leaf" || reason.code === "no-moves" || reason.code === "draw" || reason.code === "table-exact";
    if (isExact) return `= ${told(value)}`;
    if (alpha !== null && value <= alpha) return `≤ ${told(value)}`;
    return beta !== null && value >= beta ? `≥ ${told(value)}` : `= ${told(value)}`;
  };

  const bounded = ([low, high], told) => {
    if (low !== null && low === high) return `= ${told(low)}`;
    if (low !== null && high !== null) return `${told(low)}…${told(high)}`;
    return low !== null ? `≥ ${told(low)}` : high !== null ? `≤ ${told(high)}` : "";
  };

  // What a box says of its place at a step, and its class.
  const stateOf = (model, place, step, pass, told) => {
    const row = model.lastVisit(place, step), leaf = model.places.leaf[place];
    if (row === null) return { kind: "never", text: leaf === null ? "" : told(leaf), badges: [] };
    const visit = model.visit(row), times = model.timesVisited(place, step), badges = [];
    if (times > 1) badges.push(`×${times}`);
    if (!model.isLeft(row, step)) return { kind: "open", text: told.window(visit.window), badges };
    if (visit.pass < pass) {
      const known = visit.after && bounded(visit.after, told);
      return { kind: "old", text: known || returned(visit, told), badges };
    }
    if (model.isByTable(visit.reason.code)) badges.push("table");
    else if (visit.reason.cut) badges.push("cut");
    if (visit.isAgain) badges.push("again");
    const about = visit.reason.code === "one-move" ? `${visit.best} ` : ""; // no bound of the root
    return { kind: "done", text: `${about}${returned(visit, told)}`, badges };
  };

  // Where every place of a whole tree is: leaves side by side, each other node above its children.
  const whole = (model) => {
    const spots = new Map();
    let next = 0;
    const put = (place) => {
      const inner = model.places.children[place].map(put);
      const x = inner.length ? (inner[0] + inner[inner.length - 1]) / 2 : (next++) * (WIDTH + GAP);
      spots.set(place, { x, y: model.places.ply[place] * LEVEL });
      return x;
    };
    put(0);
    return { spots, more: [] };
  };

  // The path to a place, with the neighbours of each node on it and the nodes below the last one.
  const spine = (model, place, step) => {
    const path = [], spots = new Map(), more = [];
    for (let one = place; one >= 0; one = model.places.parent[one]) path.unshift(one);
    const middle = (BESIDE - 1) / 2 * (WIDTH + GAP) + 30;
    spots.set(path[0], { x: middle, y: 0 });
    path.forEach((parent, level) => {
      const known = model.places.children[parent].filter((child) => model.lastVisit(child, step) !== null);
      const now = known.indexOf(path[level + 1]);
      const first = Math.max(0, Math.min((now < 0 ? known.length - 1 : now) - (BESIDE >> 1), known.length - BESIDE));
      const shown = known.slice(first, first + BESIDE), y = (level + 1) * LEVEL;
      const from = 30 + (BESIDE - shown.length) / 2 * (WIDTH + GAP);
      shown.forEach((child, at) => spots.set(child, { x: from + at * (WIDTH + GAP), y }));
      const last = known.length - first - shown.length;
      if (first > 0) more.push({ x: 14, y, text: `${first} …` });
      if (last > 0) more.push({ x: 34 + BESIDE * (WIDTH + GAP), y, text: `… ${last}` });
    });
    return { spots, more };
  };

  // Draws the tree; `told` puts values and windows into words, `name` places.
  window.mtdf.drawSearchTree = (svg, model, step, told, name) => {
    const row = model.rowOf(step), place = model.at[row], pass = model.passOf(row);
    const isWhole = model.places.parent.length <= WHOLE;
    const { spots, more } = isWhole ? whole(model) : spine(model, place, step);
    const path = new Set(model.path(row).map((one) => model.at[one]));
    const edges = [], boxes = [];
    let right = WIDTH, bottom = HEIGHT;
    for (const [one, { x, y }] of spots) {
      right = Math.max(right, x + WIDTH);
      bottom = Math.max(bottom, y + HEIGHT);
      const above = spots.get(model.places.parent[one]);
      if (above) {
        const classes = path.has(one) ? "edge on-path" : "edge";
        edges.push(drawn("line", { class: classes, x1: above.x + WIDTH / 2, y1: above.y + HEIGHT, x2: x + WIDTH / 2, y2: y }));
      }
      const { kind, text, badges } = stateOf(model, one, step, pass, told);
      const box = drawn("g", { class: `node ${kind}${one === place ? " now" : ""}${badges.includes("again") ? " again" : ""}`,
        transform: `translate(${x} ${y})`, "data-place": one });
      const side = model.isMax(one) ? 0 : 9; // corners of nodes where the other side moves are round
      box.append(
        drawn("title", {}, [name(one), text, ...badges].filter(Boolean).join(", ")),
        drawn("rect", { width: WIDTH, height: HEIGHT, rx: side }),
        drawn("text", { class: "name", x: WIDTH / 2, y: 15 }, short(model.places.called[one] || model.places.move[one] || told.root)),
        drawn("text", { class: "value", x: WIDTH / 2, y: 30 }, short(text, 11)),
      );
      if (badges.length) box.append(drawn("text", { class: "badge", x: WIDTH / 2, y: 44 }, badges.join(" ")));
      boxes.push(box);
    }
    const left = more.map(({ x, y, text }) => drawn("text", { class: "more", x, y: y + HEIGHT / 2 }, text));
    const width = Math.max(right, ...more.map(({ x }) => x + 30)) + 8, height = bottom + 8;
    svg.setAttribute("viewBox", `-4 -4 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.replaceChildren(...edges, ...boxes, ...left);
    return spots.get(place);
  };
})();

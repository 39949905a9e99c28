"use strict";
// A recorded search, or two in step, to be played: the tree, the window and bounds, the table, and
// every step as a sentence.
(() => {
  const { data, make, count, drawn, MATE_BOUND } = window.mtdf;
  const PAUSE = 700; // milliseconds of a step while it plays
  const MATE = 32000;

  const wordsOf = (model) => {
    const told = (value) => {
      if (model.isMade && Math.abs(value) > MATE_BOUND) { // beyond the leaves, where SSS* begins
        const less = MATE - Math.abs(value);
        return value < 0 ? `−∞${less ? `+${less}` : ""}` : `∞${less ? `−${less}` : ""}`;
      }
      if (model.isMade) return String(value).replace("-", "−");
      if (Math.abs(value) > MATE_BOUND) return `#${value < 0 ? "−" : ""}${Math.ceil((MATE - Math.abs(value)) / 2)}`;
      return signed(value);
    };
    const signed = (value) => (value > 0 ? `+${value}` : String(value).replace("-", "−"));
    const end = (value, sign) => (value === null ? `${sign}∞` : told(value));
    // An end of a window: a null window between mates has two ends of as many moves.
    told.end = (value, sign) => {
      if (value === null || model.isMade || Math.abs(value) <= MATE_BOUND) return end(value, sign);
      return Math.abs(value) < MATE ? signed(value) : `${value < 0 ? "−" : ""}∞`;
    };
    told.window = ([alpha, beta]) => `(${told.end(alpha, "−")}, ${told.end(beta, "+")})`;
    told.bounds = (pair) => (pair === null || (pair[0] === null && pair[1] === null) ? "no bounds" : `[${end(pair[0], "−")}, ${end(pair[1], "+")}]`);
    told.known = (what, [low, high]) => (low === null && high === null ? `no bound of ${what} is known yet` : `${what} lies in ${told.bounds([low, high])}`);
    told.root = "root";
    return told;
  };

  // A name of another script keeps its direction to itself, between the marks FSI and PDI.
  const isolated = (text) => (/^[ -~]*$/.test(text) ? text : `\u2068${text}\u2069`);

  const nameOf = (model) => (place) => {
    const called = isolated(model.places.called[place]);
    if (place === 0) return called ? `the root ${called}` : "the root";
    const line = model.line(place).map(isolated);
    if (called) return called;
    return line.length === 1 ? line[0] : `${line[line.length - 1]} after ${line.slice(0, -1).join(" ")}`;
  };

  // What a pass finds bounds of.
  const about = (pass) => (pass.move === null ? "the value" : isolated(pass.move));

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

  // Why a visit ended, in words with its numbers.
  const reasonOf = (visit, told) => {
    const { reason: { code, text }, value, window: [alpha, beta], before, searched, of, isMax, below } = visit;
    const limit = isMax ? `${told(value)} ≥ β ${told.end(beta, "+")}` : `${told(value)} ≤ α ${told.end(alpha, "−")}`;
    const most = of > 0 ? `${searched} of ${plural(of, "move")} searched` : "";
    switch (code) {
      case "leaf": return below > 0 ? `a leaf: static value and captures, ${plural(below, "node")} of quiescence` : "a leaf";
      case "table-lower": case "table-upper": case "table-exact":
        return `the table decides: its bounds ${told.bounds(before)} leave nothing inside ${told.window([alpha, beta])}`;
      case "one-move": return "the pass is about this move alone";
      case "upper-met": return `cut: ${told(value)} is the bound that the table has, so no other move is better; ${most}`;
      case "children": return `the table decides: the bounds of its children are enough for ${told.window([alpha, beta])}`;
      case "fail-high": return `cut: ${limit}, ${most}`;
      case "all-searched": return beta !== null && alpha !== null && (isMax ? value >= beta : value <= alpha)
        ? `${limit} with the last move: all ${plural(of, "move")} searched`
        : `all ${plural(of, "move")} searched`;
      default: return text;
    }
  };

  // One step in words.
  const sentence = (model, step, told, name) => {
    const visit = model.visit(model.rowOf(step)), { row, window } = visit;
    const isEntered = model.entered[row] === step, isLeft = model.left[row] === step;
    const parts = [], passes = model.raw.passes, pass = passes[visit.pass];
    const isTop = model.raw.visits.parent[row] < 0;
    if (isEntered && isTop) {
      const alone = pass.move === null ? "" : ` over the move ${isolated(pass.move)} alone`;
      parts.push(`Pass ${visit.pass + 1} of ${passes.length}${alone} begins with the window ${told.window([pass.alpha, pass.beta])}.`);
      const { first_guess: guess, guess_source: source } = model.raw;
      if (visit.pass === 0 && guess !== null) parts.push(`The first guess is ${told(guess)} (${source}).`);
    }
    const side = visit.isMax ? "MAX" : "MIN";
    if (isEntered) {
      const repeated = visit.isRepeated ? " again with another window" : "";
      const entry = visit.before === null ? "the table has no entry" : `the table has ${told.bounds(visit.before)}`;
      parts.push(`Enter ${name(visit.place)}${repeated}: ${side}, depth ${visit.depth}, window ${told.window(window)}; ${entry}.`);
    }
    if (isLeft) {
      const best = visit.best && visit.reason.code !== "one-move" ? `, best move ${isolated(visit.best)}` : "";
      const stored = visit.after === null || String(visit.after) === String(visit.before) ? "" : ` The table now has ${told.bounds(visit.after)}.`;
      const again = visit.isAgain ? " It had been expanded before in this iteration." : "";
      parts.push(`${isEntered ? "It returns" : `Leave ${name(visit.place)} with`} ${told(visit.value)}${best}: ${reasonOf(visit, told)}.${stored}${again}`);
      if (isTop) {
        const fails = pass.beta !== null && pass.value >= pass.beta ? `fails high: ${about(pass)} is at least ${told(pass.value)}`
          : pass.alpha !== null && pass.value <= pass.alpha ? `fails low: ${about(pass)} is at most ${told(pass.value)}` : `finds the value ${told(pass.value)}`;
        parts.push(`Pass ${visit.pass + 1} ${fails}.`);
      }
    }
    return parts.join(" ");
  };

  // The bounds before a pass, of the value or of the one move that it is about.
  const knownBefore = (passes, number) => {
    for (let earlier = number - 1; earlier >= 0; earlier--) {
      if (passes[earlier].move === passes[number].move) return [passes[earlier].lower, passes[earlier].upper];
    }
    return [null, null];
  };

  // The value between its bounds, the window of the pass, the first guess, and what the pass returned.
  const drawStrip = (svg, model, number, isOver, told) => {
    const { passes, first_guess: guess } = model.raw, pass = passes[number];
    const known = knownBefore(passes, number), now = isOver ? [pass.lower, pass.upper] : known;
    const ends = passes.flatMap((one) => [one.alpha, one.beta, one.lower, one.upper, one.value]).concat([guess]).filter((one) => one !== null);
    const low = Math.min(...ends), high = Math.max(...ends), pad = Math.max(1, (high - low) * 0.08);
    const WIDTH = Math.max(300, Math.min(700, svg.clientWidth || 700)), LEFT = 24, scale = (value) => LEFT + (value - low + pad) / (high - low + 2 * pad) * (WIDTH - 2 * LEFT);
    const at = (value, edge) => (value === null ? edge : scale(value));
    const parts = [drawn("line", { class: "axis", x1: 4, x2: WIDTH - 4, y1: 34, y2: 34 })];
    const [from, to] = [at(now[0], 4), at(now[1], WIDTH - 4)];
    parts.push(drawn("rect", { class: "known", x: from, y: 28, width: Math.max(3, to - from), height: 12 }));
    const [alpha, beta] = [at(pass.alpha, 4), at(pass.beta, WIDTH - 4)];
    parts.push(drawn("rect", { class: "window", x: alpha, y: 22, width: Math.max(3, beta - alpha), height: 24 }));
    if (guess !== null) {
      const x = scale(guess), isRight = x > WIDTH / 2;
      parts.push(drawn("path", { class: "guess", d: `M${x - 6} 8 h12 l-6 11 z` }));
      parts.push(drawn("text", { class: isRight ? "before" : "after", x: x + (isRight ? -11 : 11), y: 17 }, `first guess ${told(guess)}`));
    }
    if (isOver) parts.push(drawn("circle", { class: "returned", cx: scale(pass.value), cy: 34, r: 6 }));
    const label = (x, text) => { // inside the picture
      const reach = text.length * 4.5 + 4;
      parts.push(drawn("text", { class: "label", x: Math.max(reach, Math.min(WIDTH - reach, x)), y: 62 }, text));
    };
    const isOpen = pass.alpha === null || pass.beta === null;
    if (!isOpen && beta - alpha < 120) label((alpha + beta) / 2, `window ${told.window([pass.alpha, pass.beta])}`);
    else for (const [value, sign] of [[pass.alpha, "α"], [pass.beta, "β"]]) if (value !== null) label(scale(value), `${sign} ${told.end(value, "")}`);
    const isNarrow = WIDTH < 500, said = [told.known(about(pass), now), ...(isOver ? [`the pass returned ${told(pass.value)}`] : [])];
    (isNarrow ? said : [said.join(", ")]).forEach((text, line) => parts.push(drawn("text", { class: "after", x: 4, y: 84 + 20 * line }, text)));
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${isNarrow ? 110 : 90}`);
    svg.setAttribute("aria-label", `Pass ${number + 1}, window ${told.window([pass.alpha, pass.beta])}; ${told.known(about(pass), now)}${
      guess === null ? "" : `; first guess ${told(guess)}`}${isOver ? `; returned ${told(pass.value)}` : ""}`);
    svg.replaceChildren(...parts);
  };

  const LEGEND = [
    "Values, windows and bounds are as the side to move at the root (MAX) sees them. Boxes with round corners are nodes where the other side (MIN) moves.",
    "A box has the name or move of its node; then the window while the search is inside it, and afterwards the value that it returned: = exact, ≥ at least, ≤ at most.",
    "Faint boxes: nodes that no pass has visited yet; grey: only earlier passes did. ×2: visited twice. again: its moves were searched although this iteration had expanded it before. table: bounds in the table decided it. cut: moves were left out.",
    "Above: the bar is where the value can still lie, the block is the window of the pass, the triangle is the first guess, and the dot is the value that the pass returned.",
  ];

  // One search: what is drawn and told of it at a step.
  const view = (run, isOneOfTwo, board) => {
    const model = window.mtdf.recording(run.recording), { raw } = model;
    const told = wordsOf(model), name = nameOf(model), engine = isolated(raw.engine);
    const strip = drawn("svg", { class: "strip", role: "img" });
    const tree = drawn("svg", { class: "search-tree", role: "img" });
    const holder = make("div", { class: "wide tree-box", tabindex: 0, role: "group", "aria-label": `Tree of ${engine}` }, tree);
    const words = make("p", { class: "step-words" });
    const facts = make("dl", { class: "step-facts" });
    const drawing = board ? drawn("svg", { class: "board", role: "img" }) : null;
    const passRows = raw.passes.map((one, number) => {
      const start = model.startOf(number);
      const go = start === null ? String(number + 1) : make("button", { type: "button", "data-start": start, title: `Go to pass ${number + 1}` }, String(number + 1));
      const fails = one.beta !== null && one.value >= one.beta ? "high" : one.alpha !== null && one.value <= one.alpha ? "low" : "--";
      const cells = [told.window([one.alpha, one.beta]), told(one.value), fails, told.bounds([one.lower, one.upper]), count(one.nodes), raw.left_out > 0 ? "--" : count(model.leavesOf(number)), count(one.hits), count(one.expanded), count(one.re_expanded)];
      return make("tr", { "data-pass": number }, make("th", { scope: "row" }, go, one.move === null ? "" : ` ${isolated(one.move)}`),
        ...cells.map((text, at) => make("td", { class: at === 2 ? "" : "right" }, text)));
    });
    const heads = ["pass", "window", "returned", "fails", "bounds", "nodes", "leaves", "hits", "expanded", "again"];
    const table = make("div", { class: "wide passes", tabindex: 0, role: "group", "aria-label": `Passes of ${engine}` },
      make("table", {}, make("caption", {}, `Passes of ${engine}, depth ${raw.depth}`),
        make("thead", {}, make("tr", {}, ...heads.map((text, at) => make("th", { scope: "col", class: at === 0 || at === 3 ? "" : "right" }, text)))),
        make("tbody", {}, ...passRows)));
    const element = make("section", { class: "run", "aria-label": raw.engine },
      ...(isOneOfTwo ? [make("p", { class: "engine" }, make("strong", {}, raw.engine))] : []),
      words, strip, make("div", { class: drawing && !isOneOfTwo ? "tree-and-board" : "" }, holder, ...(drawing ? [drawing] : [])), facts, table);

    const fact = (key, ...text) => make("div", {}, make("dt", {}, key), make("dd", {}, ...text));
    const show = (step, swallowed) => {
      const visit = model.visit(model.rowOf(step)), { row } = visit, isLeft = model.left[row] <= step;
      const isOver = model.endOf(visit.pass) <= step, isEnd = step === model.steps.length - 1;
      const steps = [...swallowed, step].map((one) => sentence(model, one, told, name));
      const closing = isEnd ? ` ${closingWords(model, told)}` : "";
      words.textContent = steps.join(" ") + closing;
      drawStrip(strip, model, visit.pass, isOver, told);
      const spot = window.mtdf.drawSearchTree(tree, model, step, told, name);
      tree.setAttribute("aria-label", `Tree of ${engine} at ${name(visit.place)}`);
      if (spot) { // only the tree scrolls, never the page
        if (spot.x < holder.scrollLeft || spot.x + 76 > holder.scrollLeft + holder.clientWidth) holder.scrollLeft = spot.x - holder.clientWidth / 2;
        if (spot.y < holder.scrollTop || spot.y + 60 > holder.scrollTop + holder.clientHeight) holder.scrollTop = spot.y - holder.clientHeight / 2;
      }
      const same = model.same(row, step), best = isLeft ? null : model.bestSoFar(row, step);
      facts.replaceChildren(...[
        fact("node", capital(name(visit.place))),
        fact("window", told.window(visit.window)),
        fact("in the table before", visit.before === null ? "no entry" : told.bounds(visit.before)),
        isLeft ? fact("in the table after", visit.after === null ? "no entry" : told.bounds(visit.after)) : null,
        isLeft ? fact("returned", `${told(visit.value)}: ${reasonOf(visit, told)}`) : fact("best so far", best === null ? "nothing yet" : told(best)),
        fact("visits of this node", count(model.timesVisited(visit.place, step))),
        same.length ? fact("same position as", same.slice(0, 4).map(name).join("; ") + (same.length > 4 ? ` and ${same.length - 4} more` : "")) : null,
      ].filter(Boolean));
      for (const line of passRows) {
        if (Number(line.dataset.pass) === visit.pass) line.setAttribute("aria-current", "true"); else line.removeAttribute("aria-current");
      }
      if (drawing) {
        const squares = [...board.squares];
        let marks = [];
        for (const one of model.path(row)) {
          const number = run.changes.at[one];
          if (number < 0) continue;
          for (const change of run.changes.of[number].split(" ").filter(Boolean)) squares[Number(change.slice(0, -1))] = change.slice(-1);
          marks = run.marks.of[run.marks.at[one]].split(" ").filter(Boolean).map(Number);
        }
        window.mtdf.drawBoard(drawing, data.looks[board.look], squares.join(""), { marks, title: `Board, ${name(visit.place)}` });
      }
    };
    return { element, show, model, tree, table };
  };

  const closingWords = (model, told) => {
    const { raw } = model;
    if (raw.left_out > 0) return `The recording ends here: ${plural(raw.left_out, "more visit")} of the search ${raw.left_out === 1 ? "is" : "are"} left out.`;
    const found = raw.proves === "move" ? `The search has proved that ${isolated(raw.best)} is the best move, worth at least ${told(raw.value)}`
      : `The search is over: value ${told(raw.value)}, principal variation ${raw.pv.map(isolated).join(" ")}`;
    return `${found}.`;
  };

  const CONTROLS = [["first", "|◀", "First step (Home)"], ["back", "◀", "One step back (left)"], ["play", "▶▶", "Play or pause (space)"],
    ["forth", "▶", "One step on (right)"], ["last", "▶|", "Last step (End)"]];
  const BREAKS = [["pass", "P", "next pass"], ["cut", "C", "next cut"], ["hit", "T", "next table hit"], ["again", "R", "next re-expansion"], ["visit", "V", "this node again"]];
  const COUNTED = [["nodes", "nodes"], ["leaves", "leaves"], ["hits", "entries found in the table"], ["tables", "decided by the table"], ["expanded", "expanded"], ["again", "expanded again"]];

  const player = (root) => {
    const { runs, board, start } = data.players[Number(root.dataset.player)];
    const isTwo = runs.length > 1, views = runs.map((run) => view(run, isTwo, board));
    const models = views.map((one) => one.model);
    // The time of one search is its steps, that of two the nodes that they have visited.
    const sizes = models.map((model) => (isTwo ? model.totals(model.steps.length - 1).nodes : model.steps.length));
    const last = Math.max(...sizes) - (isTwo ? 0 : 1), least = isTwo ? 1 : 0;
    const state = { at: least, timer: null };
    const stepOf = (model, at) => (isTwo ? model.stepOfNodes(at) : at);
    const timeOf = (model, step) => (isTwo ? model.totals(step).nodes : step);

    const slider = make("input", { type: "range", min: least, max: last, value: least, "aria-label": isTwo ? "Nodes visited" : "Step" });
    const place = make("output", { class: "place" });
    const buttons = CONTROLS.map(([to, sign, label]) => make("button", { type: "button", "data-to": to, title: label, "aria-label": label }, sign));
    const breaks = BREAKS.map(([kind, key, label]) => make("button", { type: "button", "data-break": kind, title: `${capital(label)} (${key}; back: Shift+${key})` }, capital(label)));
    const told = make("p", { class: "missing", role: "status" });
    const live = make("p", { class: "unseen", "aria-live": "polite" });
    const totals = make("table", {}, make("caption", {}, models.some(({ raw }) => raw.left_out > 0) ? "So far; visits that are left out count as nodes only" : "So far"), make("thead", {}), make("tbody", {}));
    const legend = make("details", { class: "facts" }, make("summary", {}, "How to read this"), ...LEGEND.map((text) => make("p", {}, text)));
    root.replaceChildren(
      make("div", { class: "controls" }, make("div", { class: "buttons", role: "group", "aria-label": "Steps" }, ...buttons), slider, place),
      make("div", { class: "breaks", role: "group", "aria-label": "Go to" }, ...breaks), told, live,
      make("div", { class: isTwo ? "runs-beside" : "" }, ...views.map((one) => one.element)),
      make("div", { class: "wide totals", tabindex: 0, role: "group", "aria-label": "Counts so far" }, totals), legend,
    );
    totals.querySelector("thead").replaceChildren(make("tr", {}, make("th", { scope: "col" }, "count"),
      ...models.map((model) => make("th", { scope: "col", class: "right" }, model.raw.engine))));

    const show = () => {
      const { at } = state;
      slider.value = at;
      const unit = isTwo ? "node" : "step";
      place.textContent = `${unit} ${count(isTwo ? at : at + 1)} of ${count(isTwo ? last : last + 1)}`;
      slider.setAttribute("aria-valuetext", place.textContent);
      views.forEach((one, number) => {
        const step = stepOf(models[number], at);
        const from = isTwo && at > least ? stepOf(models[number], at - 1) + 1 : step;
        one.show(step, isTwo ? Array.from({ length: Math.min(6, Math.max(0, step - from)) }, (_, back) => Math.max(from, step - 6) + back) : []);
      });
      for (const button of buttons) {
        const isBack = ["first", "back"].includes(button.dataset.to);
        if (button.dataset.to !== "play") button.setAttribute("aria-disabled", String(at === (isBack ? least : last)));
      }
      const sums = models.map((model) => model.totals(stepOf(model, at)));
      totals.querySelector("tbody").replaceChildren(...COUNTED.map(([key, label]) => make("tr", {}, make("th", { scope: "row" }, label),
        ...sums.map((sum) => make("td", { class: "right" }, count(sum[key]))))));
      if (state.timer === null) live.textContent = views.map((one) => one.element.querySelector(".step-words").textContent).join(" ");
    };

    const go = (at) => {
      const wanted = Math.max(least, Math.min(last, at));
      told.textContent = "";
      if (wanted === state.at) return;
      state.at = wanted;
      show();
    };
    const pause = () => {
      if (state.timer === null) return;
      clearInterval(state.timer);
      state.timer = null;
      root.querySelector("[data-to='play']").setAttribute("aria-pressed", "false");
      show();
    };
    const play = () => {
      if (state.timer !== null) { pause(); return; }
      if (state.at === last) state.at = least;
      root.querySelector("[data-to='play']").setAttribute("aria-pressed", "true");
      state.timer = setInterval(() => { if (state.at >= last) pause(); else go(state.at + 1); }, PAUSE);
      show();
    };
    const steps = { first: () => go(least), back: () => go(state.at - 1), forth: () => go(state.at + 1), last: () => go(last), play };

    const jump = (kind, way) => {
      pause();
      const found = models.map((model) => {
        // Between two nodes of two searches lie steps that are shown as one.
        const from = way < 0 && isTwo ? (state.at > least ? stepOf(model, state.at - 1) + 1 : 0) : stepOf(model, state.at);
        const step = kind === "visit" ? model.nextVisit(from, way, model.at[model.rowOf(stepOf(model, state.at))]) : model.next(from, way, kind);
        return step === null ? null : timeOf(model, step);
      }).filter((at) => at !== null);
      if (found.length) go(way > 0 ? Math.min(...found) : Math.max(...found));
      else told.textContent = `There is no ${way > 0 ? "later" : "earlier"} one: ${BREAKS.find(([name]) => name === kind)[2].replace("next ", "")}.`;
    };

    root.addEventListener("click", ({ target }) => {
      const to = target.closest("[data-to]"), kind = target.closest("[data-break]"), first = target.closest("[data-start]"), box = target.closest("[data-place]");
      if (to) { if (to.dataset.to !== "play") pause(); steps[to.dataset.to](); }
      else if (kind) jump(kind.dataset.break, 1);
      else if (first) {
        const model = models[views.findIndex((one) => one.table.contains(first))];
        pause();
        go(timeOf(model, Number(first.dataset.start)));
      } else if (box) {
        const model = models[views.findIndex((one) => one.tree.contains(box))], wanted = Number(box.dataset.place), now = stepOf(model, state.at);
        const row = model.lastVisit(wanted, now), step = row === null ? model.nextVisit(now, 1, wanted) : model.isLeft(row, now) ? model.left[row] : model.entered[row];
        pause();
        if (step !== null) go(timeOf(model, step)); else told.textContent = "The search never visits this node.";
      }
    });
    slider.addEventListener("input", () => { pause(); go(Number(slider.value)); });
    const keys = { ArrowLeft: "back", ArrowRight: "forth", Home: "first", End: "last", " ": "play" };
    root.addEventListener("keydown", (key) => {
      if (key.altKey || key.ctrlKey || key.metaKey || key.target.matches("summary") || (key.key === " " && key.target.matches("button"))) return;
      if (key.key.startsWith("Arrow") && key.target.matches(".wide")) return; // it scrolls
      const kind = BREAKS.find(([, letter]) => letter === key.key.toUpperCase());
      if (kind) jump(kind[0], key.shiftKey ? -1 : 1);
      else if (keys[key.key] && !(key.target === slider && key.key !== " ")) { if (key.key !== " ") pause(); steps[keys[key.key]](); }
      else return;
      key.preventDefault();
    });

    // `#player-1-17` is step 17 of the first player.
    const follow = () => {
      const match = location.hash.match(/^#(player-\d+)-(\d+)$/);
      if (match?.[1] !== root.id) return;
      pause();
      go(Number(match[2]) - (isTwo ? 0 : 1));
      root.scrollIntoView({ block: "start" });
      root.focus({ preventScroll: true });
    };
    window.addEventListener("hashchange", follow);
    state.at = Math.max(least, Math.min(last, start));
    show();
    follow();
  };

  window.mtdf.startPlayers = () => { for (const root of document.querySelectorAll(".player[data-player]")) player(root); };
})();

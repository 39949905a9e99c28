"use strict";
// A game: its board, moves and searches, stepped through by keys, buttons, the moves or the graph.
(() => {
  const { data, make, count } = window.mtdf;
  const SVG = "http://www.w3.org/2000/svg";
  const SQUARE = 45, EDGE = 8, FILES = "abcdefgh";
  const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

  const drawn = (name, attributes, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };

  // The pieces of a FEN by square.
  const placed = (fen) => {
    const pieces = new Map();
    fen.split(" ")[0].split("/").forEach((rank, down) => {
      let file = 0;
      for (const letter of rank) {
        if (/\d/.test(letter)) file += Number(letter);
        else if (/[a-z]/i.test(letter)) pieces.set(`${FILES[file++]}${8 - down}`, letter);
      }
    });
    return pieces;
  };

  const told = (pieces, isWhite) => [...pieces]
    .filter(([, letter]) => (letter === letter.toUpperCase()) === isWhite)
    .sort(([, one], [, other]) => "kqrbnp".indexOf(one.toLowerCase()) - "kqrbnp".indexOf(other.toLowerCase()))
    .map(([square, letter]) => `${NAMES[letter.toLowerCase()]} ${square}`).join(", ");

  const patterns = {};
  const piece = (letter) => {
    if (!patterns[letter]) {
      const text = `<svg xmlns="${SVG}">${window.mtdfPieces[letter]}</svg>`;
      patterns[letter] = new DOMParser().parseFromString(text, "image/svg+xml").documentElement.firstElementChild;
      patterns[letter].removeAttribute("id");
    }
    return document.importNode(patterns[letter], true);
  };

  const drawBoard = (board, fen, move, isCheck, isFlipped, title) => {
    const pieces = placed(fen);
    const corner = (square) => {
      const file = FILES.indexOf(square[0]), rank = Number(square[1]) - 1;
      return [EDGE + SQUARE * (isFlipped ? 7 - file : file), EDGE + SQUARE * (isFlipped ? rank : 7 - rank)];
    };
    const king = fen.split(" ")[1] === "w" ? "K" : "k";
    const moved = move ? [move.slice(0, 2), move.slice(2, 4)] : [];
    const parts = [drawn("rect", { class: "frame", width: 376, height: 376 })];
    for (const file of FILES) {
      for (let rank = 1; rank <= 8; rank++) {
        const square = `${file}${rank}`, [x, y] = corner(square);
        const isDark = (FILES.indexOf(file) + rank) % 2 === 1;
        const marks = [isDark ? "dark" : "light", moved.includes(square) ? "last" : "",
          isCheck && pieces.get(square) === king ? "checked" : ""];
        parts.push(drawn("rect", { class: `square ${marks.join(" ").trim()}`, x, y, width: SQUARE, height: SQUARE }));
        const shade = isDark ? "on-dark" : "on-light";
        if (x === EDGE) parts.push(drawn("text", { class: shade, x: x + 2, y: y + 10 }, String(rank)));
        if (y === EDGE + 7 * SQUARE) parts.push(drawn("text", { class: shade, x: x + 38, y: y + 43 }, file));
      }
    }
    for (const [square, letter] of pieces) {
      const [x, y] = corner(square);
      const place = drawn("g", { transform: `translate(${x} ${y})`, "data-square": square, "data-piece": letter });
      place.append(piece(letter));
      parts.push(place);
    }
    board.replaceChildren(...parts);
    board.dataset.fen = fen;
    board.setAttribute("aria-label", `${title}. White: ${told(pieces, true)}. Black: ${told(pieces, false)}.`);
  };

  const viewer = (root) => {
    const find = (name) => root.querySelector(name);
    const state = { game: null, ply: 0, isFlipped: false, views: [] };
    const plies = () => state.game.fens.length - 1;

    const place = (id, ply) => (data.served ? `/games/${id}#ply-${ply}` : `#game-${id}-${ply}`);

    // Whose move led to a ply, and its number in the game.
    const numbered = (ply) => {
      const [, side, , , , number] = state.game.fens[ply - 1].split(" ");
      return { isWhite: side === "w", number: Number(number) };
    };
    const named = (ply) => {
      if (ply === 0) return "Start of the game";
      const { isWhite, number } = numbered(ply);
      return `${number}${isWhite ? "." : "…"} ${state.game.moves.san[ply - 1]}`;
    };

    const searched = (ply) => {
      const { told: value, depth, nodes, passes, time_us: time } = state.game.moves;
      const number = (column) => (column[ply - 1] === null ? "--" : count(column[ply - 1]));
      const ms = time[ply - 1] === null ? "--" : (time[ply - 1] / 1000).toFixed(1);
      return [value[ply - 1], number(depth), number(nodes), number(passes), ms];
    };

    const showSearches = () => {
      const { game, ply } = state;
      const rows = [];
      for (const isWhite of [true, false]) {
        let last = ply;
        if (last > 0 && numbered(last).isWhite !== isWhite) last -= 1;
        const name = game.names[isWhite ? 0 : 1];
        const head = make("th", { scope: "row", title: name }, isWhite ? "White" : "Black");
        const texts = last > 0 ? [named(last), ...searched(last)] : Array(6).fill("--");
        rows.push(make("tr", {}, head, ...texts.map((text, column) => make("td", { class: column ? "right" : "" }, text))));
      }
      find(".searches tbody").replaceChildren(...rows);
    };

    const showNow = () => {
      const { game, ply } = state;
      if (ply === 0) { find(".now").textContent = `${named(0)}, ${plies()} plies`; return; }
      const names = ["value", "depth", "nodes", "passes", "ms"];
      const known = searched(ply).map((text, column) => [names[column], text]).filter(([, text]) => text !== "--");
      const end = ply === plies() ? `; ${game.result}, ${game.end_reason}` : "";
      find(".now").textContent = [named(ply), ...known.map(([name, text]) => `${name} ${text}`)].join(", ") + end;
    };

    const markMove = () => {
      const box = find(".moves");
      const before = box.querySelector("[aria-current]");
      const now = box.querySelector(`[data-ply="${state.ply}"]`);
      for (const link of box.querySelectorAll("a[tabindex='0']")) link.tabIndex = -1;
      before?.removeAttribute("aria-current");
      now?.setAttribute("aria-current", "true");
      if (now || box.querySelector("a")) (now ?? box.querySelector("a")).tabIndex = 0;
      if (box.contains(document.activeElement) && document.activeElement !== box) now?.focus({ preventScroll: true });
      // Only the list scrolls, never the page.
      const top = now ? now.getBoundingClientRect().top - box.getBoundingClientRect().top : 0;
      if (!now) box.scrollTop = 0;
      else if (top < 0 || top > box.clientHeight - 30) box.scrollTop += top - box.clientHeight / 2;
    };

    const steer = () => {
      for (const view of state.views) view?.signal("ply_shown", state.ply).runAsync();
    };

    const show = () => {
      const { game, ply } = state;
      const move = ply > 0 ? game.moves.uci[ply - 1] : "";
      drawBoard(find(".board"), game.fens[ply], move, game.checks.includes(ply), state.isFlipped, `Board, ${named(ply)}`);
      find(".fen").value = game.fens[ply];
      for (const button of root.querySelectorAll(".steps [data-to]")) {
        const isBack = ["first", "back10", "back"].includes(button.dataset.to);
        button.setAttribute("aria-disabled", String(ply === (isBack ? 0 : plies())));
      }
      find(".copied").textContent = "";
      showSearches();
      showNow();
      markMove();
      steer();
    };

    const step = (ply) => {
      const wanted = Math.max(0, Math.min(plies(), ply));
      if (wanted === state.ply) return;
      state.ply = wanted;
      history.replaceState(history.state, "", place(state.game.id, wanted));
      show();
    };
    const steps = { first: () => 0, back10: () => state.ply - 10, back: () => state.ply - 1,
      forth: () => state.ply + 1, forth10: () => state.ply + 10, last: () => plies() };
    const keys = { ArrowLeft: "back", ArrowRight: "forth", ArrowUp: "back10", ArrowDown: "forth10", Home: "first", End: "last" };

    const rowsOfMoves = () => {
      const rows = [];
      state.game.moves.san.forEach((san, at) => {
        const ply = at + 1, { isWhite, number } = numbered(ply);
        if (isWhite || rows.length === 0) {
          rows.push(make("tr", {}, make("th", { scope: "row", class: "right" }, `${number}.`)));
          if (!isWhite) rows[0].append(make("td", {}, "…"));
        }
        const link = make("a", { href: place(state.game.id, ply), "data-ply": ply, tabindex: -1 }, san);
        rows[rows.length - 1].append(make("td", {}, link));
      });
      return rows;
    };

    const about = () => {
      const { game } = state;
      const pair = `pairing ${game.pairing}, pair ${game.pair}, game ${game.game}`;
      const href = data.served ? `/events/${game.event}` : `#event-${game.event}`;
      const facts = [["event", make("span", {}, make("a", { href }, game.event), `, ${pair}`)], ["end", `${game.end_reason}, ${game.plies} plies`],
        ["counted", game.after_stop ? "no: finished after the verdict" : game.counted ? "" : "no: it repeats an earlier game"],
        ["start", game.opening_line === null ? "" : `line ${game.opening_line} of the book`],
        ["Chess960", game.chess960 ? "yes" : ""], ["played", game.started_at ?? ""]];
      return facts.filter(([, text]) => text).map(([name, text]) =>
        make("div", {}, make("dt", {}, name), make("dd", {}, text)));
    };

    const problems = () => state.game.problems.map((each) => make("li", {},
      make("strong", {}, `${each.severity}: `), `${each.engine}: ${each.text}`,
      ...(each.fen ? [make("br"), `in ${each.fen}`] : []), make("br"), `started as ${each.command}`));

    // The neighbours of the game in the list that led to it.
    const neighbours = () => {
      const { game } = state;
      let ids = Object.keys(data.games).filter((id) => data.games[id].event === game.event);
      let back = data.served ? `/events/${game.event}#event-${game.event}-games` : `#event-${game.event}-games`;
      if (data.served) {
        try {
          const kept = JSON.parse(sessionStorage.getItem("mtdf-list"));
          if (kept?.ids.includes(game.id)) { ids = kept.ids; back = kept.href; }
        } catch { /* without storage there are none */ }
      } else {
        const list = window.mtdf.lists.find((each) => each.event === game.event);
        const listed = list?.ids().filter((id) => id in data.games) ?? [];
        if (listed.includes(game.id)) ids = listed;
      }
      const at = ids.indexOf(game.id);
      return [[".earlier", ids[at - 1]], [".later", ids[at + 1]]]
        .map(([name, id]) => [name, id && (data.served ? `/games/${id}` : `#game-${id}`)]).concat([[".back", back]]);
    };

    const drawGraph = async () => {
      const { game } = state;
      const box = find(".graph");
      const isWhite = game.fens[0].split(" ")[1] === "w";
      const { told: unused, uci, time_us, ...kept } = game.moves;
      const rows = kept.san.map((_, at) => ({ ply: at + 1, side: isWhite === (at % 2 === 0) ? "White" : "Black",
        ...Object.fromEntries(Object.keys(kept).map((name) => [name, kept[name][at]])) }));
      const known = Object.keys(data.graph).filter((name) => kept[name].some((value) => value !== null));
      box.hidden = known.length === 0;
      state.views = [];
      while (box.children.length > known.length) box.lastChild.remove();
      while (box.children.length < known.length) box.append(make("div", { class: "panel" }));
      const views = await Promise.all(known.map((name, panel) => {
        const spec = data.graph[name];
        return window.mtdf.embed(box.children[panel], { ...spec, datasets: { ...spec.datasets, moves: rows } });
      }));
      if (state.game !== game) return;
      state.views = views;
      views.forEach((view, panel) => view?.addEventListener("click", (click) => {
        const left = box.children[panel].querySelector("svg").getBoundingClientRect().left + view.origin()[0];
        step(Math.round(view.scale("x").invert(click.clientX - left)));
      }));
      steer();
    };

    const open = (id, ply) => {
      const isOther = state.game?.id !== id;
      state.game = data.games[id];
      state.ply = Math.max(0, Math.min(plies(), ply));
      const { game } = state;
      find(".choose").hidden = true;
      find(".game").hidden = false;
      if (isOther) {
        find(".players").replaceChildren(make("span", {}, game.names.join(" – ")), " ",
          make("strong", {}, game.result), " ", make("small", {}, game.id));
        find(".about").replaceChildren(...about());
        find(".problems").replaceChildren(...problems());
        find(".problems").hidden = game.problems.length === 0;
        find(".moves tbody").replaceChildren(...rowsOfMoves());
        find(".moves .none").hidden = plies() > 0;
        find(".moves table").hidden = plies() === 0;
        find(".moves").scrollTop = 0;
        find(".pgn").value = game.pgn;
        drawGraph();
      }
      for (const [name, href] of neighbours()) {
        const link = find(name);
        link.hidden = !href;
        if (href) link.href = href;
      }
      show();
    };

    const copy = async (what) => {
      const field = find(`.${what}`), name = what.toUpperCase();
      try {
        await navigator.clipboard.writeText(field.value);
        find(".copied").textContent = `${name} copied`;
      } catch { // not allowed here: the reader copies what is selected
        find(".text").open ||= what === "pgn";
        field.focus();
        field.select();
        find(".copied").textContent = `${name} is selected: copy it with Ctrl+C`;
      }
    };

    root.addEventListener("keydown", (key) => {
      if (!state.game || key.altKey || key.ctrlKey || key.metaKey || key.shiftKey) return;
      if (key.target.matches("input, textarea, select")) return;
      if (key.key === "Escape") { find(".back").click(); return; }
      const to = keys[key.key];
      if (!to) return;
      key.preventDefault();
      step(steps[to]());
    });
    root.addEventListener("click", (click) => {
      const target = click.target.closest?.("button, a[data-ply]");
      if (!target || !state.game) return;
      if (target.dataset.to) step(steps[target.dataset.to]());
      else if (target.dataset.copy) copy(target.dataset.copy);
      else if (target.matches(".flip")) {
        state.isFlipped = !state.isFlipped;
        target.setAttribute("aria-pressed", String(state.isFlipped));
        show();
      } else if (target.dataset.ply && !click.ctrlKey && !click.metaKey && !click.shiftKey) {
        click.preventDefault();
        step(Number(target.dataset.ply));
      }
    });
    const redraw = () => { if (state.game) drawGraph(); };
    return { root, open, redraw, isOpen: () => state.game !== null };
  };

  // Opens what the address says; the reader comes to the game, unless it is only stepped through.
  const follow = (shown) => {
    const { hash } = location;
    const match = data.served ? /^#ply-(\d+)$/.exec(hash) : /^#game-(g\d+)(?:-(\d+))?$/.exec(hash);
    const id = data.served ? Object.keys(data.games)[0] : match?.[1];
    if (!id) return;
    if (!(id in data.games)) {
      shown.root.querySelector(".choose").textContent = `The moves of ${id} are not in this file.`;
      shown.root.querySelector(".choose").hidden = false;
      shown.root.querySelector(".game").hidden = true;
    } else shown.open(id, Number((data.served ? match?.[1] : match[2]) ?? 0));
    if (data.served && !match) return;
    shown.root.scrollIntoView({ block: "start" });
    shown.root.querySelector(".players").focus({ preventScroll: true });
  };

  window.mtdf.startViewer = () => {
    const root = document.querySelector(".viewer");
    if (!root) return;
    window.mtdf.viewer = viewer(root);
    root.querySelector(".choose").textContent = "Choose a game from a list of games.";
    follow(window.mtdf.viewer);
    window.addEventListener("hashchange", () => follow(window.mtdf.viewer));
  };
})();

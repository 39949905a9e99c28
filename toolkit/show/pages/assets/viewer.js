"use strict";
// A game: its board, moves and searches, stepped through by keys, buttons, the moves or the graph.
(() => {
  const { data, make, count, drawBoard } = window.mtdf;

  // What stands on each square after each ply: one letter a square, as the game's look lists them.
  const positions = (game) => {
    const squares = [...game.squares], found = [game.squares];
    for (const changes of game.changes) {
      for (const change of changes ? changes.split(" ") : []) squares[Number(change.slice(0, -1))] = change.slice(-1);
      found.push(squares.join(""));
    }
    return found;
  };

  const viewer = (root) => {
    const find = (name) => root.querySelector(name);
    find(".players").classList.toggle("unseen", data.served); // its page has a title
    const state = { game: null, boards: [], ply: 0, isFlipped: false, views: [] };
    const plies = () => state.game.fens.length - 1;

    const place = (id, ply) => (data.served ? `/games/${id}#ply-${ply}` : `#game-${id}-${ply}`);

    // Whose move led to a ply, its number in the game, and whether the number begins with it.
    const numbered = (ply) => {
      const { white, number, begins } = state.game.first;
      const past = ply - 1 + (begins ? 0 : 1);
      return { isWhite: white === (ply % 2 === 1), number: number + Math.floor(past / 2), begins: past % 2 === 0 };
    };
    const named = (ply) => {
      if (ply === 0) return "Start of the game";
      const { begins, number } = numbered(ply);
      return `${number}${begins ? "." : "…"} ${state.game.moves.san[ply - 1]}`;
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
      // What the engine printed of the move; it keeps its place in a game that has such a text.
      find(".printed").hidden = game.lines.length === 0;
      find(".printed").textContent = (ply > 0 && game.lines[ply - 1]) || "--";
    };

    // Why the game ended, with the points where the game has them.
    const ended = () => [state.game.end_reason, state.game.tally].filter(Boolean).join(" ");

    const showNow = () => {
      const { game, ply } = state;
      if (ply === 0) { find(".now").textContent = `${named(0)}, ${plies()} plies`; return; }
      const names = ["value", "depth", "nodes", "passes", "ms"];
      const known = searched(ply).map((text, column) => [names[column], text]).filter(([, text]) => text !== "--");
      const end = ply === plies() ? `; ${game.result}, ${ended()}` : "";
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
      const isWhite = game.first.white === (ply % 2 === 0);
      drawBoard(find(".board"), data.looks[game.look], state.boards[ply], {
        marks: ply > 0 && game.marks[ply - 1] ? game.marks[ply - 1].split(" ").map(Number) : [],
        checked: game.checks.includes(ply) ? isWhite : null, isFlipped: state.isFlipped, title: `Board, ${named(ply)}`,
      });
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
        const ply = at + 1, { begins, number } = numbered(ply);
        if (begins || rows.length === 0) {
          rows.push(make("tr", {}, make("th", { scope: "row", class: "right" }, `${number}.`)));
          if (!begins) rows[0].append(make("td", {}, "…"));
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
      const facts = [["event", make("span", {}, make("a", { href }, game.event), `, ${pair}`)], ["end", `${ended()}, ${game.plies} plies`],
        ["counted", game.after_stop ? "no: finished after the verdict" : game.counted ? "" : "no: it repeats an earlier game"],
        ["start", game.opening_line === null ? "" : `line ${game.opening_line} of the book`],
        ["game", data.looks[game.look].title], ["Chess960", game.chess960 ? "yes" : ""], ["played", game.started_at ?? ""]];
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
      const isWhite = game.first.white;
      const { told: unused, uci, time_us, ...kept } = game.moves;
      const rows = kept.san.map((_, at) => ({ ply: at + 1, side: isWhite === (at % 2 === 0) ? "White" : "Black", edge: game.edge,
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
      if (isOther) state.boards = positions(state.game);
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
        const sides = ["White", "Black"], isBlackFirst = game.first.white !== game.first.begins;
        root.querySelectorAll(".moves thead th").forEach((head, at) => {
          if (at > 0) head.textContent = sides[isBlackFirst ? 2 - at : at - 1];
        });
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

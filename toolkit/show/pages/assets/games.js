"use strict";
// Lists of games with filters, in pages: of rows in the file, or from the server.
(() => {
  const { data, make, count } = window.mtdf;
  const PAGE = 50;

  // Rows of a list in a file, which has them by column.
  const unpacked = (columns) => {
    const names = Object.keys(columns).filter((name) => name !== "rows");
    const read = (name, place) => {
      const column = columns[name];
      return Array.isArray(column) ? column[place] : column.of[column.at[place]];
    };
    return Array.from({ length: columns.rows }, (_, place) =>
      Object.fromEntries(names.map((name) => [name, read(name, place)])));
  };

  const matches = (row, wanted) => {
    const { engine, opponent, result } = wanted;
    const sides = [["white", "black", "1-0"], ["black", "white", "0-1"]];
    const played = (mine, other) => row[mine] === engine && (!opponent || row[other] === opponent);
    if (engine && !sides.some(([mine, other]) => played(mine, other))) return false;
    if (result === "win" || result === "loss") {
      const fits = ([mine, other, won]) => played(mine, other) && row.result !== "1/2-1/2"
        && (row.result === won) === (result === "win");
      if (!sides.some(fits)) return false;
    } else if (result && row.result !== result) return false;
    return (!wanted.end_reason || row.end_reason === wanted.end_reason)
      && (!wanted.min_plies || row.plies >= Number(wanted.min_plies))
      && (!wanted.max_plies || row.plies <= Number(wanted.max_plies))
      && (!wanted.counted || Boolean(row.counted));
  };

  // Two sources with one promise: {games, page, rows, ids}; ids are all of the selection in a file.
  const fromFile = (event) => {
    const rows = unpacked(data.lists[event]);
    return async (wanted, page) => {
      const found = rows.filter((row) => matches(row, wanted));
      return { games: found.length, page, ids: found.map((row) => row.id),
        rows: found.slice((page - 1) * PAGE, page * PAGE) };
    };
  };

  const fromServer = (event) => async (wanted, page) => {
    const query = new URLSearchParams({ ...wanted, page });
    const answer = await fetch(`/events/${encodeURIComponent(event)}/games?${query}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const found = await answer.json();
    return { ...found, ids: found.rows.map((row) => row.id) };
  };

  const list = (box) => {
    const { event } = box.dataset;
    const isEmbedded = event in data.lists;
    const source = isEmbedded ? fromFile(event) : fromServer(event);
    const form = box.querySelector("form");
    const [status, region, pages] = [".found", ".wide", ".pages"].map((name) => box.querySelector(name));
    const body = box.querySelector("tbody");
    const state = { page: 1, ids: [], asked: 0, told: "" };

    const wanted = () => Object.fromEntries(
      [...new FormData(form)].filter(([name, value]) => value !== "" && !form.elements[name].disabled));

    // An opponent, a win or a loss are those of an engine.
    const allow = () => {
      const { engine, opponent, result } = form.elements;
      opponent.disabled = !engine.value;
      for (const option of result.options) {
        if (option.value === "win" || option.value === "loss") option.disabled = !engine.value;
      }
      if (result.selectedOptions[0]?.disabled) result.value = "";
    };

    const called = (label) => [...form.elements.engine.options].find((one) => one.value === label)?.text ?? label;

    const cells = (row) => {
      const isKept = data.served || row.id in data.games;
      const place = data.served ? `/games/${row.id}` : `#game-${row.id}`;
      const names = isKept ? [make("a", { href: place }, row.id)] : [row.id];
      return [
        make("th", { scope: "row" }, ...names),
        ...[row.white, row.black].map(called).map((name) => make("td", { class: "name", title: name }, name)),
        ...[row.result, row.end_reason].map((text) => make("td", {}, text)),
        ...[row.plies, row.pairing, row.pair].map((number) => make("td", { class: "right" }, count(number))),
        make("td", {}, row.counted ? "yes" : "no"),
      ];
    };

    const told = (found) => {
      const total = Number(box.dataset.games);
      const rows = isEmbedded ? data.lists[event].rows : total;
      const parts = [`${count(found.games)} ${found.games === 1 ? "game" : "games"} of ${count(rows)}`];
      if (rows < total) parts.push(`this file lists the first ${count(rows)} of ${count(total)} games`);
      if (isEmbedded && found.ids.some((id) => !(id in data.games))) {
        parts.push("games without a link have their moves in the database only (mtdf game ID)");
      }
      return parts.join("; ");
    };

    const show = async () => {
      const asked = ++state.asked;
      let found;
      try {
        found = await source(wanted(), state.page);
      } catch (error) {
        if (asked === state.asked) status.textContent = `The list could not be read: ${error.message}`;
        return;
      }
      if (asked !== state.asked) return; // a newer question is under way
      const last = Math.max(1, Math.ceil(found.games / PAGE));
      if (state.page > last) { state.page = last; return show(); }
      state.ids = found.ids;
      body.replaceChildren(...found.rows.map((row) => make("tr", {}, ...cells(row))));
      region.hidden = found.games === 0;
      pages.hidden = last === 1;
      pages.querySelector("span").textContent = `page ${count(state.page)} of ${count(last)}`;
      const [before, after] = pages.querySelectorAll("button");
      before.disabled = state.page <= 1;
      after.disabled = state.page >= last;
      const text = told(found);
      if (status.textContent !== text) status.textContent = text;
      if (data.served) remember(found.ids);
    };

    // Where the page of a game finds its neighbours.
    const remember = (ids) => {
      try {
        sessionStorage.setItem("mtdf-list", JSON.stringify({ event, ids, href: location.href }));
      } catch { /* without storage there are no neighbours */ }
    };

    const keep = () => {
      const lists = { ...history.state?.lists, [event]: { wanted: wanted(), page: state.page } };
      history.replaceState({ ...history.state, lists }, "");
    };

    const changed = (page) => { state.page = page; allow(); keep(); return show(); };

    const set = (values, page) => {
      form.reset();
      for (const [name, value] of Object.entries(values)) {
        const field = form.elements[name];
        if (field?.type === "checkbox") field.checked = Boolean(value);
        else if (field) field.value = value;
      }
      return changed(page);
    };

    form.addEventListener("submit", (submitted) => submitted.preventDefault());
    form.addEventListener("input", () => changed(1));
    form.addEventListener("reset", () => setTimeout(() => changed(1)));
    pages.addEventListener("click", (click) => {
      const step = Number(click.target.dataset.step);
      if (step) changed(state.page + step).then(() => box.scrollIntoView({ block: "start" }));
    });
    form.hidden = false;
    return { event, box, show, set, ids: () => state.ids, isEmbedded };
  };

  // Cells of a crosstable lead to the games of their engines.
  const follow = (click) => {
    const link = click.target.closest?.("a[data-engine]");
    if (!link) return;
    const box = link.closest("article")?.querySelector(".games");
    const found = window.mtdf.lists.find((each) => each.box === box);
    if (!found) return;
    click.preventDefault();
    const section = box.closest("section");
    if (location.hash !== `#${section.id}`) history.pushState(null, "", `#${section.id}`);
    found.set({ engine: link.dataset.engine, opponent: link.dataset.opponent }, 1);
    section.scrollIntoView();
    box.querySelector("select").focus({ preventScroll: true });
  };

  window.mtdf.lists = [];
  window.mtdf.refreshLists = () => window.mtdf.lists.forEach((each) => each.show());
  window.mtdf.startLists = () => {
    for (const box of document.querySelectorAll(".games[data-event]")) {
      if (window.mtdf.lists.some((each) => each.box === box)) continue;
      const each = list(box);
      window.mtdf.lists.push(each);
      const kept = history.state?.lists?.[each.event];
      if (kept) each.set(kept.wanted, kept.page);
      else each.set({}, 1);
    }
  };
  document.addEventListener("click", follow);
})();

"use strict";
// Follows what is running: the server tells of changes of an event, a list of all runs is read again and again; what
// changed is replaced.
(() => {
  const { make, count } = window.mtdf;
  const LEAST_MS = 3000; // between two readings of the page
  const SPOKEN_MS = 60000; // between two announcements
  const LONGEST_MS = 30000; // between two tries to connect
  const LIST_MS = 5000; // between two readings of a list of all runs
  const state = { isChanged: false, isReading: false, readAt: 0, spokenAt: 0, html: new Map(), timer: 0, end: "" };

  const duration = (seconds) => {
    if (seconds === null || !Number.isFinite(seconds)) return "?";
    if (seconds < 9.95) return seconds >= 0.05 ? `${seconds.toFixed(1)}s` : "0s";
    const whole = Math.round(seconds), pad = (number) => String(number).padStart(2, "0");
    const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
    if (days) return `${days}d${pad(hours)}h`;
    if (hours) return `${hours}h${pad(minutes)}m`;
    return minutes ? `${minutes}m${pad(whole % 60)}s` : `${whole}s`;
  };

  // The standing in names and values.
  const facts = (row) => {
    const share = row.games_planned ? ` (${(100 * row.games_played / row.games_planned).toFixed(0)} %)` : "";
    const rows = [["status", row.status],
      ["games", `${count(row.games_played)} of ${count(row.games_planned)}${share}`]];
    if (row.round) rows.push(["round", row.round.title]);
    if (row.games_per_second !== null) rows.push(["speed", `${row.games_per_second.toPrecision(3)} games/s`]);
    if (!row.over) rows.push(["time left", duration(row.eta_s) + (row.at_most_s === null ? "" : `, at most ${duration(row.at_most_s)}`)]);
    if (row.test) {
      const { llr, lower, upper, pairs, pairs_left: left, verdict } = row.test;
      rows.push(["LLR", `${llr.toFixed(2)} (${lower.toFixed(2)}, ${upper.toFixed(2)}) after ${count(pairs)} pairs, ${verdict}`]);
      if (verdict === "continue" && Number.isFinite(left)) rows.push(["pairs left", `about ${count(Math.round(left))}`]);
    }
    for (const [name, number] of [["time losses", row.time_losses], ["engine failures", row.engine_failures],
      ["stored before", row.repetitions], ["pairs given up", row.pairs_failed]]) {
      if (number) rows.push([name, count(number)]);
    }
    return rows;
  };

  const showStanding = (row) => {
    document.getElementById("live-standing").textContent = facts(row).map(([name, text]) => `${name} ${text}`).join(" · ");
  };

  // A part of the page as the server wrote it, with the data of its charts.
  const written = (section, charts) => {
    const copy = section.cloneNode(true);
    const drawn = [];
    for (const figure of copy.querySelectorAll("figure[data-chart]")) {
      drawn.push(charts[Number(figure.dataset.chart)]);
      figure.removeAttribute("data-chart");
    }
    return copy.outerHTML + JSON.stringify(drawn);
  };

  const isKept = (section) => section.querySelector(".games, .viewer") !== null;

  // Where an element is below another, to find its successor.
  const way = (root, element) => {
    const steps = [];
    for (let at = element; at !== root; at = at.parentElement) steps.unshift([...at.parentElement.children].indexOf(at));
    return steps;
  };

  const replace = (old, section) => {
    const focused = old.contains(document.activeElement) ? way(old, document.activeElement) : null;
    const scrolled = [...old.querySelectorAll(".wide")].map((box) => box.scrollLeft);
    const opened = [...old.querySelectorAll("details")].map((box) => box.open);
    const filled = [...old.querySelectorAll("form [name]")].map((field) => field.value);
    const heights = [...old.querySelectorAll(".panel")].map((panel) => panel.offsetHeight);
    for (const panel of old.querySelectorAll(".panel")) window.mtdf.views.get(panel)?.finalize();
    old.replaceWith(section);
    section.querySelectorAll(".wide").forEach((box, at) => { box.scrollLeft = scrolled[at] ?? 0; });
    section.querySelectorAll("details").forEach((box, at) => { box.open = opened[at] ?? false; });
    section.querySelectorAll("form [name]").forEach((field, at) => { field.value = filled[at] ?? ""; });
    section.querySelectorAll(".panel").forEach((panel, at) => { panel.style.minHeight = `${heights[at] ?? 0}px`; });
    if (focused) focused.reduce((element, at) => element?.children[at], section)?.focus({ preventScroll: true });
    window.mtdf.drawCharts(section);
  };

  // A list keeps its filters; new reasons to end join the choices.
  const updateList = (old, list) => {
    if (!old || !list) return;
    old.dataset.games = list.dataset.games;
    for (const select of list.querySelectorAll("select")) {
      const kept = old.querySelector(`select[name="${select.name}"]`);
      for (const option of select.options) {
        if (![...kept.options].some((each) => each.value === option.value)) kept.append(document.importNode(option, true));
      }
    }
  };

  const updateArticle = (article, fresh, charts) => {
    let before = null;
    for (const section of [...fresh.querySelectorAll(":scope > section")]) {
      const old = document.getElementById(section.id);
      const html = written(section, charts);
      const wanted = document.importNode(section, true);
      if (!old) {
        if (before) before.after(wanted); else article.prepend(wanted);
        window.mtdf.drawCharts(wanted);
        before = wanted;
      } else if (isKept(old) && isKept(section)) {
        updateList(old.querySelector(".games"), section.querySelector(".games"));
        before = old;
      } else if (state.html.get(section.id) !== html) {
        replace(old, wanted);
        before = wanted;
      } else {
        // The same, but its charts may have other numbers now.
        const figures = section.querySelectorAll("figure[data-chart]");
        old.querySelectorAll("figure[data-chart]").forEach((figure, at) => { figure.dataset.chart = figures[at].dataset.chart; });
        before = old;
      }
      state.html.set(section.id, html);
    }
    for (const old of [...article.querySelectorAll(":scope > section")]) {
      if (!fresh.querySelector(`#${CSS.escape(old.id)}`)) old.remove();
    }
    article.toggleAttribute("data-live", fresh.hasAttribute("data-live"));
  };

  const update = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const data = JSON.parse(page.getElementById("data").textContent);
    for (const name of ["charts", "rows"]) window.mtdf.data[name] = data[name];
    for (const article of document.querySelectorAll("article[data-live]")) {
      const fresh = page.getElementById(article.id);
      if (fresh) updateArticle(article, fresh, data.charts);
    }
    const [contents, wanted] = [document, page].map((each) => each.querySelector(".side-nav"));
    if (wanted && contents?.textContent !== wanted.textContent) {
      const nav = document.importNode(wanted, true);
      if (contents) contents.querySelector("ul").replaceWith(nav.querySelector("ul"));
      else {
        const body = document.querySelector(".body");
        body.prepend(nav);
        body.classList.add("with-contents");
      }
      window.mtdf.watchContents();
    }
    window.mtdf.startFilters();
    window.mtdf.startLists();
    window.mtdf.refreshLists();
  };

  const say = (text) => { document.getElementById("live-said").textContent = text; };
  const note = (text) => { document.getElementById("live-note").textContent = text; };

  const read = async () => {
    if (state.isReading || document.hidden) return; // read when it can be seen
    state.isReading = true;
    state.isChanged = false;
    try {
      const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      update(await answer.text());
      note(state.end || `Updated at ${new Date().toLocaleTimeString()}.`);
      if (Date.now() - state.spokenAt > SPOKEN_MS) {
        state.spokenAt = Date.now();
        say("The page was updated.");
      }
    } catch (error) {
      note(`The page could not be read again: ${error.message}.`);
    } finally {
      state.isReading = false;
      state.readAt = Date.now();
      if (state.isChanged) plan();
    }
  };

  const plan = () => {
    state.isChanged = true;
    clearTimeout(state.timer);
    state.timer = setTimeout(read, Math.max(0, state.readAt + LEAST_MS - Date.now()));
  };

  const connect = (event, wait = 1000) => {
    const source = new EventSource(`/events/${encodeURIComponent(event)}/live`);
    let next = wait;
    source.addEventListener("open", () => { next = 1000; note("Connected."); });
    source.addEventListener("message", (message) => {
      const row = JSON.parse(message.data);
      showStanding(row);
      plan();
    });
    source.addEventListener("end", (message) => {
      const { problem } = JSON.parse(message.data);
      const text = problem ? `The event cannot be followed: ${problem}` : "The event is over.";
      source.close();
      say(text);
      state.end = text;
      plan(); // what was stored last
    });
    source.addEventListener("error", () => {
      source.close();
      note("The connection is lost; trying again.");
      setTimeout(() => connect(event, Math.min(LONGEST_MS, 2 * next)), next);
    });
  };

  window.mtdf.startLive = () => {
    const [live, lists] = ["[id^='event-']", "#contents"].map(
      (which) => [...document.querySelectorAll(`article[data-live]${which}`)]);
    if (live.length + lists.length === 0) return;
    document.querySelector("footer").before(make("div", { class: "live", role: "region", "aria-label": "Live" },
      make("span", { id: "live-standing" }), make("span", { id: "live-note" }, "Connecting."),
      make("span", { id: "live-said", class: "unseen", role: "status" })));
    document.addEventListener("visibilitychange", () => { if (!document.hidden && state.isChanged) plan(); });
    for (const article of live) connect(article.id.slice("event-".length));
    if (lists.length) setInterval(plan, LIST_MS);
  };

  // What the server wrote, before any script changes it.
  for (const section of document.querySelectorAll("article[data-live] > section")) {
    state.html.set(section.id, written(section, window.mtdf.data.charts));
  }
})();

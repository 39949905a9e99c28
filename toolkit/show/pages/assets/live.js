"use strict";
// Follows what may still change: asks for the page again and again, and replaces what changed.
(() => {
  const { make } = window.mtdf;
  const LEAST_MS = 3000; // between two readings of the page
  const SHARE = 10; // and this many times what a reading took
  const FOLLOWS = "This page follows what is stored.";
  const state = { html: new Map(), tag: "" };

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

  const note = (name, text) => {
    const place = document.getElementById(name);
    if (place.textContent !== text) place.textContent = text;
  };

  const read = async () => {
    const begin = performance.now();
    try {
      if (!document.hidden) { // read when it can be seen
        const headers = state.tag ? { "If-None-Match": state.tag } : {};
        const answer = await fetch(location.pathname, { cache: "no-store", headers });
        if (!answer.ok && answer.status !== 304) throw new Error(`the server answered ${answer.status}`);
        if (answer.ok) {
          update(await answer.text());
          state.tag = answer.headers.get("ETag") ?? "";
        }
        note("live-at", `Read at ${new Date().toLocaleTimeString()}.`);
        note("live-note", FOLLOWS);
      }
    } catch (error) {
      note("live-note", `The page could not be read again: ${error.message}.`);
    }
    if (document.querySelector("article[data-live]")) {
      setTimeout(read, Math.max(LEAST_MS, SHARE * (performance.now() - begin)));
    } else note("live-note", "The run is over.");
  };

  window.mtdf.startLive = () => {
    if (!document.querySelector("article[data-live]")) return;
    document.querySelector("footer").before(make("div", { class: "live", role: "region", "aria-label": "Live" },
      make("span", { id: "live-note", role: "status" }, FOLLOWS), make("span", { id: "live-at" })));
    setTimeout(read, LEAST_MS);
  };

  // What the server wrote, before any script changes it.
  for (const section of document.querySelectorAll("article[data-live] > section")) {
    state.html.set(section.id, written(section, window.mtdf.data.charts));
  }
})();

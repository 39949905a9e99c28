"use strict";
// Starts what the page has.
(() => {
  const { make, dark } = window.mtdf;
  const box = make("div", { id: "tooltip" });
  box.hidden = true;
  document.body.append(box);

  // The contents are open beside a wide page, and a menu above a narrow one.
  const wide = window.matchMedia("(min-width: 1100px)");
  const fit = () => { for (const menu of document.querySelectorAll("details.contents")) menu.open = wide.matches; };
  wide.addEventListener("change", fit);
  document.addEventListener("click", (click) => { if (click.target.closest?.(".contents a")) fit(); });

  // They mark where the reader is.
  const seen = new Set();
  const mark = () => {
    const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
    for (const link of links.values()) link.removeAttribute("aria-current");
    const first = [...document.querySelectorAll("main section[id]")].find((section) => seen.has(section));
    (links.get(first?.id) ?? links.get(first?.closest("article").id))?.setAttribute("aria-current", "true");
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target);
    mark();
  }, { rootMargin: "-10% 0px -60% 0px" });
  window.mtdf.watchContents = () => {
    fit();
    watch.disconnect();
    seen.clear();
    for (const section of document.querySelectorAll("main section[id]")) watch.observe(section);
  };
  window.mtdf.watchContents();

  // Filters of a table of runs: words that a row has, and the text of a cell.
  const filter = (form) => {
    const wanted = [...new FormData(form)].filter(([, value]) => value !== "");
    for (const row of form.nextElementSibling.querySelectorAll("tbody tr")) {
      row.hidden = !wanted.every(([name, value]) => (name === "words"
        ? row.textContent.toLowerCase().includes(value.toLowerCase()) : row.cells[name].textContent === value));
    }
  };
  document.addEventListener("input", ({ target }) => { if (target.form?.matches(".of-rows")) filter(target.form); });
  document.addEventListener("submit", (submitted) => submitted.preventDefault());
  window.mtdf.startFilters = () => {
    for (const form of document.querySelectorAll(".of-rows")) { form.hidden = false; filter(form); }
  };
  window.mtdf.startFilters();

  const isPrinted = window.matchMedia("print");
  const draw = () => window.mtdf.drawCharts(document);
  dark.addEventListener("change", () => {
    if (isPrinted.matches) return; // it would print half a chart
    draw();
    window.mtdf.viewer?.redraw();
  });

  window.mtdf.startLists?.();
  const drawn = draw();
  window.mtdf.startViewer?.();
  window.mtdf.startPlayers?.();
  window.mtdf.startLive?.();
  // Charts push what is below them: the reader comes to the place in the address again.
  let isElsewhere = false;
  for (const name of ["wheel", "touchmove", "keydown", "pointerdown", "hashchange"]) {
    window.addEventListener(name, () => { isElsewhere = true; }, { once: true, passive: true });
  }
  drawn.then(() => {
    document.documentElement.dataset.drawn = "true";
    if (isElsewhere || !location.hash) return;
    if (window.mtdf.viewer?.isOpen()) window.mtdf.viewer.root.scrollIntoView();
    else document.getElementById(location.hash.slice(1))?.scrollIntoView();
  });
})();

"use strict";
// Starts what the page has.
(() => {
  const box = document.createElement("div");
  box.id = "tooltip";
  box.hidden = true;
  document.body.append(box);
  window.mtdf.drawCharts(document);
  window.mtdf.dark.addEventListener("change", () => window.mtdf.drawCharts(document));
})();

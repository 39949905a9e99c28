"use strict";
// Draws the charts of a page from the data in it, in the colours of the reader.
window.mtdf = {
  data: JSON.parse(document.getElementById("data").textContent),
  dark: window.matchMedia("(prefers-color-scheme: dark)"),
};

window.mtdf.theme = () => window.mtdf.data.themes[window.mtdf.dark.matches ? "dark" : "light"];

// A value under the pointer, as text: the style of Vega's own tooltips would break the policy.
window.mtdf.tooltip = (handler, event, item, value) => {
  const box = document.getElementById("tooltip");
  if (value === null || value === undefined || value === "") { box.hidden = true; return; }
  const lines = typeof value === "object"
    ? Object.entries(value).map(([name, text]) => `${name}: ${text}`) : [String(value)];
  box.textContent = lines.join("\n");
  box.hidden = false;
  box.style.left = `${Math.min(event.clientX + 12, window.innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${event.clientY + 12}px`;
};

window.mtdf.embed = (place, spec) => window.vegaEmbed(place, spec, {
  ast: true, renderer: "svg", actions: false, defaultStyle: false,
  config: window.mtdf.theme(), tooltip: window.mtdf.tooltip,
});

window.mtdf.drawCharts = (root) => {
  for (const figure of root.querySelectorAll("figure[data-chart]")) {
    const specs = window.mtdf.data.charts[Number(figure.dataset.chart)];
    figure.querySelectorAll(".panel").forEach((place, number) => {
      window.mtdf.embed(place, specs[number]).catch((error) => {
        place.textContent = `This chart could not be drawn: ${error.message}`;
        console.error(error);
      });
    });
  }
};

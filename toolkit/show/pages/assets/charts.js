"use strict";
// What the scripts of a page share, and the drawing of its charts in the colours of the reader.
window.mtdf = {
  data: JSON.parse(document.getElementById("data").textContent),
  dark: window.matchMedia("(prefers-color-scheme: dark)"),
  views: new WeakMap(),
};

// An element with attributes and children; text becomes a text node, so no name is ever markup.
window.mtdf.make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};

// A whole number with thin groups of three, as tables have it.
window.mtdf.count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, " ");

// A value under the pointer, as text: the style of Vega's own tooltips would break the policy.
window.mtdf.tooltip = (handler, event, item, value) => {
  const box = document.getElementById("tooltip");
  if (value === null || value === undefined || value === "") { box.hidden = true; return; }
  const lines = typeof value === "object"
    ? Object.entries(value).map(([name, text]) => `${name}: ${text}`) : [String(value)];
  box.textContent = lines.join("\n");
  box.hidden = false;
  box.style.left = `${Math.max(4, Math.min(event.clientX + 12, window.innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${Math.min(event.clientY + 12, window.innerHeight - box.offsetHeight - 8)}px`;
};

// A description whose own limits of labels fit a narrow place.
const narrowed = (part, limit) => {
  if (Array.isArray(part)) return part.map((one) => narrowed(one, limit));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => {
    if (name === "values" || name === "datasets") return [name, value];
    if (name === "labelLimit") return [name, Math.min(value, limit)];
    return [name, name === "columns" ? 1 : narrowed(value, limit)];
  }));
};

// Draws into a place; the height stays while an earlier chart is replaced, so nothing jumps.
window.mtdf.embed = async (place, spec) => {
  const isDark = window.mtdf.dark.matches;
  const theme = window.mtdf.data.themes[isDark ? "dark" : "light"];
  const isNarrow = place.clientWidth < 480;
  const limit = Math.max(70, place.clientWidth * 0.32);
  const narrow = isNarrow
    ? { axis: { ...theme.axis, labelLimit: limit, titleLimit: place.clientWidth * 0.8 },
      title: { ...theme.title, limit: place.clientWidth },
      legend: { ...theme.legend, columns: 1, labelLimit: place.clientWidth * 0.8 } }
    : {};
  if (place.offsetHeight) place.style.minHeight = `${place.offsetHeight}px`;
  window.mtdf.views.get(place)?.finalize();
  try {
    const drawn = await window.vegaEmbed(place, isNarrow ? narrowed(spec, limit) : spec, {
      ast: true, renderer: "svg", actions: false, defaultStyle: false,
      config: { ...theme, ...narrow, background: "transparent" }, tooltip: window.mtdf.tooltip,
    });
    window.mtdf.views.set(place, drawn);
    place.dataset.drawn = isDark ? "dark" : "light";
    // The words of the whole chart stand at the figure; its parts would only be noise.
    place.querySelector("svg")?.setAttribute("aria-hidden", "true");
    return drawn.view;
  } catch (error) {
    place.textContent = `This chart could not be drawn: ${error.message}`;
    console.error(error);
    return null;
  } finally {
    place.style.minHeight = "";
  }
};

// One chart after the other, so that the page answers its reader in between.
window.mtdf.drawCharts = async (root) => {
  for (const figure of root.querySelectorAll("figure[data-chart]")) {
    const specs = window.mtdf.data.charts[Number(figure.dataset.chart)];
    for (const [number, place] of figure.querySelectorAll(".panel").entries()) {
      if (place.isConnected) await window.mtdf.embed(place, specs[number]);
      await new Promise((resume) => { setTimeout(resume); });
    }
  }
};

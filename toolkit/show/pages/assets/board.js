"use strict";
// The board of a game, as its look says: viewer and player draw it.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const SQUARE = 45, EDGE = 8;

  const drawn = (name, attributes, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };

  // The pieces of one side in words, the most important first.
  const told = (look, squares, isWhite) => Object.entries(look.pieces)
    .filter(([, kind]) => kind.white === isWhite)
    .flatMap(([letter, kind]) => look.squares.filter((_, at) => squares[at] === letter).map((name) => `${kind.name} ${name}`))
    .join(", ");

  const patterns = {};
  const figure = (letter) => {
    if (!patterns[letter]) {
      const text = `<svg xmlns="${SVG}">${window.mtdfPieces[letter]}</svg>`;
      patterns[letter] = new DOMParser().parseFromString(text, "image/svg+xml").documentElement.firstElementChild;
      patterns[letter].removeAttribute("id");
    }
    return document.importNode(patterns[letter], true);
  };

  const disc = (kind) => {
    const side = kind.white ? "white" : "black", at = { cx: SQUARE / 2, cy: SQUARE / 2 };
    const parts = [drawn("circle", { class: `disc ${side}`, ...at, r: 15 })];
    if (kind.shape !== "disc") {
      parts.push(drawn("circle", { class: `crown ${side}`, ...at, r: 10.5 }));
      parts.push(drawn("text", { class: `crown ${side}`, x: at.cx, y: at.cy + 6 }, "K"));
    }
    return parts;
  };

  // `squares`: one letter a square; `marks`: places of the last move; `checked`: whether White's king
  // is in check (false: Black's; null: none).
  const drawBoard = (board, look, squares, { marks = [], checked = null, isFlipped = false, title }) => {
    const size = look.squares.length, rows = size / look.columns;
    const width = SQUARE * look.columns + 2 * EDGE, height = SQUARE * rows + 2 * EDGE;
    const parts = [drawn("rect", { class: "frame", width, height })], pieces = [];
    for (let shown = 0; shown < size; shown++) {
      const at = isFlipped ? size - 1 - shown : shown, name = look.squares[at], kind = look.pieces[squares[at]];
      const column = shown % look.columns, row = Math.floor(shown / look.columns);
      const x = EDGE + SQUARE * column, y = EDGE + SQUARE * row;
      const isDark = !look.checkered || (at % look.columns + Math.floor(at / look.columns)) % 2 === 1;
      const inCheck = kind?.name === "king" && kind.white === checked;
      const classes = ["square", look.checkered ? (isDark ? "dark" : "light") : "plain",
        marks.includes(at) ? "last" : "", inCheck ? "checked" : ""];
      parts.push(drawn("rect", { class: classes.join(" ").trim(), x, y, width: SQUARE, height: SQUARE }));
      const shade = isDark ? "on-dark" : "on-light";
      if (look.numbered ? name : column === 0) parts.push(drawn("text", { class: shade, x: x + 2, y: y + 10 }, look.numbered ? name : name.slice(1)));
      if (!look.numbered && row === rows - 1) parts.push(drawn("text", { class: shade, x: x + 38, y: y + 43 }, name[0]));
      if (!kind) continue;
      const place = drawn("g", { transform: `translate(${x} ${y})`, "data-square": name, "data-piece": squares[at] });
      place.append(...(kind.shape === "figure" ? [figure(squares[at])] : disc(kind)));
      pieces.push(place);
    }
    board.setAttribute("viewBox", `0 0 ${width} ${height}`);
    board.replaceChildren(...parts, ...pieces);
    board.setAttribute("aria-label", `${title}. White: ${told(look, squares, true)}. Black: ${told(look, squares, false)}.`);
  };

  Object.assign(window.mtdf, { drawn, drawBoard });
})();

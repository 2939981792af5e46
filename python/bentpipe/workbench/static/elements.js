// Elements of the page, made from what others wrote as text, never as HTML.

/** An element with attributes and children; attributes that are false or missing are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** Words whose names, such as HTTP/1.1, stay whole where a line ends. */
export const whole = (words) =>
  element(
    "span", {}, ...words.split(" ").flatMap((each, place) => [place ? " " : "", element("span", { class: "word" }, each)]),
  );

export const byId = (id) => document.getElementById(id);

/** A table with a caption, in a box that scrolls by itself where the page is narrow. */
export function table(caption, headings, rows) {
  const head = element("tr", {}, ...headings.map((each) => element("th", { scope: "col" }, each)));
  const body = rows.map(([first, ...others]) =>
    element("tr", {}, element("th", { scope: "row" }, first), ...others.map((each) => element("td", {}, each))),
  );
  const made = element(
    "table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body),
  );
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, made);
}

/** A number with its decimals and a true minus sign; a dash for none. */
export const number = (value, decimals) =>
  value == null ? "\u2013" : value.toFixed(decimals).replace("-", "\u2212");

/** The mark of a cell in figures: a short line of its colour and dash. */
export function mark({ colour, dash }) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 28 8");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", "M0 4H28");
  line.setAttribute("stroke", colour);
  line.setAttribute("stroke-width", "4");
  line.setAttribute("stroke-dasharray", dash.join(" "));
  svg.append(line);
  return svg;
}

/** The name of a cell with its mark. */
export const named = (cell) => element("span", { class: "named" }, mark(cell), cell.label);

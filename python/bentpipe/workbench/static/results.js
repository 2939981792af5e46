// A comparison as it comes: status, table, and the figures of each cell.

import { Appearance } from "./appearance.js";
import { Charts } from "./charts.js";
import { byId, element, named, number, table } from "./elements.js";

/** Shows the events of one comparison after the other; what is there stays until something newer comes. */
export class Results {
  constructor() {
    this.appearance = new Appearance();
    this.charts = new Charts();
  }

  /** A new comparison has been asked for. */
  begin() {
    byId("results").setAttribute("aria-busy", "true");
  }

  /** Nothing more comes: it was refused, or has ended early. What is there stays, and says how far it has come. */
  stop() {
    byId("results").setAttribute("aria-busy", "false");
  }

  take(event) {
    this[event.kind]?.(event);
  }

  plan(event) {
    this.event = event;
    this.hasEnded = false;
    this.ended = event.cells.map(() => []);
    this.pictures = event.cells.map(() => null);
    this.numbers = event.cells.map(() => null);
    this.failures = new Map();
    this.reasons = event.cells.map(() => "");
    this.done = 0;
  }

  run(event) {
    this.done += 1;
    if (event.plt_s != null) this.ended[event.cell].push(event.plt_s);
    this.reasons[event.cell] ||= event.words.join(" ");
    for (const words of event.words) {
      const key = `${this.event.cells[event.cell].label}: ${event.status}: ${words}`;
      this.failures.set(key, (this.failures.get(key) ?? 0) + 1);
    }
    byId("status").textContent = `${this.done} of ${this.event.runs} runs over ${this.event.path}.`;
    this.draw();
  }

  picture(event) {
    this.pictures[event.cell] = event;
    this.draw();
  }

  cell(event) {
    this.numbers[event.cell] = event;
    this.draw();
  }

  end(event) {
    this.hasEnded = true;
    const headline = this.event.quantities.find(({ metric }) => metric === this.event.headline);
    const measured = this.numbers
      .map((each, cell) => ({ cell, median: each?.rows.find(({ metric }) => metric === headline.metric)?.median }))
      .filter(({ median }) => median != null)
      .sort((a, b) => a.median - b.median);
    const best = measured.length
      ? ` Fastest: ${this.event.cells[measured[0].cell].label}, median ${number(measured[0].median, headline.decimals)} ${headline.unit}.`
      : " None has a page load time.";
    byId("status").textContent =
      `${event.runs} runs over ${this.event.path}, simulated in ${number(event.wall_s, 2)} s.${best}`;
    byId("results").setAttribute("aria-busy", "false");
    this.draw();
  }

  /** Draws at the next frame what has come until then. */
  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.drawNow();
    });
  }

  drawNow() {
    const { cells } = this.event;
    byId("table").replaceChildren(this.table());
    byId("failures").replaceChildren(...this.told());
    const shown = this.pictures.map((picture, place) => ({ ...cells[place], picture })).filter((each) => each.picture);
    // Pictures of the choice before stay until there is one of this, or there will be none.
    if (!shown.length && !this.hasEnded) return;
    for (const id of ["appearance", "over-time", "waterfalls"]) byId(id).hidden = !shown.length;
    if (!shown.length) {
      this.appearance.stop();
      byId("falls").replaceChildren();
      return;
    }
    this.appearance.show(shown);
    this.charts.show(shown);
    byId("falls").replaceChildren(...shown.map(waterfall), ...this.without());
  }

  /** In place of a picture why there is none. */
  without() {
    if (!this.hasEnded) return [];
    const missing = this.event.cells.map((cell, place) => ({ cell, place })).filter(({ place }) => !this.pictures[place]);
    return missing.map(({ cell, place }) =>
      element("li", {}, element("p", {}, named(cell)), `No run has succeeded: ${this.reasons[place]}`),
    );
  }

  table() {
    const { headline } = this.event;
    const rows = this.numbers.map((each) => new Map(each?.rows.map((row) => [row.metric, row])));
    // Of all quantities those that a cell has, and always the first.
    const columns = this.event.quantities.filter(
      ({ metric }) => metric === headline || rows.some((each) => each.has(metric)),
    );
    const headings = ["Scheme", "Runs", ...columns.map(({ label, unit }) => (unit ? `${label} in ${unit}` : label))];
    const body = this.event.cells.map((cell, place) => [
      named(cell),
      `${this.numbers[place]?.runs ?? this.ended[place].length} of ${this.event.runs / this.event.cells.length}`,
      ...columns.map(({ metric, decimals }) =>
        told(rows[place].get(metric), metric === headline ? this.ended[place] : [], decimals),
      ),
    ]);
    return table("Medians, with their 95 % intervals", headings, body);
  }

  told() {
    if (!this.failures.size) return [];
    const items = [...this.failures].map(([words, runs]) => element("li", {}, `${words} (${runs})`));
    return [element("h3", {}, "Runs without a number"), element("ul", { class: "failures" }, ...items)];
  }
}

/** A median with its interval, or the last of the values so far; both of so many decimals. */
function told(row, values, decimals) {
  if (row == null) return values.length ? `${number(values.at(-1), decimals)} \u2026` : "\u2013";
  const median = number(row.median, decimals);
  if (row.low == null) return median;
  const interval = `${number(row.low, decimals)} to ${number(row.high, decimals)}`;
  return element("span", {}, element("b", {}, median), ` (${interval})`);
}

function waterfall(cell) {
  const drawn = new DOMParser().parseFromString(cell.picture.waterfall, "image/svg+xml").documentElement;
  const which = cell.picture.is_median ? "median run" : "first run";
  return element("li", {}, element("p", {}, named(cell), ` ${which}`), document.importNode(drawn, true));
}

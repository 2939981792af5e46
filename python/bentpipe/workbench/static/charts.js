// Four figures over the same time: what has come of the page, what the link delivers, its queue, the windows.

import { byId, element, number } from "./elements.js";

const HEIGHT = 190;
const FIGURES = [
  { key: "complete", title: "Page complete in %", decimals: 0, isStepped: true },
  { key: "delivered", title: "Delivered by the link in Mbit/s", decimals: 2 },
  { key: "window", title: "Congestion windows of the origin in kB", decimals: 1, isStepped: true },
  { key: "queue", title: "Waiting in the link's queue in kB", decimals: 1 },
];

export class Charts {
  constructor() {
    this.plots = [];
    this.places = FIGURES.map(({ title }) => {
      const drawn = element("div", { role: "img" });
      const place = element("figure", {}, element("figcaption", {}, title), drawn);
      return { place, drawn };
    });
    byId("charts").append(...this.places.map(({ place }) => place));
    let width = 0;
    new ResizeObserver(() => {
      const now = this.places[0].place.clientWidth;
      if (now && now !== width) {
        width = now;
        for (const plot of this.plots) plot.setSize({ width, height: HEIGHT });
      }
    }).observe(byId("charts"));
  }

  /** Draws cells with their pictures. */
  show(cells) {
    for (const plot of this.plots) plot.destroy();
    const end = Math.max(...cells.map(({ picture }) => picture.end_s));
    const width = this.places[0].place.clientWidth || 320;
    this.plots = FIGURES.map((figure, place) => {
      const { drawn } = this.places[place];
      drawn.setAttribute("aria-label", described(figure, cells));
      return draw(figure, cells, { end, width, drawn });
    });
  }
}

function draw({ key, decimals, isStepped }, cells, { end, width, drawn }) {
  const lines = cells.map(({ picture }) => [picture[key].time_s, picture[key].value]);
  // What the figure has no value for between two instants of one line is no gap: other lines have instants there.
  const data = uPlot.join(lines.map((each) => (each[0].length ? each : [[0], [null]])));
  const options = {
    width,
    height: HEIGHT,
    cursor: { sync: { key: "load" }, points: { size: 6 } },
    legend: { live: true },
    scales: { x: { time: false, range: [0, end] }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
    axes: [
      { grid: { stroke: "#e3e3e3" }, values: (_, ticks) => ticks.map((each) => `${each} s`) },
      { grid: { stroke: "#e3e3e3" }, size: 52 },
    ],
    series: [
      { label: "Time", value: (_, value) => (value == null ? "\u2013" : `${number(value, 2)} s`) },
      ...cells.map(({ label, colour, dash }) => ({
        label,
        stroke: colour,
        width: 1.75,
        dash: [...dash],
        spanGaps: true,
        points: { show: false },
        paths: isStepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
        value: (_, value) => number(value, decimals),
      })),
    ],
  };
  return new uPlot(options, data, drawn);
}

function described({ key, title, decimals }, cells) {
  const told = cells.map(({ label, picture }) => {
    const values = picture[key].value.filter((each) => each != null);
    return `${label} up to ${values.length ? number(Math.max(...values), decimals) : "nothing"}`;
  });
  return `${title} over time: ${told.join(", ")}`;
}

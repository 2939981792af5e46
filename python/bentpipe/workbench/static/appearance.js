// The page as it appears: a box for each object of each cell, at an instant that a slider or the clock moves.

import { byId, element, named, number } from "./elements.js";

const WIDTH = 320;
const GAP = 2;
const LONGEST_PLAY_S = 10;
const STEPS = 1000;

export class Appearance {
  constructor() {
    this.cells = [];
    this.instant = byId("instant");
    this.isMoved = false;
    this.instant.addEventListener("input", () => {
      this.isMoved = true;
      this.draw();
    });
    byId("play").addEventListener("click", () => (this.playing ? this.stop() : this.play()));
  }

  /** Shows cells with their pictures; unless the slider was moved, the instant at which the fastest is complete. */
  show(cells) {
    const end = Math.max(...cells.map(({ picture }) => picture.end_s));
    if (end !== this.end && this.playing) this.stop();
    if (!this.isMoved) {
      const fastest = Math.min(...cells.map(({ picture }) => picture.end_s));
      this.instant.value = Math.round((STEPS * fastest) / end);
    }
    this.end = end;
    this.cells = cells.map((cell) => {
      const canvas = element("canvas", { role: "img" });
      const told = element("p", { class: "note" });
      return { ...cell, canvas, told, item: element("li", {}, element("p", {}, named(cell)), canvas, told) };
    });
    byId("boxes").replaceChildren(...this.cells.map(({ item }) => item));
    this.draw();
  }

  play() {
    const speed = Math.max(1, this.end / LONGEST_PLAY_S);
    const from = Number(this.instant.value) >= STEPS ? 0 : (Number(this.instant.value) / STEPS) * this.end;
    const began = performance.now();
    this.isMoved = true;
    byId("play").textContent = speed > 1 ? `Stop (${speed.toFixed(1)} times as fast)` : "Stop";
    byId("play").setAttribute("aria-pressed", "true");
    const step = (now) => {
      const at = from + ((now - began) / 1000) * speed;
      this.instant.value = Math.min(STEPS, (STEPS * at) / this.end);
      this.draw();
      if (at < this.end) this.playing = requestAnimationFrame(step);
      else this.stop();
    };
    this.playing = requestAnimationFrame(step);
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = null;
    byId("play").textContent = "Play";
    byId("play").setAttribute("aria-pressed", "false");
  }

  draw() {
    const at = (Number(this.instant.value) / STEPS) * this.end;
    const words = `${number(at, 2)} s`;
    byId("instant-told").textContent = words;
    this.instant.setAttribute("aria-valuetext", words);
    for (const cell of this.cells) drawCell(cell, at);
  }
}

function drawCell({ canvas, colour, label, picture, told }, at) {
  const { objects } = picture;
  const columns = Math.max(1, Math.ceil(Math.sqrt(objects.length * 1.8)));
  const size = WIDTH / columns;
  const lines = Math.max(1, Math.ceil(objects.length / columns));
  const sharp = devicePixelRatio || 1;
  canvas.width = WIDTH * sharp;
  canvas.height = Math.ceil(lines * size) * sharp;
  const pen = canvas.getContext("2d");
  pen.scale(sharp, sharp);
  const side = size - Math.min(GAP, size / 4);
  objects.forEach((object, place) => {
    drawObject(pen, object, at, { x: (place % columns) * size, y: Math.floor(place / columns) * size, side, colour });
  });
  const complete = objects.filter((each) => each.last_byte_s <= at);
  const all = objects.reduce((sum, each) => sum + each.bytes, 0);
  const share = all ? complete.reduce((sum, each) => sum + each.bytes, 0) / all : 0;
  const words = `${complete.length} of ${objects.length} objects, ${Math.round(100 * share)} % of the bytes`;
  told.textContent = `${words}; complete after ${number(picture.end_s, 2)} s`;
  canvas.setAttribute("aria-label", `${label} at ${number(at, 2)} s: ${words}`);
}

function drawObject(pen, object, at, { x, y, side, colour }) {
  const box = (share) => pen.fillRect(x, y + side * (1 - share), side, side * share);
  pen.fillStyle = "#f1f2f4";
  box(1);
  if (at < object.discovered_s) return;
  pen.strokeStyle = "#8a8f96";
  pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
  if (at < object.request_s) return;
  pen.fillStyle = colour;
  pen.globalAlpha = 0.3;
  box(1);
  pen.globalAlpha = 1;
  const length = object.last_byte_s - object.first_byte_s;
  const come = length > 0 ? (at - object.first_byte_s) / length : 1;
  if (at >= object.first_byte_s) box(Math.min(1, come));
}

// The form: what can be chosen, as the server offers it, and what is chosen, as the address has it.

import { byId, element } from "./elements.js";

const OWN = null; // as the link has it
const LOSS_PERCENT = [OWN, 0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20];
const RTT_MS = [OWN, 1, 5, 10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 1000, 1500, 2000];
const FIRST = "link=geo-alshagri&page=objects-500k-5k&http=h1&http=h2&http=h3&cc=cubic&repetitions=5&seed=1";

/** A slider over values that are not evenly spaced; the first is the link's own. */
class Slider {
  constructor(id, values, unit) {
    this.input = byId(id);
    this.told = byId(`${id}-told`);
    this.values = values;
    this.unit = unit;
    this.input.min = 0;
    this.input.addEventListener("input", () => this.tell());
  }

  get value() {
    return this.values[Number(this.input.value)];
  }

  set value(value) {
    const known = value == null || Number.isNaN(value) ? OWN : value;
    if (!this.values.includes(known)) {
      this.values = [OWN, ...[...this.values.slice(1), known].sort((a, b) => a - b)];
    }
    this.input.max = this.values.length - 1;
    this.input.value = this.values.indexOf(known);
    this.tell();
  }

  tell() {
    const words = this.value === OWN ? "as the link has it" : `${this.value} ${this.unit}`;
    this.told.textContent = words;
    this.input.setAttribute("aria-valuetext", words);
  }
}

/** The form, which tells `changed` of every change that makes another choice. */
export class ChoiceForm {
  constructor(offer, changed) {
    this.offer = offer;
    this.form = byId("choice");
    this.loss = new Slider("loss", LOSS_PERCENT, "%");
    this.rtt = new Slider("rtt", RTT_MS, "ms");
    const options = (names) => names.map(({ name, words }) => element("option", { value: name }, `${name}: ${words}`));
    byId("link").append(...options(offer.links));
    byId("page").append(...options(offer.pages));
    for (const key of ["http", "cc"]) {
      byId(key).append(
        ...offer[key].map(({ name, words }) =>
          element("label", {}, element("input", { type: "checkbox", name: key, value: name }), words),
        ),
      );
    }
    byId("repetitions").max = offer.most_repetitions;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      changed();
    });
    // Sliders at every step, all others when they have changed.
    this.form.addEventListener("input", ({ target }) => {
      if (target.type === "range") changed();
    });
    this.form.addEventListener("change", ({ target }) => {
      this.tell();
      if (target.type !== "range") changed();
    });
  }

  /** What is chosen, as the server's addresses have it. */
  get query() {
    const query = new URLSearchParams({ link: byId("link").value, page: byId("page").value });
    for (const key of ["http", "cc"]) {
      for (const box of byId(key).querySelectorAll("input:checked")) query.append(key, box.value);
    }
    if (this.loss.value !== OWN) query.set("loss_percent", this.loss.value);
    if (this.rtt.value !== OWN) query.set("rtt_ms", this.rtt.value);
    for (const key of ["repetitions", "seed"]) query.set(key, byId(key).value);
    return query;
  }

  /** Shows a choice; what it does not say is as at first. */
  set query(given) {
    const first = new URLSearchParams(FIRST);
    const all = (key) => (given.has(key) ? given : first).getAll(key);
    for (const key of ["link", "page", "repetitions", "seed"]) byId(key).value = all(key)[0];
    for (const key of ["http", "cc"]) {
      for (const box of byId(key).querySelectorAll("input")) box.checked = all(key).includes(box.value);
    }
    const value = (key) => (given.has(key) ? Number(given.get(key)) : OWN);
    this.loss.value = value("loss_percent");
    this.rtt.value = value("rtt_ms");
    this.tell();
  }

  /** Why nothing can be measured as it is; empty where it can. */
  get lack() {
    const count = (key) => byId(key).querySelectorAll("input:checked").length;
    if (!count("http")) return "Choose a protocol.";
    if (!count("cc")) return "Choose a congestion control.";
    const cells = count("http") * count("cc");
    const most = this.offer.most_cells;
    if (cells > most) return `At most ${most} combinations stand side by side; these are ${cells}.`;
    return this.form.checkValidity() ? "" : "Repetitions and seed are whole numbers within their bounds.";
  }

  tell() {
    const link = this.offer.links.find(({ name }) => name === byId("link").value);
    byId("link-words").textContent = link ? `Round trip of its own: ${link.rtt}.` : "";
    byId("rtt-note").textContent = link?.moves ? "Satellites that move add their own to it." : "";
  }
}

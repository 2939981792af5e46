// The form: what can be chosen, as the server offers it, and what is chosen, as the address has it.

import { byId, element, whole } from "./elements.js";

const OWN = null; // as the link has it
// Stops of the sliders, as far as the server offers them.
const LOSS_PERCENT = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20];
const RTT_MS = [1, 5, 10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 1000, 1500, 2000];
// The elements of the keys of a choice.
const FIELDS = {
  link: "link",
  page: "page",
  http: "http",
  cc: "cc",
  loss_percent: "loss",
  rtt_ms: "rtt",
  repetitions: "repetitions",
  seed: "seed",
};

/** What a number of these bounds is called. */
const called = ({ least, most, decimals }) =>
  decimals
    ? `a number from ${least} to ${most}, of ${decimals} decimals at most`
    : `a whole number from ${least} to ${most}`;

/** The number that a text of an address is, as the server reads it; null where it is none of these bounds. */
function numberOf(text, { least, most, decimals }) {
  const whole = `\\d{1,${String(Math.trunc(most)).length}}`;
  const form = new RegExp(decimals ? `^${whole}(\\.\\d{1,${decimals}})?$` : `^${whole}$`);
  return form.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null;
}

/** A slider over values that are not evenly spaced; the first is the link's own. */
class Slider {
  constructor(id, values, { least, most }, unit) {
    this.input = byId(id);
    this.told = byId(`${id}-told`);
    this.values = [OWN, ...values.filter((each) => each >= least && each <= most)];
    this.unit = unit;
    this.input.min = 0;
    this.input.addEventListener("input", () => this.tell());
  }

  get value() {
    return this.values[Number(this.input.value)];
  }

  set value(value) {
    if (!this.values.includes(value)) {
      this.values = [OWN, ...[...this.values.slice(1), value].sort((a, b) => a - b)];
    }
    this.input.max = this.values.length - 1;
    this.input.value = this.values.indexOf(value);
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
    this.loss = new Slider("loss", LOSS_PERCENT, offer.bounds.loss_percent, "%");
    this.rtt = new Slider("rtt", RTT_MS, offer.bounds.rtt_ms, "ms");
    const options = (names) => names.map(({ name, words }) => element("option", { value: name }, `${name}: ${words}`));
    byId("link").append(...options(offer.links));
    byId("page").append(...options(offer.pages));
    for (const key of ["http", "cc"]) {
      byId(key).append(
        ...offer[key].map(({ name, words }) =>
          element("label", {}, element("input", { type: "checkbox", name: key, value: name }), whole(words)),
        ),
      );
    }
    for (const key of ["repetitions", "seed"]) {
      byId(key).min = offer.bounds[key].least;
      byId(key).max = offer.bounds[key].most;
    }
    for (const id of Object.values(FIELDS)) byId(id).setAttribute("aria-describedby", `${id}-fault`);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      // What stands in the form is meant, whatever the address has said.
      this.forgive();
      changed();
    });
    // Sliders at every step, all others when they have changed.
    this.form.addEventListener("input", ({ target }) => {
      this.forgive(target.name || target.id);
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

  /** Shows a choice; what it does not say, or what cannot be chosen, is as at first, and the latter is told. */
  set query(given) {
    this.forgive();
    const { first } = this.offer;
    for (const key of ["link", "page"]) {
      const names = this.offer[`${key}s`].map(({ name }) => name);
      const read = (text) => (names.includes(text) ? text : null);
      byId(key).value = this.of(given, key, read, "a name of the list", first[key]);
    }
    for (const key of ["http", "cc"]) {
      const known = this.offer[key].map(({ name }) => name);
      const chosen = given.has(key) ? given.getAll(key) : first[key];
      const strange = chosen.filter((each) => !known.includes(each));
      if (strange.length) {
        this.complain(key, `expected some of ${known.join(", ")}, found ${JSON.stringify(strange[0])}`);
      }
      for (const box of byId(key).querySelectorAll("input")) box.checked = chosen.includes(box.value);
    }
    for (const [key, bounds] of Object.entries(this.offer.bounds)) {
      const value = this.of(given, key, (text) => numberOf(text, bounds), called(bounds), first[key]);
      if (key === "loss_percent") this.loss.value = value;
      else if (key === "rtt_ms") this.rtt.value = value;
      else byId(key).value = value;
    }
    this.tell();
  }

  /** The value of a key of an address, read from its text; where that is none it is told, and another one taken. */
  of(given, key, read, expected, otherwise) {
    if (!given.has(key)) return otherwise;
    const texts = given.getAll(key);
    const value = texts.length === 1 ? read(texts[0]) : null;
    if (value != null) return value;
    const found = texts.length === 1 ? JSON.stringify(texts[0]) : `${texts.length} of them`;
    this.complain(key, `expected ${expected}, found ${found}`);
    return otherwise;
  }

  /** Says at a field what is wrong with it; false where there is no such field. */
  complain(key, words) {
    const id = FIELDS[key];
    if (!id) return false;
    byId(`${id}-fault`).textContent = words;
    // Groups of boxes have no such state.
    if (!byId(id).matches(".boxes")) byId(id).setAttribute("aria-invalid", "true");
    return true;
  }

  /** Takes back what was said of a field, by its key or its element; without one of all. */
  forgive(name) {
    for (const [key, id] of Object.entries(FIELDS)) {
      if (name !== undefined && name !== key && name !== id) continue;
      byId(`${id}-fault`).textContent = "";
      byId(id).removeAttribute("aria-invalid");
    }
  }

  /** Why nothing can be measured as it is; empty where it can. */
  get lack() {
    const faulty = Object.values(FIELDS).some((id) => byId(`${id}-fault`).textContent);
    if (faulty) return "This cannot be measured; what is wrong stands at its field.";
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

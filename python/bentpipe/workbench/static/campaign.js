// A campaign that is being measured: how far it is, what has no number and why, and first results.

import { byId, element, number, table } from "./elements.js";
import { events } from "./server.js";

const AGAIN_MS = 3000;

/** What is shown of each part, as text: what has not changed is not drawn anew, nor read out again. */
const shown = new Map();

function replace(id, what, made) {
  const written = JSON.stringify(what);
  if (shown.get(id) === written) return;
  shown.set(id, written);
  byId(id).replaceChildren(...made());
}

/** Shows the campaign as long as the page is open; after an interruption it is asked for again. */
export async function watch() {
  byId("campaign").hidden = false;
  for (;;) {
    try {
      for await (const state of events("campaign")) show(state);
    } catch (error) {
      replace("campaign-counts", error.message, () => [error.message]);
    }
    await new Promise((go) => setTimeout(go, AGAIN_MS));
  }
}

function show(state) {
  const ended = state.succeeded + state.failed + state.invalid;
  byId("campaign-title").textContent = `Campaign: ${state.title}`;
  byId("campaign-what").textContent = `${state.name}, ${state.engine} engine, folder ${state.folder}`;
  const bar = byId("campaign-progress");
  bar.max = Math.max(1, state.planned);
  bar.value = ended;
  document.title = `${Math.floor((100 * ended) / bar.max)} % of ${state.name} \u2013 Bentpipe workbench`;
  const counts = [
    `${ended} of ${state.planned} runs: ${state.succeeded} succeeded, ${state.failed} failed, ${state.invalid} invalid.`,
    `${state.attempts} attempts.`,
    state.runs_per_s ? `${number(state.runs_per_s, state.runs_per_s < 10 ? 1 : 0)} runs a second.` : "",
    state.remaining_s && ended < state.planned ? `About ${duration(state.remaining_s)} left.` : "",
    state.problem ? `The folder cannot be read now: ${state.problem}` : "",
  ].join(" ");
  replace("campaign-counts", counts, () => [counts]);
  replace("campaign-rejected", state.rejected, () => rejected(state));
  replace("campaign-cells", [state.cells, state.further_cells], () => cells(state));
}

function rejected({ rejected: kinds }) {
  if (!kinds.length) return [];
  const rows = kinds.map(({ status, runs, words }) => [status, `${runs}`, words.join(" ")]);
  return [table("Runs without a number", ["Status", "Runs", "Why, of one of them"], rows)];
}

function cells({ cells: all, further_cells: further }) {
  if (!all.length) return [];
  const rows = all.map((cell) => [
    cell.label,
    `${cell.succeeded}`,
    cell.failed + cell.invalid ? `${cell.failed} failed, ${cell.invalid} invalid` : "\u2013",
    mean(cell),
  ]);
  const headings = ["Cell", "Succeeded", "Without a number", "Mean so far (95 % interval)"];
  const made = [table("First results", headings, rows)];
  if (further) made.push(element("p", { class: "note" }, `${further} further cells: bentpipe show has them all.`));
  return made;
}

function mean({ quantity, unit, decimals, mean: value, low, high }) {
  if (value == null) return "\u2013";
  const interval = low == null ? "" : ` (${number(low, decimals)} to ${number(high, decimals)})`;
  return `${quantity} ${number(value, decimals)}${interval}${unit ? ` ${unit}` : ""}`;
}

function duration(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`;
  return `${number(seconds / 3600, 1)} h`;
}

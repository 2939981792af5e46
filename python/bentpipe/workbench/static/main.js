// The page: its token, its choice in the address, and one comparison at a time.

import { watch } from "./campaign.js";
import { ChoiceForm } from "./choice.js";
import { byId, element } from "./elements.js";
import { Results } from "./results.js";
import { ask, comparison, events, keepToken, Refused } from "./server.js";

// For which a slider may move on before what it says is measured.
const SETTLING_MS = 60;
const SAID_MS = 4000;

/** What stands in the address: the token, which is kept and taken out, and a choice. */
function address() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token) keepToken(token);
  given.delete("token");
  history.replaceState(null, "", given.size ? `#${given}` : location.pathname);
  return given;
}

function problem(words) {
  byId("problem").textContent = words;
  byId("problem").hidden = !words;
}

class Workbench {
  constructor(offer) {
    this.results = new Results();
    this.form = new ChoiceForm(offer, () => this.settle());
    byId("save").addEventListener("click", () => this.save());
    byId("copy").addEventListener("click", () => this.copy());
    byId("skip").addEventListener("click", (event) => {
      // The fragment is the choice.
      event.preventDefault();
      byId("results").focus();
    });
    addEventListener("hashchange", () => this.read());
  }

  /** Takes the choice of the address, and measures it. */
  read() {
    this.form.query = address();
    this.measure();
  }

  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.measure(), SETTLING_MS);
  }

  async measure() {
    clearTimeout(this.settling);
    this.stop?.abort();
    // What the server has refused may be right beside what is chosen now.
    if (this.refused) this.form.forgive(this.refused);
    this.refused = null;
    const { lack, query } = this.form;
    problem(lack);
    if (lack) {
      this.results.stop();
      return;
    }
    history.replaceState(null, "", `#${query}`);
    const stop = (this.stop = new AbortController());
    this.results.begin();
    try {
      for await (const event of events(comparison(query), { signal: stop.signal, last: "end" })) {
        if (stop.signal.aborted) return;
        this.results.take(event);
      }
    } catch (error) {
      if (stop.signal.aborted) return;
      this.results.stop();
      if (!(error instanceof Refused)) throw error;
      this.refuse(error);
    }
  }

  /** Tells what the server refuses, at the field that it is about. */
  refuse({ key, words, message }) {
    if (this.form.complain(key, words)) this.refused = key;
    problem(message);
  }

  async save() {
    try {
      const text = await (await ask(`scenario.toml?${this.form.query}`)).text();
      const url = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
      element("a", { href: url, download: "workbench.toml" }).click();
      setTimeout(() => URL.revokeObjectURL(url), SAID_MS);
      this.say("Saved as workbench.toml, for `bentpipe run workbench.toml`.");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refuse(error);
    }
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("Copied, without the token.");
    } catch {
      this.say(`The address is ${location.href}`);
    }
  }

  say(words) {
    byId("copied").textContent = words;
  }
}

async function start() {
  const given = address();
  const offer = await (await ask("offer")).json();
  byId("version").textContent = `Bentpipe ${offer.version}, in virtual time on this machine`;
  if (offer.watches) watch();
  const workbench = new Workbench(offer);
  workbench.form.query = given;
  workbench.measure();
}

start().catch((error) => problem(error.message));

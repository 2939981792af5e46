// What the server says: documents, and streams of events. The token stays in this tab.

const KEPT = "bentpipe-token";
// A stream says every 15 s that it is alive (HEARTBEAT_S of app.py).
const LONGEST_SILENCE_MS = 60_000;
const CUT_SHORT = "The connection to the server is lost, and what is here is not all. Has the server ended?";
const tab = crypto.randomUUID?.() ?? `${Math.random()}`;

/** An answer that is none, with the key of the choice that is wrong, if it is one. */
export class Refused extends Error {
  constructor({ key = "", words }) {
    super(key ? `${key}: ${words}` : words);
    this.key = key;
    this.words = words;
  }
}

/** Keeps the token of an address for this tab. */
export function keepToken(token) {
  sessionStorage.setItem(KEPT, token);
}

/** The answer to a request; throws what the server refuses. */
export async function ask(path, { signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      headers: { Authorization: `Bearer ${sessionStorage.getItem(KEPT) ?? ""}` },
      cache: "no-store",
      credentials: "omit",
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ words: "The server does not answer. Has it ended?" });
  }
  if (!response.ok) {
    const said = await response.json().catch(() => ({ words: `The server answers with status ${response.status}.` }));
    throw new Refused(said);
  }
  return response;
}

/** What a reader comes to; throws where the connection is lost, or nothing comes for long. */
async function next(reader, signal) {
  let timer;
  const silence = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error("silence")), LONGEST_SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    if (signal?.aborted) throw error;
    reader.cancel().catch(() => {});
    throw new Refused({ words: CUT_SHORT });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The events of a stream (server-sent events, read by fetch, for only that sends the token); throws where it ends
 * before an event of the kind `last`. A stream without one, as a campaign's, goes on for ever: its every end throws.
 */
export async function* events(path, { signal, last } = {}) {
  const response = await ask(path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let kind = null;
  for (;;) {
    const { done, value } = await next(reader, signal);
    if (done) {
      const isWhole = last !== undefined && kind === last;
      if (isWhole || signal?.aborted) return;
      throw new Refused({ words: CUT_SHORT });
    }
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      if (!part.startsWith("data: ")) continue;
      const event = JSON.parse(part.slice("data: ".length));
      ({ kind } = event);
      yield event;
    }
  }
}

/** The address of a comparison; a newer one of this tab takes the place of an older one. */
export const comparison = (choice) => `comparison?${choice}&tab=${tab}`;

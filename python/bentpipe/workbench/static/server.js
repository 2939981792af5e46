// What the server says: documents, and streams of events. The token stays in this tab.

const KEPT = "bentpipe-token";
const tab = crypto.randomUUID?.() ?? `${Math.random()}`;

/** An answer that is none, with the key of the choice that is wrong, if it is one. */
export class Refused extends Error {
  constructor({ key = "", words }) {
    super(key ? `${key}: ${words}` : words);
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
  if (!response.ok) throw new Refused(await response.json());
  return response;
}

/** The events of a stream (server-sent events, read by fetch, for only that sends the token). */
export async function* events(path, { signal } = {}) {
  const response = await ask(path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      if (part.startsWith("data: ")) yield JSON.parse(part.slice("data: ".length));
    }
  }
}

/** The address of a comparison; a newer one of this tab takes the place of an older one. */
export const comparison = (choice) => `comparison?${choice}&tab=${tab}`;

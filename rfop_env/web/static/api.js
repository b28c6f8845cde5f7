// Requests to the server; rfop_env/web/protocol.py describes them.
import { store } from "./store.js";

export const address = new URLSearchParams(location.search);
const token = address.get("token") ?? "";

// An answer to an earlier viewer's request, which the present one must not see.
export class LateAnswer extends Error {}

export async function ask(path, body) {
  const headers = { "X-Token": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const { signal } = store.view.requests;
  const request = { method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body), signal };
  let response, answer;
  try {
    response = await fetch(path, request);
    answer = await response.json();
  } catch {
    if (!signal.aborted) throw new Error("the server does not answer: is 'rfop serve' still running?");
  }
  if (signal.aborted) throw new LateAnswer();
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error), { state: answer.state });
}

// A request on the game on the table.
export const askGame = (path = "", body) => ask(`api/games/${store.view.state.id}${path}`, body);

// The link of the page, with more entries.
export const pageLink = (entries) => `?${new URLSearchParams({ token, ...entries })}`;

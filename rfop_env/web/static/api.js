// Requests to the server, or to what stands in for it; rfop_env/web/protocol.py describes them.
import { store } from "./store.js";

export const address = () => new URLSearchParams(location.search);
export const SILENCE = "the server does not answer: is 'rfop serve' still running?";
const PHONE = 640, TALL = 860; // pixels: narrower places have another layout
const study = address().get("study"); // the token of a study, also in the address of its games
const token = address().get("token") ?? study ?? "";

// An answer to an earlier viewer's request, which the present one must not see.
export class LateAnswer extends Error {}

let engine = askServer; // who answers: (path, body, signal) -> the answer, or an Error with the present state

export function useEngine(answer) {
  engine = answer;
}

// The layout and the palette of the board for its place and the colours of the page.
export function boardLook() {
  const width = document.getElementById("frame")?.clientWidth || innerWidth, wide = width < TALL ? "tall" : "wide";
  const palette = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return { layout: width < PHONE ? "phone" : wide, palette };
}

export async function ask(path, body) {
  const { signal } = store.view.requests;
  try {
    const { layout, palette } = boardLook(), look = `layout=${layout}&palette=${palette}`;
    const answer = await engine(`${path}${path.includes("?") ? "&" : "?"}${look}`, body, signal);
    if (!signal.aborted) return answer;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new LateAnswer();
}

async function askServer(path, body, signal) {
  const headers = { "X-Token": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request = { method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body), signal };
  let response, answer;
  try {
    response = await fetch(path, request);
    answer = await response.json();
  } catch {
    throw new Error(SILENCE);
  }
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error), { state: answer.state });
}

// A request on the game on the table.
export const askGame = (path = "", body) => ask(`api/games/${store.view.state.id}${path}`, body);

// The link of the page, with more entries; a game of a study keeps the way back to it.
export const pageLink = (entries) => `?${new URLSearchParams({ token, ...(study ? { study, code: address().get("code") } : {}), ...entries })}`;

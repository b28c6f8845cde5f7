// The page without a server: its engine is a worker, whose code and content stand in the page.
import { useEngine } from "./api.js";
import { unpack } from "./dom.js";
import { attempt, renew } from "./game.js";
import { keptGames } from "./kept.js";
import { run } from "./page.js";

async function begin() {
  if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
    throw new Error("this browser has no WebAssembly: play in a newer one");
  }
  const parts = {};
  for (const part of document.querySelectorAll("script[data-part]")) parts[part.dataset.part] = await unpack(part.textContent);
  const address = URL.createObjectURL(new Blob([parts["engine.js"]], { type: "text/javascript" }));
  const worker = new Worker(address), open = new Map();
  let count = 0;

  const { description } = JSON.parse(new TextDecoder().decode(parts["content.json"])), kept = keptGames(description);

  worker.onmessage = ({ data: { number, answer, error, state, changed } }) => {
    kept.keep(changed ?? []);
    const { resolve, reject } = open.get(number);
    open.delete(number);
    if (error === undefined) resolve(answer);
    else reject(Object.assign(new Error(error), { state }));
  };
  worker.onerror = ({ message }) => {
    for (const { reject } of open.values()) reject(new Error(`the game cannot be loaded: ${message ?? "its code is damaged"}`));
  };
  const post = (message) => new Promise((resolve, reject) => {
    open.set(++count, { resolve, reject });
    worker.postMessage({ number: count, ...message });
  });

  await post({ parts, base: location.href, kept: kept.texts() });
  useEngine(async (path, body) => {
    const answer = await post({ path, body }), closed = /^api\/games\/([^/]+)\/close\b/.exec(path);
    if (closed) kept.forget(closed[1]);
    return answer;
  });
  document.documentElement.dataset.local = true; // hides what needs a server
  run();
  addEventListener("storage", ({ key }) => kept.isGame(key) && attempt(() => renew(kept.texts()))); // of another tab
}

begin().catch(({ message }) => {
  document.body.append(Object.assign(document.createElement("p"), { id: "error", role: "alert", textContent: message }));
});

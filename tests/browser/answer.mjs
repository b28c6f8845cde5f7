// Answers questions to a scene: `node answer.mjs SOURCE` reads a JSON list of them and writes {milliseconds, answers}.

import fs from "node:fs";
import { loadMicroPython } from "../../rfop_env/browser/static/micropython/micropython.mjs";

async function loadScene(source) {
  const python = await loadMicroPython({ pystack: 16 * 1024, heapsize: 8 * 1024 * 1024 });
  python.runPython(source);
  const answer = python.globals.get("scene").answer;
  return (question) => {
    const text = answer(JSON.stringify(question));
    return question.ask === "picture" ? text : JSON.parse(text);
  };
}

const milliseconds = [];

async function timed(work) {
  const start = performance.now();
  const result = await work();
  milliseconds.push(performance.now() - start);
  return result;
}

try {
  const questions = JSON.parse(fs.readFileSync(0, "utf8"));
  const scene = await timed(() => loadScene(fs.readFileSync(process.argv[2], "utf8")));
  const answers = [];
  for (const question of questions) answers.push(await timed(() => scene(question)));
  fs.writeFileSync(1, JSON.stringify({ milliseconds, answers }));
} catch (error) {
  fs.writeFileSync(2, String(error.message ?? error)); // without the line of the source, which is the whole file
  process.exitCode = 1;
}

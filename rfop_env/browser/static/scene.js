// The drawings and sentences of a game, by the Python of this package (rfop_env/browser/scene.py) in MicroPython.

import { loadMicroPython } from "./micropython/micropython.mjs";

const PYSTACK = 16 * 1024; // words: calls and long displays of constants
const HEAP = 8 * 1024 * 1024; // bytes at first

// The function that answers questions to `Scene.answer`, from the text of `scene_source`. Only the last one that was made
// answers: MicroPython's glue holds its interpreter in a global variable.
export async function loadScene(source) {
  const python = await loadMicroPython({ pystack: PYSTACK, heapsize: HEAP });
  python.runPython(source);
  const answer = python.globals.get("scene").answer;
  return (question) => {
    const text = answer(JSON.stringify(question));
    return question.ask === "picture" ? text : JSON.parse(text);
  };
}

// A guided first game: a hint above the first decision of a kind, as `guide.toml` of the game has them.
import { $ } from "./dom.js";
import { saveSetting, setting, store } from "./store.js";

// Show the first hint that fits the decision and has not been read.
export function showLesson() {
  const { state, guide } = store.view, seat = `${state.id} ${state.viewer}`;
  if (!store.lessons.has(seat)) store.lessons.set(seat, new Set());
  const read = store.lessons.get(seat), kinds = new Set(state.actions.map(({ kind }) => kind));
  const next = setting("guide", "") === "" ? -1 : guide.hints.findIndex((hint, k) => !read.has(k) && hint.kinds.some((kind) => kinds.has(kind)));
  const leaves = $("lesson").contains(document.activeElement);
  $("lesson").hidden = next < 0;
  $("lesson-text").textContent = next < 0 ? "" : guide.hints[next].text;
  if (next >= 0) read.add(next);
  else if (leaves) $("question").focus();
}

export function endLessons() {
  saveSetting("guide", "");
  showLesson();
}

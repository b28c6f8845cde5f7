// The focus stays where it was when parts of the table are made anew.
import { $ } from "./dom.js";
import { store } from "./store.js";

// Remember what has the focus; the function that is returned gives it to what has taken its place, once there is something.
export function keepFocus() {
  const { view } = store, element = document.activeElement;
  if (element !== document.body) Object.assign(view, { lost: place(element), inSight: isInSight(element) });
  return () => {
    if (document.activeElement !== document.body) return;
    const next = successor(view.lost);
    next?.focus({ preventScroll: true });
    if (view.inSight) next?.scrollIntoView({ block: "nearest" }); // whoever has scrolled away is left there
  };
}

function isInSight(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

const title = (part) => part.querySelector(":scope > title")?.textContent ?? "";

function place(element) {
  if ($("board").contains(element)) return { title: title(element).split(":")[0] };
  const region = ["actions", "news", "log", "hints", "lesson", "choices"].find((id) => $(id).contains(element));
  return region ? { region, moment: element.dataset.moment } : { id: element.id };
}

function successor({ title: name, region, moment, id }) {
  const parts = [...$("board").querySelectorAll("[tabindex]")];
  if (name !== undefined) {
    const part = parts.find((part) => title(part).split(":")[0] === name);
    return part ?? (store.view.at === null ? successor({ region: "actions" }) : null); // a past board offers nothing
  }
  if (id === "question") return [$(id), $("look-back")].find((element) => element.checkVisibility());
  if (id !== undefined) return id ? $(id) : null;
  if (moment !== undefined) return $(region).querySelector(`[data-moment="${moment}"]`);
  const button = [...$("actions").querySelectorAll("button")].find((action) => action.checkVisibility());
  return button ?? parts.find((part) => part.dataset.action) ?? $("look-back"); // of the end, which is hidden before
}

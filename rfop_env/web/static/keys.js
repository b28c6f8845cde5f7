// The keyboard.
import { closeChoices } from "./choices.js";
import { $ } from "./dom.js";
import { attempt, goTo, hint, pause, shownMoment, undo } from "./game.js";
import { closeNote } from "./notes.js";
import { openRules } from "./drawer.js";
import { store } from "./store.js";

const TYPING = 900; // milliseconds between the digits of a number

// The keys that a control needs for itself while it has the focus.
const OWN_KEYS = [
  ["input:not([type=range]), select, textarea", /^/],
  ["input[type=range]", /^(Arrow|Home|End|Page)/],
  ["button, summary, [role=button]", /^( |Enter)$/],
];

export const needsKey = (element, key) => OWN_KEYS.some(([kind, keys]) => element.matches(kind) && keys.test(key));

export function pressKey(event) {
  const { state } = store.view, { key } = event;
  if (!state || $("rules").open || event.ctrlKey || event.metaKey || event.altKey || needsKey(event.target, key)) return;
  const keys = {
    ArrowDown: () => moveFocus(1),
    ArrowUp: () => moveFocus(-1),
    ArrowLeft: () => attempt(() => goTo(shownMoment() - 1)),
    ArrowRight: () => attempt(() => goTo(shownMoment() + 1)),
    Escape: leave,
    "?": openRules,
    u: () => attempt(undo),
    h: () => attempt(hint),
    ...($("watch").hidden ? {} : { " ": pause }),
  };
  const work = keys[key] ?? (/^\d$/.test(key) ? () => typeNumber(key) : null);
  if (!work) return;
  event.preventDefault();
  work();
}

// Close what lies over the board, or else go back to now.
function leave() {
  const note = closeNote(), { state, at } = store.view;
  if (!$("choices").hidden) closeChoices();
  else if (!note || at !== null) attempt(() => goTo(state.moment));
}

const actionButtons = () => [...$("actions").querySelectorAll("button")];

function moveFocus(by) {
  const choices = [...$("choices").querySelectorAll("button")], visible = actionButtons().filter((button) => button.checkVisibility());
  const buttons = choices.length ? choices : visible.length ? visible : [...$("board").querySelectorAll("[data-action]")];
  const target = buttons.indexOf(document.activeElement) + by;
  buttons.at(target < 0 ? -1 : target % buttons.length)?.focus();
}

// Digits that follow each other quickly are one number; of a number without an action the last digit counts.
function typeNumber(digit) {
  const { view } = store, buttons = actionButtons();
  view.digits = Date.now() - view.digitsAt < TYPING ? view.digits + digit : digit;
  view.digitsAt = Date.now();
  if (!buttons[Number(view.digits) - 1]) view.digits = digit;
  const button = buttons[Number(view.digits) - 1], list = button?.closest("details");
  if (list) list.open = true;
  button?.focus();
}

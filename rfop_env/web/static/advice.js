// Hints, and the values of the game: a bar for the moment on the board, a curve for all.
import { actionParts, light } from "./board.js";
import { $, make, makeButton, sentenceCase, signed } from "./dom.js";
import { act, attempt, shownMoment } from "./game.js";
import { store } from "./store.js";
import { drawCurve } from "./timeline.js";

const PREPARING = "Searches of this game are still being compiled: on first use that takes about a minute.";

export function showAdvisers() {
  $("hinter").value = store.view.hinter;
  $("reviewer").value = store.view.review.program || store.view.hinter;
  $("judge").value = store.view.judge;
}

// -- hints ---------------------------------------------------------------------------------------------------------

export function showAdvice() {
  const { advice, state } = store.view;
  $("hints").hidden = advice === null;
  if (advice === null) return;
  if (!advice.best) return $("hints").replaceChildren(make("p", `${advice.program} is thinking … ${state.preparing ? PREPARING : ""}`));

  const heading = make("h2", `${advice.program} would play`), list = make("ol");
  if (advice.value !== null) heading.append(make("small", ` and expects ${signed(advice.value)}`));
  list.append(...advice.best.map(hintRow));
  $("hints").replaceChildren(heading, list);
}

function hintRow(action) {
  const row = make("li"), button = makeButton(sentenceCase(action.sentence), { title: action.label });
  button.onclick = () => attempt(() => act(action.id));
  light(button, $("board"), () => actionParts($("board"), action.id));
  row.append(button, make("small", figures(action)));
  return row;
}

function figures({ visits, value, prob }) {
  const words = [];
  if (visits !== null) words.push(`tried ${visits} times`);
  if (value !== null) words.push(`value ${signed(value)}`);
  if (prob !== null) words.push(`probability ${(100 * prob).toFixed(1)} %`);
  return words.length ? ` ${words.join(", ")}` : "";
}

// -- values --------------------------------------------------------------------------------------------------------

export function showValues() {
  const { state, values, judge } = store.view, visible = judge !== "" && state.curtain === null;
  $("meter").hidden = !visible;
  $("curve").toggleAttribute("hidden", !visible); // an SVG element has no `hidden` of its own
  if (!visible) return;

  const moment = shownMoment(), seat = state.viewer ?? 0;
  const points = valuesFor(seat, state.seats.length, values), latest = points.findLast(([k]) => k <= moment);
  const fill = latest ? Math.max(-1, Math.min(1, latest[1])) : 0;
  $("meter-fill").style.width = `${50 + 50 * fill}%`;
  $("meter-words").textContent = latest ? `${signed(latest[1])} for ${state.seats[seat].name} (${judge}, moment ${latest[0]})` : "no value yet";
  drawCurve($("curve"), points, moment, state.moment);
}

// Values for a seat as [moment, value]. Of two seats, what one gains the other loses; of more, each has its own values.
function valuesFor(seat, players, values) {
  const own = [...values].filter(([, value]) => players <= 2 || value.seat === seat);
  own.sort(([a], [b]) => a - b);
  return own.map(([k, { seat: decider, value }]) => [k, players === 2 && decider !== seat ? -value : value]);
}

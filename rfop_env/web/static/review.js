// The review of a game that is over: each decision judged by a program, the mistakes, and a second try at each.
import { markBest } from "./board.js";
import { $, make, makeButton, sentenceCase, signed } from "./dom.js";
import { LateAnswer, askGame } from "./api.js";
import { PERSON, attempt, fork, goTo, look, shownMoment, take, tell } from "./game.js";
import { players } from "./news.js";
import { store } from "./store.js";
import { markMoment, pointsChart, pointsTable, sideSigns } from "./timeline.js";

const PHASES = ["first", "second", "last"]; // thirds of the game

export function showReview() {
  const { state, review } = store.view, rows = [...review.rows.values()];
  $("review-box").hidden = !state.over || state.curtain !== null;
  $("review").textContent = review.running ? "Stop" : "Review the game";
  const count = state.deciders.length - 1;
  $("review-progress").textContent = rows.length ? `${rows.length} of ${count} decisions` : "";
  $("review-progress").hidden = !rows.length;
  const mistakes = rows.filter(({ verdict }) => verdict).sort((a, b) => a.moment - b.moment);
  $("mistakes").replaceChildren(...mistakes.map(mistakeRow));
  $("accuracy").replaceChildren(...(rows.length ? accuracyTable(rows, count) : []));
  showBest();
}

// The points of each side by source over the game: a chart of each source, and all in a table.
export function showPoints({ points }) {
  $("points").hidden = points === null;
  if (points === null) return;
  const go = (moment) => attempt(() => goTo(moment));
  $("points-sides").replaceChildren(...sideSigns(points));
  $("points-charts").replaceChildren(...points.sources.flatMap((_, k) => pointsChart(points, k, go)));
  $("points-table").replaceChildren(...pointsTable(points, go));
}

// The best actions of the decision that is taken at the moment on the board, which the charts mark.
export function showBest() {
  const row = store.view.review.rows.get(shownMoment());
  markMoment($("points-charts"), shownMoment(), store.view.state.moment);
  if ($("board").firstChild) markBest($("board"), row ? row.best : [], players());
  $("best").hidden = !row;
  if (!row) return;
  const words = row.verdict ? `${row.verdict}, loses ${row.lost.toFixed(2)}` : "a good decision";
  const list = make("ol");
  list.append(...row.best.map(({ label, sentence, value }) => make("li", `${sentenceCase(sentence)} (${signed(value)})`, { title: label })));
  $("best").replaceChildren(make("h2", `Next: ${row.played.sentence} (${words})`), list);
}

function mistakeRow({ moment, seat, verdict, lost, played }) {
  const row = make("li"), { name } = store.view.state.seats[seat];
  row.append(makeButton(`${moment}: ${name}, ${played.sentence} (${verdict}, −${lost.toFixed(2)})`, { title: played.label, onclick: () => attempt(() => lookAt(moment, seat)) }));
  const again = makeButton("Find better", { onclick: () => attempt(() => findBetter(moment, seat)) });
  again.setAttribute("aria-label", `Find better than “${played.sentence}” at moment ${moment}`);
  row.append(again);
  return row;
}

// Show a decision as the seat saw it that took it.
async function lookAt(moment, seat) {
  const { free, viewer } = store.view.state;
  if (free && viewer !== seat) await look(seat);
  await goTo(moment);
}

// For each seat and third of the game: the share of good decisions, and the mean loss.
function accuracyTable(rows, count) {
  const table = make("table"), head = make("tr");
  head.append(make("th", "Good decisions, mean loss"), ...PHASES.map((phase) => make("th", `${phase} third`)));
  table.append(head);
  store.view.state.seats.forEach(({ name }, seat) => {
    const line = make("tr"), own = rows.filter((row) => row.seat === seat);
    if (!own.length) return;
    line.append(make("th", name));
    PHASES.forEach((phase, k) => {
      const part = own.filter(({ moment }) => Math.min(2, Math.floor((3 * moment) / count)) === k);
      const good = part.filter(({ verdict }) => !verdict).length, loss = part.reduce((sum, { lost }) => sum + lost, 0);
      line.append(make("td", part.length ? `${Math.round((100 * good) / part.length)} %, ${(loss / part.length).toFixed(2)}` : "–"));
    });
    table.append(line);
  });
  return [table];
}

// Judge one decision after the other, from the first; a second press stops.
export async function review() {
  const { view } = store, { review: own, state } = view;
  if (own.running) {
    own.running = false;
    return askGame("/stop", {});
  }
  const program = $("reviewer").value.trim(), rows = new Map();
  own.running = true;
  try {
    for (let moment = state.own; moment < state.deciders.length - 1 && own.running; moment++) {
      const row = await askGame("/review", { moment, program });
      if (own.running) Object.assign(own, { program, rows: rows.set(moment, row) }); // in place of an earlier review
      showReview();
    }
  } finally {
    own.running = false;
    if (view === store.view) {
      view.judge = own.program;
      await take(await askGame(), true);
      showReview();
    }
  }
}

// Play on from a decision, to find a better one: what is decided there is judged by the same program.
async function findBetter(moment, seat) {
  const { review: { program }, state } = store.view;
  const seats = state.seats.map((_, k) => (k === seat ? PERSON : state.seats.length > 1 && k !== seat ? program : PERSON));
  await goTo(moment);
  await fork(false, seats);
  store.playing = false;
  store.view.retry = { moment, program };
  tell("Find a better decision than the one that was taken.");
}

// What the second try was worth.
export async function judgeRetry() {
  const { view } = store, { retry, state } = view;
  if (!retry) return;
  const isDecided = state.moment > retry.moment, isJudged = retry.done;
  retry.done = isDecided; // and not, once it is taken back
  if (!isDecided || isJudged) return;
  try {
    const { verdict, lost, played, value, best } = await askGame("/review", { moment: retry.moment, program: retry.program });
    const judged = verdict ? `“${played.sentence}” loses ${lost.toFixed(2)} (${verdict}): “${best[0].sentence}” (${signed(value)}) is better.` : `“${played.sentence}” is good: it loses ${lost.toFixed(2)}.`;
    tell(`${judged} By ${retry.program}.`);
  } catch (error) {
    if (!(error instanceof LateAnswer)) throw error;
  }
}

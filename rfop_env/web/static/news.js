// What has happened since the viewer's last turn: above the decision, with numbers on the board, and read out.
import { light, markParts, partsNamed, track } from "./board.js";
import { $, make } from "./dom.js";
import { PERSON, attempt, goTo } from "./game.js";
import { cardsNamed, explain, withCards } from "./notes.js";
import { store } from "./store.js";
import { logRow } from "./timeline.js";

// Lines with their moments, those of one decider after the other in one group.
function newsGroups({ log, deciders, since, moment }) {
  const groups = [];
  for (let k = Math.min(since + 1, moment); k <= moment; k++) {
    const seat = k ? deciders[k - 1] : -1;
    if (log[k].length && groups.at(-1)?.seat !== seat) groups.push({ seat, lines: [] });
    groups.at(-1)?.lines.push(...log[k].map((line) => ({ line: line.trim(), moment: k })));
  }
  return groups;
}

export const players = () => store.view.state.seats.map(({ name }) => name);

export function showNews() {
  const { state } = store.view, groups = newsGroups(state), board = $("board");
  $("news-box").hidden = !groups.length;
  $("news-title").textContent = newsTitle(state);
  let number = 0;
  $("news").replaceChildren(...groups.flatMap(({ seat, lines }) => {
    const list = make("ol");
    list.append(...lines.map(({ line, moment }) => {
      const row = logRow(withCards(line), moment, () => attempt(() => goTo(moment))), button = row.firstChild;
      if (track(board, line, players()).to) button.prepend(make("b", ++number, { className: "number" }));
      button.dataset.line = line;
      light(button, board, () => partsNamed(board, line, players()));
      explain(button, cardsNamed(line));
      return row;
    }));
    return seat >= 0 && state.seats.length > 1 ? [make("h3", deciderName(state, seat)), list] : [list];
  }));
  $("news").scrollTop = $("news").scrollHeight;
  markNews();
}

function newsTitle({ seats, viewer, moment }) {
  if (moment === 0) return "The start";
  if (seats[viewer ?? 0].player !== PERSON) return "Newest";
  return seats.length > 1 ? "Since your last turn" : "Since your last decision";
}

const deciderName = ({ seats, viewer }, seat) => `${seats[seat].name}${seat === viewer && seats[seat].player === PERSON ? " (you)" : ""}`;

// Put the numbers of the lines on the board; none on the board of another moment.
export function markNews() {
  const board = $("board"), rows = store.view.at === null ? [...$("news").querySelectorAll("button")].filter((row) => row.querySelector(".number")) : [];
  markParts(board, rows.map((row) => ({ number: row.querySelector(".number").textContent, ...track(board, row.dataset.line, players()) })).filter(({ to }) => to));
}

// Have screen readers say what has happened, once for each decision of the person, and at the end.
export function announce() {
  const { state } = store.view;
  if (!state.asks && !state.over) return;
  const news = newsGroups(state).map(({ seat, lines }) => `${seat >= 0 ? `${deciderName(state, seat)}: ` : ""}${lines.map(({ line }) => line).join("; ")}.`);
  $("announcement").textContent = [...news, state.over ? `${state.result}.` : `${state.question}.`].join(" ");
}

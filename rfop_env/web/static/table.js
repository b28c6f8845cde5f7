// The table: the board, the decision, the log, the moments of the game.
import { address } from "./api.js";
import { actionParts, cardAt, light, partsNamed, partsToPick, show } from "./board.js";
import { showAdvice, showAdvisers, showValues } from "./advice.js";
import { closeChoices } from "./choices.js";
import { $, make, makeButton, scoreRows, sentenceCase } from "./dom.js";
import { keepFocus } from "./focus.js";
import { PERSON, act, attempt, goTo, openGame, shownMoment } from "./game.js";
import { showLesson } from "./lessons.js";
import { announce, markNews, showNews } from "./news.js";
import { cardRows, cardText, cardsNamed, closeNote, explain, withCards } from "./notes.js";
import { judgeRetry, showBest, showPoints, showReview } from "./review.js";
import { saveSetting, setting, store } from "./store.js";
import { seatRow } from "./start.js";
import { followLog, logRow } from "./timeline.js";

export function showTable() {
  const { programs, delay, review } = store.view;
  $("programs").replaceChildren(...programs.map((name) => new Option(name)));
  $("speed").value = delay;
  $("review-box").open = review.rows.size > 0;
  enlarge(setting("large", "") !== "");
  for (const id of ["table", "home", "explain", "jump"]) $(id).hidden = false;
  showAdvisers();
}

export function enlarge(large) {
  $("frame").classList.toggle("large", large);
  $("zoom").setAttribute("aria-pressed", large);
}

export function showState() {
  const { view } = store, { state, at } = view, people = state.seats.some(({ player }) => player === PERSON), restoreFocus = keepFocus();
  document.title = state.over ? `Over: ${state.title}` : state.title;
  document.body.dataset.version = state.version;
  document.body.dataset.over = state.over;
  $("title").textContent = state.title;
  $("status").textContent = $("status").title = statusText(state);
  closeChoices();
  showCurtain(state);
  if (at === null) drawBoard();
  showNews();
  showQuestion(state);
  listActions(state);
  showEnd(state);
  listLog(state.log);
  listVariations(state);
  showPoints(state);
  showReview();
  showPuzzle(state);
  if (store.view.retry) attempt(judgeRetry);
  showLooking(state);
  showInvitation(state);
  showMoment();
  showAdvice();
  showPlaying();
  $("undo").disabled = !people || state.moment === 0;
  $("hint").disabled = !state.asks;
  $("swap").hidden = state.seats.length < 2;
  $("swap").disabled = state.over || state.curtain !== null;
  showLesson();
  if (state.asks && view.asked !== state.moment) $("right").scrollTop = 0; // what has happened, and what is asked
  view.asked = state.asks ? state.moment : null;
  restoreFocus();
  closeNote();
  announce();
}

function statusText({ over, result, problem, thinking, curtain, asks, seats, decider }) {
  if (over) return `${result}.`;
  if (problem) return problem;
  const { name, player } = seats[decider];
  if (thinking) return `${name}: ${thinking} is thinking …`;
  if (curtain !== null) return "The curtain is down.";
  if (asks) return seats.length > 1 ? `${name}: your decision` : "Your decision";
  return player === PERSON ? `${name} decides, at another page` : `${name}: ${player} decides`;
}

function showCurtain({ curtain, seats }) {
  const falls = curtain !== null && $("curtain").hidden;
  $("curtain").hidden = curtain === null;
  if (curtain !== null) $("curtain-words").textContent = `${seats[curtain].name} decides next. Nobody else should look.`;
  if (falls) $("curtain").focus();
}

function showInvitation({ invites, guest, seats, over }) {
  document.body.dataset.guest = guest;
  $("go-on").hidden = !address().has("study") || !over;
  $("invite").hidden = !invites?.length;
  $("invite-seat").replaceChildren(...(invites ?? []).map((seat) => new Option(seats[seat].name, seat)));
}

function showLooking({ free, seats, viewer }) {
  $("looking-box").hidden = !free || seats.length < 2;
  $("looking").replaceChildren(...seats.map(({ name }, k) => new Option(name, k)));
  $("looking").value = viewer ?? 0;
}

export function showPlaying() {
  const { seats, over } = store.view.state;
  $("watch").hidden = over || seats.every(({ player }) => player === PERSON);
  $("pause").textContent = store.playing ? "Pause" : "Go on";
  $("step").hidden = store.playing;
}

export function showThinking() {
  $("stop").hidden = !store.view.state.thinking && !store.view.asking;
}

// -- the board -----------------------------------------------------------------------------------------------------

// Show a drawing whose parts can be clicked, or reached with Tab and chosen with Enter.
function drawBoard() {
  const { picture, cards } = store.view, board = $("board");
  show(board, picture);
  board.querySelector("svg")?.setAttribute("role", "group"); // screen readers skip the parts of an image
  for (const part of partsToPick(board, cards, store.view.state.asks && store.view.at === null)) {
    part.tabIndex = 0;
    part.setAttribute("role", "button");
    light(part, board, () => [part]);
    explain(part, [cardAt(part)].filter((number) => number in cards));
  }
}

export function showPast() {
  const restoreFocus = keepFocus();
  drawBoard();
  markNews();
  restoreFocus();
  closeNote();
  showMoment();
}

// Where the board stands among the moments of the game.
function showMoment() {
  const { state, at } = store.view, moment = shownMoment();
  $("slider").max = state.moment;
  $("slider").value = moment;
  $("where").textContent = `Moment ${moment} of ${state.moment}`;
  $("table").classList.toggle("past", at !== null);
  $("notes").replaceChildren(...state.notes[moment].map((note) => make("p", note)));
  if ($("fork-form").dataset.moment !== String(moment)) $("fork-form").hidden = true; // it asks who plays on from there
  $("fork").disabled = state.deciders[moment] < 0 || state.curtain !== null;
  followLog($("log"), moment, at === null ? 1 : 0.5);
  showBest();
  showValues();
}

// -- actions -------------------------------------------------------------------------------------------------------

// What is asked, and the cards that the question is about.
function showQuestion({ asks, question }) {
  $("decision").hidden = !asks;
  $("question").textContent = question;
  $("question").tabIndex = -1;
  $("question-cards").replaceChildren(...cardRows(cardsNamed(question)));
}

// The actions: first those that the board does not show and those about cards, whose text stands here; then the others.
function listActions({ actions, svg, asks }) {
  const onBoard = new Set([...svg.matchAll(/data-action="([\d ]+)"/g)].flatMap(([, ids]) => ids.split(" ").map(Number)));
  const isElsewhere = ({ id, card }) => onBoard.has(id) && !(card in store.view.cards);
  const here = actions.filter((action) => !isElsewhere(action)), elsewhere = actions.filter(isElsewhere);
  const lists = groups(here, 1);
  if (asks && elsewhere.length) {
    const more = make("details", undefined, { open: setting("list", "") !== "" });
    more.append(make("summary", `${here.length ? "Also" : "Choose"} on the board: ${elsewhere.length} action${elsewhere.length > 1 ? "s" : ""}`), ...groups(elsewhere, here.length + 1));
    more.ontoggle = () => saveSetting("list", more.open ? "all" : "");
    lists.push(more);
  }
  $("actions").replaceChildren(...lists);
}

// Numbered actions, those of a kind under its name.
function groups(actions, first) {
  const lists = new Map(), kinds = new Set(actions.map(({ kind }) => kind));
  actions.forEach((action, k) => {
    if (!lists.has(action.kind)) lists.set(action.kind, make("div", undefined, { className: "group" }));
    lists.get(action.kind).append(actionButton(first + k, action));
  });
  return [...lists].flatMap(([kind, list]) => (kinds.size > 1 && list.childElementCount > 1 ? [make("h3", kind), list] : [list]));
}

function actionButton(number, { id, label, sentence, card }) {
  const button = makeButton(undefined, { className: "action", title: label }), text = make("span");
  button.dataset.id = id;
  text.append(make("b", sentenceCase(sentence)));
  if (card in store.view.cards) text.append(cardText(card));
  button.append(make("kbd", number), text);
  button.onclick = () => attempt(() => act(id));
  button.onkeydown = (event) => {
    if (event.repeat && event.key === "Enter") event.preventDefault(); // a key that is held takes one action
  };
  light(button, $("board"), () => actionParts($("board"), id));
  return button;
}

// -- the end -------------------------------------------------------------------------------------------------------

function showEnd({ over, result, score, seats, recorded, seed }) {
  $("end").hidden = !over;
  if (!over) return;
  const [winner, ...reason] = result.split(": ");
  $("winner").textContent = winner;
  $("reason").textContent = reason.length ? `${sentenceCase(reason.join(": "))}.` : "";
  $("score").hidden = score === null;
  $("score").replaceChildren(...(score === null ? [] : scoreRows(score)));
  $("seed-used").textContent = seed ? `Seed ${seed}` : "";
  $("again").hidden = recorded;
  $("again-swapped").hidden = recorded || seats.length < 2;
}

// -- the log -------------------------------------------------------------------------------------------------------

function listLog(log) {
  const { notes } = store.view.state;
  $("log").replaceChildren(...log.flatMap((lines, moment) => [
    ...lines.map((line) => lineRow(line, moment)),
    ...notes[moment].map((note) => logRow(make("span", note, { className: "note" }), moment, () => attempt(() => goTo(moment)))),
  ]));
}

function lineRow(line, moment) {
  const row = logRow(withCards(line.trim()), moment, () => attempt(() => goTo(moment))), players = store.view.state.seats.map(({ name }) => name);
  light(row.firstChild, $("board"), () => partsNamed($("board"), line, players));
  explain(row.firstChild, cardsNamed(line));
  return row;
}

// Who plays on from the moment on the board: the person decides there, and a program elsewhere.
export function listPlayers() {
  const { state, programs, hinter } = store.view, decider = state.deciders[shownMoment()];
  const choices = [PERSON, ...programs].map((name) => ({ name }));
  const rows = state.seats.map(({ name }, seat) => {
    return seatRow(name, choices, seat === decider ? PERSON : programs.includes(hinter) ? hinter : programs[0]);
  });
  $("fork-form").dataset.moment = shownMoment();
  $("fork-seats").replaceChildren(make("legend", "Who plays on"), ...rows);
}

// What is to be found, and what the person's answer was worth.
function showPuzzle({ game, puzzle }) {
  $("puzzle").hidden = puzzle === null;
  $("puzzle-tools").hidden = !puzzle || puzzle.solved === null;
  if (puzzle === null) return;
  $("puzzle-next").hidden = puzzle.number === store.menu.games.find(({ id }) => id === game)?.puzzles;
  const words = puzzle.solved === null ? "One action is best: find it." : puzzle.words;
  $("puzzle").replaceChildren(make("h2", `Puzzle ${puzzle.number} (values by ${puzzle.by})`), make("p", words));
}

// The games that were played on from each other, each below the one that it came from.
function listVariations({ id, variations }) {
  const known = new Set(variations.map((variation) => variation.id));
  const children = (parent) => variations.filter((variation) => (known.has(variation.parent) ? variation.parent : null) === parent);
  const rows = (parent, depth) => children(parent).flatMap((variation) => [variationRow(variation, depth, id), ...rows(variation.id, depth + 1)]);
  $("variations-box").hidden = !variations.length;
  $("variations").replaceChildren(...rows(null, 0));
  $("main-line").hidden = !known.has(variations.find((variation) => variation.id === id)?.parent);
}

function variationRow({ id, parent, start, moment, over, line }, depth, shown) {
  const words = parent === null ? "Main line" : `From moment ${start}${line ? `: ${line}` : ""}`;
  const row = make("li"), button = makeButton(`${words} (${over ? "over, " : ""}${moment} moments)`);
  row.style.marginLeft = `${depth}rem`;
  button.onclick = () => attempt(() => openGame(id));
  if (id === shown) button.setAttribute("aria-current", "true");
  row.append(button);
  return row;
}

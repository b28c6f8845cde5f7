// The page: what each control does, and what is shown when the store changes.
import { showAdvice, showAdvisers, showValues } from "./advice.js";
import { LateAnswer, address } from "./api.js";
import { actionsAt, cardAt, partActions } from "./board.js";
import { closeChoices, pick } from "./choices.js";
import { $ } from "./dom.js";
import * as game from "./game.js";
import { needsKey, pressKey } from "./keys.js";
import { endLessons, showLesson } from "./lessons.js";
import { closeRules, openRules } from "./drawer.js";
import { markNews } from "./news.js";
import { loadFile, newGame, openPuzzle, openReplay, readSeats, showGame, showStart } from "./start.js";
import { review } from "./review.js";
import { goOn, isStudy, startStudy, submitStudy } from "./study.js";
import { newView, saveSetting, store, subscribe } from "./store.js";
import { enlarge, listPlayers, showPast, showPlaying, showState, showTable, showThinking } from "./table.js";

const { attempt } = game;
const PAGE = $("page").content;
const SETTLED = 200; // milliseconds after the last change of the window's size
let resizing = 0; // a timer

subscribe({
  view: replacePage,
  busy: () => (document.body.dataset.busy = store.busy > 0),
  message: showMessage,
  menu: showStart,
  table: showTable,
  state: showState,
  moment: showPast,
  playing: showPlaying,
  thinking: showThinking,
  advice: showAdvice,
  advisers: showAdvisers,
  values: showValues,
});

function showMessage() {
  for (const id of ["error", "message"]) {
    $(id).textContent = store[id];
    $(id).hidden = !store[id];
  }
}

// All elements are new for another viewer, so nothing that was shown to the one before is left.
function replacePage() {
  document.body.replaceChildren(PAGE.cloneNode(true));
  scrollTo(0, 0);
  for (const name of ["version", "over", "guest"]) delete document.body.dataset[name];
  document.title = "rfop";
  listenToButtons();
  listenToFields();
  listenToBoard();
}

function listenToButtons() {
  const clicks = {
    home: game.start,
    hint: game.hint,
    undo: game.undo,
    stop: game.stop,
    step: game.move,
    reveal: () => game.change("/reveal"),
    fork: playOn,
    swap: () => game.fork(true),
    "main-line": game.mainLine,
    review,
    jump,
    "puzzle-again": () => openPuzzle(0),
    "puzzle-next": () => openPuzzle(1),
    first: () => game.goTo(0),
    back: () => game.goTo(game.shownMoment() - 1),
    forward: () => game.goTo(game.shownMoment() + 1),
    last: () => game.goTo(store.view.state.moment),
    link: copyLink,
    "look-back": lookBack,
    again: () => game.again(false),
    "again-swapped": () => game.again(true),
    "save-replay": () => save("replay"),
    "go-on": goOn,
    invite: toggleInviting,
  };
  for (const [id, work] of Object.entries(clicks)) $(id).onclick = () => attempt(work);
  $("pause").onclick = game.pause;
  $("message").onclick = () => getSelection().isCollapsed && game.tell(""); // it may cover a button
  $("explain").onclick = openRules;
  $("rules-close").onclick = closeRules;
  $("lesson-next").onclick = showLesson;
  $("lesson-off").onclick = endLessons;
  $("save").onclick = document.documentElement.dataset.local ? () => attempt(() => game.save("replay", "")) : toggleSaving;
  $("zoom").onclick = () => {
    const large = !$("frame").classList.contains("large");
    saveSetting("large", large ? "yes" : "");
    enlarge(large);
  };
  const forms = { new: newGame, "save-form": () => save("save"), "fork-form": () => game.fork(false, readSeats($("fork-seats"))), "invite-form": invite, "study-form": submitStudy };
  for (const [id, work] of Object.entries(forms)) {
    $(id).onsubmit = (event) => {
      event.preventDefault();
      attempt(work);
    };
  }
}

// On a narrow page: from the board to the decision below it, and back.
function jump() {
  const { top } = $("right").getBoundingClientRect(), isAtEnd = scrollY + innerHeight > document.documentElement.scrollHeight - 2;
  if (top > innerHeight / 2 && !isAtEnd) $("right").scrollIntoView();
  else scrollTo(0, 0);
}

async function lookBack() {
  await game.goTo(0);
  $("forward").focus();
}

// Play on with the same people; where there are none, ask who plays.
async function playOn() {
  if (store.view.state.seats.some(({ player }) => player === game.PERSON) && !store.view.state.recorded) return game.fork(false);
  $("fork-form").hidden = !$("fork-form").hidden;
  listPlayers();
  if (!$("fork-form").hidden) $("fork-seats").querySelector("select").focus();
}

const copyLink = () => copy(game.momentLink(), "It works while this server runs.");

// Copy a link; where the browser lets no page do that it is shown.
async function copy(link, words) {
  try {
    await navigator.clipboard.writeText(link);
    game.tell(`The link is copied. ${words}`);
  } catch {
    game.tell(`${link} ${words}`);
  }
}

function toggleInviting() {
  $("invite-form").hidden = !$("invite-form").hidden;
  $("invite").setAttribute("aria-expanded", !$("invite-form").hidden);
  if (!$("invite-form").hidden) $("invite-seat").focus();
}

async function invite() {
  const link = await game.invite(Number($("invite-seat").value));
  $("invite-form").hidden = $("invite-link").hidden = false; // of what may be another view
  $("invite-link").value = link;
  $("invite-link").select();
  await copy(link, "Whoever opens it has that seat.");
}

function toggleSaving() {
  $("save-form").hidden = !$("save-form").hidden;
  const time = new Date().toISOString().slice(0, 16).replace("T", " ").replace(":", "");
  $("save-name").value = `${store.view.state.game} ${time}`;
  if (!$("save-form").hidden) $("save-name").focus();
}

async function save(kind) {
  await game.save(kind, $("save-name").value.trim());
  $("save-form").hidden = true;
  $("save").focus();
}

function listenToFields() {
  $("game").onchange = () => {
    saveSetting("game", $("game").value);
    showGame();
  };
  $("new").oninput = () => game.tell(""); // what was wrong is being mended
  $("file").onchange = () => attempt(loadFile);
  $("looking").onchange = () => attempt(() => game.look(Number($("looking").value)));
  $("slider").oninput = () => attempt(() => game.goTo(Number($("slider").value)));
  $("speed").onchange = () => {
    saveSetting("speed", $("speed").value);
    store.view.delay = Number($("speed").value);
    game.schedule();
  };
  $("hinter").onchange = () => {
    store.view.hinter = $("hinter").value;
    saveSetting(`hinter-${store.view.state.game}`, store.view.hinter);
  };
  $("judge").onchange = () => {
    store.view.judge = $("judge").value.trim();
    store.view.values = new Map();
    saveSetting(`judge-${store.view.state.game}`, store.view.judge);
    game.judge();
  };
}

function listenToBoard() {
  const board = $("board");
  board.onclick = (event) => {
    event.stopPropagation();
    const { clientX: x, clientY: y, target } = event;
    pick(actionsAt(board, x, y), cardAt(target), x, y);
  };
  board.onkeydown = (event) => {
    const { key, repeat, target } = event;
    if (!needsKey(target, key)) return;
    event.preventDefault();
    if (repeat) return;
    const { left, bottom } = target.getBoundingClientRect();
    pick(partActions(target), cardAt(target), left, bottom);
  };
}

// Open the replay that the address names; where there is none, the start says so.
async function followReplay(name) {
  try {
    await openReplay(name, Number(address().get("moment")));
  } catch (error) {
    if (!(error instanceof LateAnswer)) await game.start();
    throw error;
  }
}

// Begin: with the game that the address names, or with the start.
export function run() {
  document.addEventListener("click", ({ target }) => {
    if (!$("choices").contains(target)) closeChoices();
  });
  document.addEventListener("keydown", pressKey);
  const redraw = () => attempt(async () => {
    await game.redraw();
    if (store.view.state) markNews(); // whose numbers have the size of letters, however wide the board
  });
  addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(redraw, SETTLED);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  newView();
  const follow = () => {
    if (isStudy()) return startStudy();
    const replay = address().get("replay");
    return replay ? followReplay(replay) : game.followAddress();
  };
  addEventListener("popstate", () => attempt(follow));
  attempt(follow);
}

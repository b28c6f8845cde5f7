// What is done with games: it asks the server, and puts the answers into the store. The server decides everything.
import { LateAnswer, SILENCE, address, ask, askGame, boardLook, pageLink } from "./api.js";
import { make } from "./dom.js";
import { newView, notify, setting, store } from "./store.js";

export const PERSON = "person";
const POLL = 300, FOLLOW = 1500; // milliseconds between two looks: at a program that thinks, at what other pages do
const LATE = 5000; // milliseconds until the programs decide here, where another tab without a server should have had them

// Carry something out; what goes wrong is shown, and an outdated page is brought up to date.
export async function attempt(work) {
  count(1);
  try {
    complain("");
    await work();
  } catch (error) {
    if (error instanceof LateAnswer) return;
    if (error.state) await take(error.state, true);
    complain(error.message);
  } finally {
    count(-1);
  }
}

function count(change) {
  store.busy += change;
  notify("busy");
}

// Say what has been done, or (`complain`) what went wrong; either takes the place of what was said before.
export function tell(message, error = "") {
  if (store.message === message && store.error === error) return; // a screen reader would read it again
  Object.assign(store, { message, error });
  notify("message");
}

const complain = (error) => tell("", error);

// Put the game and its moment into the address. Another game, or the start, is one step back for the browser.
function remember(entries) {
  const sameGame = address().get("game") === (entries.game ?? null);
  history[sameGame ? "replaceState" : "pushState"](null, "", pageLink(entries));
}

// Show what the address names: a game, or the start.
export async function followAddress() {
  const id = address().get("game"), moment = address().get("moment");
  if (!id) return start();
  try {
    await openGame(id, moment === null ? null : Number(moment));
  } catch (error) {
    if (error instanceof LateAnswer) throw error;
    history.replaceState(null, "", pageLink({}));
    await start();
    throw error;
  }
}

// -- coming and going ----------------------------------------------------------------------------------------------

export async function start() {
  newView();
  remember({});
  store.menu = await ask("api/menu");
  if (store.menu.guest) {
    history.replaceState(null, "", pageLink({ game: store.menu.guest }));
    return openGame(store.menu.guest);
  }
  notify("menu");
}

export async function openGame(id, moment = null) {
  await sit(await ask(`api/games/${id}`), moment);
}

// Delete a game, with its past.
export async function closeGame({ id, title }) {
  if (!confirm(`Delete this game of ${title}? Its moments are lost.`)) return;
  await ask(`api/games/${id}/close`, {});
  await start();
}

// Show another game, or the same one to another viewer.
export async function sit(state, moment = null) {
  const { cards, guide } = store.view, sameGame = store.view.state?.id === state.id;
  newView();
  const { view } = store;
  view.state = state;
  if (!sameGame) store.playing = state.puzzle === null;
  view.cards = sameGame ? cards : await askGame("/cards");
  view.guide = sameGame ? guide : await askGame("/guide");
  if (state.over && state.judge) {
    const rows = await askGame("/reviews");
    Object.assign(view.review, { program: state.judge, rows: new Map(rows.map((row) => [row.moment, row])) });
  }
  store.menu ??= await ask("api/menu");
  Object.assign(document.body.dataset, store.menu.aids);
  view.programs = store.menu.games.find(({ id }) => id === state.game)?.programs ?? [];
  const thinker = view.programs.find((name) => name.startsWith("search")) ?? view.programs.at(-1);
  view.hinter = setting(`hinter-${state.game}`, thinker);
  view.judge = state.judge || setting(`judge-${state.game}`, "");
  view.delay = Number(setting("speed", "0.4"));
  notify("table");
  await take(state, true);
  if (moment !== null && moment < state.moment) await goTo(moment);
  await redraw();
}

// Show a state, and do what follows from it: wait for a program, or have the next one decide.
export async function take(state, fresh = false) {
  const { view } = store;
  if (state.id !== view.state?.id) return;
  if (state.secrets_of !== view.state.secrets_of) return sit(state);
  const changed = fresh || state.version !== view.state.version;
  view.state = state;
  if (changed) {
    const { looking } = view;
    if (state.free && looking !== null && state.viewer !== looking) return take(await askGame(`?looking=${looking}`), true);
    view.values = new Map([...view.values].filter(([k, { seat }]) => k <= state.moment && state.deciders[k] === seat));
    if (state.judge && state.judge === view.judge) {
      state.values.forEach((value, k) => value !== null && view.values.set(k, { moment: k, seat: state.deciders[k], value }));
    }
    view.advice = null;
    if (state.problem) store.playing = false;
    if (view.at !== null && view.at >= state.moment) view.at = null;
    if (view.at === null) view.picture = state.svg;
    notify("state");
    showAddress();
  }
  schedule();
  judge();
}

// -- moves ---------------------------------------------------------------------------------------------------------

const asksProgram = ({ over, curtain, decider, seats }) => !over && curtain === null && decider >= 0 && seats[decider].player !== PERSON;

export function schedule() {
  const { view } = store, { thinking } = view.state;
  clearTimeout(view.timer);
  notify("thinking");
  if (thinking) view.timer = setTimeout(follow, POLL);
  else if (asksProgram(view.state) && store.playing) view.timer = setTimeout(() => attempt(move), view.follows ? LATE : 1000 * view.delay);
  else if (!isLocal()) view.timer = setTimeout(follow, FOLLOW);
}

// A page without a server has no other page's decisions to ask for.
const isLocal = () => document.documentElement.dataset.local !== undefined;

// Show what a program or another page has done: a second tab, a projector, a guest. A server that does not answer is
// asked again; once it does, nothing says so any more.
async function follow() {
  const { view } = store, { version, thinking } = view.state;
  try {
    const answer = document.hidden && !thinking ? {} : await askGame(`?known=${version}`);
    if (store.error === SILENCE && store.playing) complain(""); // a pause keeps its reason
    if (answer.id && answer.version > view.state.version) return await take(answer);
  } catch (error) {
    if (error instanceof LateAnswer) return;
    if (thinking) complain(error.message);
  }
  schedule();
}

// Have the program decide whose turn it is. Where that fails the programs pause, and the page follows what others do.
export async function move() {
  const { view } = store, { state } = view;
  if (!asksProgram(state) || state.thinking || view.moving === state.version) return;
  Object.assign(view, { moving: state.version, follows: false });
  try {
    await take(await askGame("/move", { version: state.version }));
  } catch (error) {
    if (error.state) return take(error.state); // another page was first
    if (!(error instanceof LateAnswer) && store.playing) pause();
    throw error;
  } finally {
    view.moving = null;
  }
}

export async function act(action) {
  const { view } = store;
  if (view.at !== null || !view.state.asks) return;
  view.follows = false;
  await stopThinking();
  await take(await askGame("/act", { version: view.state.version, action }));
}

// A change without further arguments: "/undo", "/reveal".
export async function change(path) {
  await take(await askGame(path, { version: store.view.state.version }), true);
}

export async function undo() {
  await stopThinking();
  await change("/undo");
}

export const stop = () => askGame("/stop", {});

// Stop the programs that think about the present position.
async function stopThinking() {
  if (store.view.state.thinking || store.view.asking) await stop();
}

export function pause() {
  store.playing = !store.playing;
  store.view.follows = false;
  notify("playing");
  schedule();
}

// Games of a page without a server, as another tab has left them. Programs decide in the tab where the person last did.
export async function renew(texts) {
  store.view.follows = true;
  await ask("api/renew", texts);
  if (store.view.state) await take(await askGame(), true);
}

// The link of a guest for a person's seat, for another page.
export async function invite(seat) {
  const { token, address } = await askGame("/invite", { seat });
  await take(await askGame(), true);
  return `${address ?? location.origin + location.pathname}?${new URLSearchParams({ token })}`;
}

// Play on from the moment on the board; with `seats` others play.
export async function fork(swap, seats = null) {
  await sit(await askGame("/fork", { moment: shownMoment(), swap, ...(seats && { seats }) }));
}

// A new game of the same kind, with the same players or with everybody a seat further.
export async function again(swap) {
  await sit(await askGame("/again", { swap }));
}

// Go back to where this game was played on from another one that is open.
export async function mainLine() {
  const { id, variations } = store.view.state;
  const { parent, start } = variations.find((variation) => variation.id === id);
  await openGame(parent, start);
}

// Write the position (`save`) or the game so far (`replay`) into a file of the server's folder; without a server the
// browser keeps the file.
export async function save(kind, name) {
  const { path, text, name: file } = await askGame(`/${kind}`, { name });
  if (path !== undefined) return tell(`Saved: ${path}`);
  // A data address, since the Firefox of the tests saves nothing from a blob.
  make("a", undefined, { href: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`, download: file }).click();
}

// -- moments -------------------------------------------------------------------------------------------------------

export const shownMoment = () => store.view.at ?? store.view.state.moment;

export async function goTo(number) {
  const { view } = store, { state } = view, moment = Math.max(0, number);
  if (state.curtain !== null) return;
  if (moment >= state.moment) {
    view.at = null;
    view.picture = state.svg;
  } else {
    view.at = moment;
    const seat = state.free && state.viewer !== null ? `?looking=${state.viewer}` : "";
    const past = await askGame(`/moments/${view.at}${seat}`);
    if (view.at !== past.moment) return;
    view.picture = past.svg;
  }
  notify("moment");
  showAddress();
}

// Look with another seat's eyes, at the same moment.
export async function look(seat) {
  store.view.looking = seat;
  await take(await askGame(`?looking=${seat}`), true);
  await showPastAgain();
}

// Ask for the board anew where its place or the colours of the page have changed.
export async function redraw() {
  const { state } = store.view, { layout, palette } = boardLook();
  const shown = document.querySelector("#board svg")?.dataset.look;
  if (!state || !shown || shown === `${layout} ${palette}`) return;
  await take(await askGame(state.free && state.viewer !== null ? `?looking=${state.viewer}` : ""), true);
  await showPastAgain();
}

// Ask for the past moment on the board anew: the one where the person is by now.
async function showPastAgain() {
  const { at } = store.view;
  if (at !== null) await goTo(at);
}

function showAddress() {
  const { state, at } = store.view;
  remember({ game: state.id, ...(at === null ? {} : { moment: at }) });
}

export const momentLink = () => {
  const link = pageLink({ game: store.view.state.id, moment: shownMoment() });
  return `${location.origin}${location.pathname}${link}`;
};

// -- hints and values ----------------------------------------------------------------------------------------------

export async function hint() {
  const { view } = store, { version, asks } = view.state, program = view.hinter;
  if (!asks || view.asking) return;
  view.asking = true;
  advise({ program });
  schedule();
  try {
    const advice = await askGame("/hint", { version, program });
    if (version === view.state.version) advise(advice);
  } catch (error) {
    if (error instanceof LateAnswer || version !== view.state.version) return; // the decision is taken
    advise(null);
    throw error;
  } finally {
    view.asking = false;
    if (view === store.view) schedule();
  }
}

function advise(advice) {
  store.view.advice = advice;
  notify("advice");
}

// Ask for the values that are missing, one after the other, the newest first.
export async function judge() {
  const { view } = store, program = view.judge;
  notify("values");
  if (!program || view.judging) return;
  view.judging = true;
  try {
    for (let k = missingValue(view); k >= 0 && view.judge === program; k = missingValue(view)) {
      view.values.set(k, await askGame("/value", { moment: k, program }));
      notify("values");
    }
  } catch (error) {
    if (error instanceof LateAnswer || error.message.startsWith("another question")) return;
    view.judge = "";
    notify("advisers");
    notify("values");
    complain(error.message);
  } finally {
    view.judging = false;
  }
}

function missingValue({ state, values }) {
  if (state.thinking || state.curtain !== null) return -1;
  const own = (seat, k) => k >= state.own && seat >= 0 && (state.free || seat === state.viewer);
  return state.deciders.findLastIndex((seat, k) => own(seat, k) && !values.has(k));
}

// The replay: everything is in the page, nothing is asked for.
import { light, partsNamed, show } from "./board.js";
import { $, make, scoreRows, signed, unpack } from "./dom.js";
import { drawCurve, followLog, logRow } from "./timeline.js";

const NARROW = 640; // pixels
let replay = null;
let at = 0; // the moment on the board
let view = 0; // the number of the view, in `replay.views`
let timer = 0; // of playing; 0 while paused

// Pictures stand in the page as changes of the one before: make whole lists of them.
function expand(pictures) {
  let previous = [];
  return pictures.map((changes) => {
    const list = [];
    let from = 0;
    for (let k = 0; k < changes.length; k += 3) {
      list.push(...previous.slice(from, changes[k]), ...changes[k + 2]);
      from = changes[k] + changes[k + 1];
    }
    list.push(...previous.slice(from));
    return (previous = list);
  });
}

const picture = (moment) => replay.pictures[view][moment].map((k) => replay.elements[k]).join("");

// -- showing -------------------------------------------------------------------------------------------------------

const last = () => replay.moments.length - 1;
const seatName = (seat) => replay.seats[seat].name;

function goTo(moment, { keep = false } = {}) {
  if (!keep) pause();
  at = Math.max(0, Math.min(last(), moment));
  show($("board"), picture(at));
  $("slider").value = at;
  $("slider").setAttribute("aria-valuetext", `Moment ${at}: ${decision(at)}`);
  $("where").textContent = `Moment ${at} of ${last()}`;
  $("decision").textContent = decision(at);
  $("notes").replaceChildren(...replay.moments[at].notes.map((note) => make("p", note)));
  $("status").textContent = at === last() ? `${replay.result}.` : `${seatName(replay.moments[at].decider)} to decide.`;
  $("score").hidden = at !== last() || replay.score === null;
  document.body.dataset.moment = at;
  $("board-link").hidden = !replay.board;
  $("board-link").setAttribute("href", `${replay.board}&moment=${at}`);
  history.replaceState(null, "", `#moment=${at}&view=${replay.views[view]}`);
  followLog($("log"), at, 0.5);
  showValues();
}

// What led to a moment.
function decision(moment) {
  const { seat, label, sentence } = replay.moments[moment];
  if (seat < 0) return "The start.";
  if (!label) return `${seatName(seat)} decided.`;
  const words = sentence.toLowerCase() === label.toLowerCase() ? "" : ` (${sentence})`;
  return `${seatName(seat)}: ${label}${words}`;
}

function listPlayers() {
  const rows = replay.seats.flatMap(({ name, player }) => [make("dt", name), make("dd", player === "-" ? "not named" : player)]);
  const options = Object.entries(replay.options).map(([name, value]) => `${name} ${value}`).join(", ");
  if (options) rows.push(make("dt", "Options"), make("dd", options));
  $("players").replaceChildren(...rows);
}

function listLog() {
  $("log").replaceChildren(...replay.moments.flatMap(({ lines, notes, seat, label }, moment) => {
    const decided = seat >= 0 && label ? [`${seatName(seat)}: ${label}`] : [];
    const rows = (lines.length ? lines : decided).map((line) => lineRow(line, moment));
    return [...rows, ...notes.map((note) => noteRow(note, moment))];
  }));
}

function lineRow(line, moment) {
  const row = logRow(line, moment, () => goTo(moment)), seats = replay.seats.map(({ name }) => name);
  light(row.firstChild, $("board"), () => partsNamed($("board"), line, seats));
  return row;
}

const noteRow = (note, moment) => logRow(make("span", note, { className: "note" }), moment, () => goTo(moment));

// -- values --------------------------------------------------------------------------------------------------------

const hasValues = () => replay.moments.some(({ value }) => value !== null);

// Of two seats, what one gains the other loses; of more, each has its own line, and that of the view is drawn.
function points() {
  const seat = replay.views[view], two = replay.seats.length === 2;
  return replay.moments.flatMap(({ decider, value }, k) => {
    if (value === null || (!two && replay.seats.length > 1 && decider !== seat)) return [];
    return [[k, two && decider !== seat ? -value : value]];
  });
}

function showValues() {
  $("chart").hidden = !hasValues();
  if ($("chart").hidden) return;
  const values = points(), latest = values.findLast(([k]) => k <= at), name = seatName(replay.views[view]);
  drawCurve($("curve"), values, at, last());
  $("value").textContent = latest
    ? `${replay.judge} expected ${signed(latest[1])} for ${name} at moment ${latest[0]}. The curve runs from −1 to +1.`
    : `Returns that ${replay.judge} expected for ${name}, from −1 to +1: none up to here.`;
}

// -- playing -------------------------------------------------------------------------------------------------------

function play() {
  if (timer) return pause();
  if (at === last()) goTo(0);
  $("play").textContent = "Pause";
  schedule();
}

function schedule() {
  timer = setTimeout(() => {
    goTo(at + 1, { keep: true });
    if (at === last()) pause();
    else schedule();
  }, 1000 * Number($("speed").value));
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  $("play").textContent = "Play";
}

function turn(by) {
  let moment = at + by;
  while (moment > 0 && moment < last() && replay.moments[moment].decider === replay.moments[at].decider) moment += by;
  goTo(moment);
}

function nextNote() {
  const moments = replay.moments.flatMap(({ notes }, k) => (notes.length ? [k] : []));
  if (moments.length) goTo(moments.find((k) => k > at) ?? moments[0]);
}

function look(number) {
  view = number;
  $("view").value = view;
  goTo(at, { keep: true });
}

// -- hands ---------------------------------------------------------------------------------------------------------

function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const keys = {
    ArrowLeft: () => (event.shiftKey ? turn(-1) : goTo(at - 1)),
    ArrowRight: () => (event.shiftKey ? turn(1) : goTo(at + 1)),
    Home: () => goTo(0),
    End: () => goTo(last()),
    " ": play,
    n: nextNote,
    v: () => look((view + 1) % replay.views.length),
  };
  const work = keys[event.key];
  if (!work || (event.key === " " && event.target.tagName === "BUTTON" && event.target.id !== "play")) return;
  if (event.key === " " && event.target.tagName === "SUMMARY") return;
  event.preventDefault();
  work();
}

// The moment and the view that the address names.
function followAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const number = replay.views.indexOf(Number(address.get("view") ?? replay.views[0]));
  view = Math.max(0, number);
  $("view").value = view;
  goTo(Number(address.get("moment")) || 0);
}

function listen() {
  const clicks = {
    first: () => goTo(0), back: () => goTo(at - 1), forward: () => goTo(at + 1), last: () => goTo(last()), play,
    zoom: () => $("zoom").setAttribute("aria-pressed", $("frame").classList.toggle("large")),
  };
  for (const [id, work] of Object.entries(clicks)) $(id).onclick = work;
  $("slider").oninput = () => goTo(Number($("slider").value));
  $("speed").onchange = () => { if (timer) { clearTimeout(timer); schedule(); } };
  $("view").onchange = () => look(Number($("view").value));
  $("curve").onclick = (event) => {
    const box = $("curve").getBoundingClientRect();
    goTo(Math.round(last() * (event.clientX - box.left) / box.width));
  };
  document.addEventListener("keydown", pressKey);
  addEventListener("hashchange", followAddress);
}

try {
  replay = JSON.parse(new TextDecoder().decode(await unpack($("data").textContent)));
  replay.pictures = replay.pictures.map(expand);
  $("title").textContent = replay.title;
  $("slider").max = last();
  $("view").replaceChildren(...replay.views.map((seat, k) => new Option(seatName(seat), k)));
  $("view-box").hidden = replay.views.length < 2;
  if (replay.score !== null) $("score").replaceChildren(...scoreRows(replay.score));
  $("table").hidden = false;
  listPlayers();
  listLog();
  listen();
  if (innerWidth <= NARROW) $("zoom").click(); // its letters would be too small
  followAddress();
} catch (error) {
  $("error").textContent = `This replay cannot be shown: ${error.message}. It needs a browser with DecompressionStream (since 2023).`;
  $("error").hidden = false;
}

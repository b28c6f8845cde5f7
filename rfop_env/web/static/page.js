// The page: it asks the server, shows what it answers, and sends what a person chooses. The server decides everything.
import { actionsAt, cardOf, frameAll, partsNamed, partsOf, show } from "./board.js";

const $ = (id) => document.getElementById(id);
const address = new URLSearchParams(location.search);
const token = address.get("token") ?? "";
const PERSON = "person", POLL = 300, TYPING = 900; // milliseconds

let menu = null;  // games, open ones and saved ones
let state = null;  // of the game on the table, as the server sent it
let cards = {};  // of its component set, by number
let at = null;  // the moment on the board; null: the newest
let looking = null;  // the seat whose view is asked for, where it is free
let playing = true;  // whether programs go on by themselves
let values = new Map();  // moment -> {seat, value}
let typed = "", typedAt = 0, timer = 0, asking = false;
let busy = 0;  // requests and changes under way
const kept = (name, otherwise) => localStorage.getItem(`rfop-${name}`) ?? otherwise;
const keep = (name, value) => localStorage.setItem(`rfop-${name}`, value);

// -- asking the server ---------------------------------------------------------------------------------------------

async function ask(path, body) {
  const headers = { "X-Token": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request = { method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body) };
  let answer, found;
  try {
    answer = await fetch(path, request);
    found = await answer.json();
  } catch {
    throw new Error("the server does not answer: is 'rfop serve' still running?");
  }
  if (answer.ok) return found;
  const error = new Error(found.error);
  error.state = found.state;
  throw error;
}

const game = (path = "", body) => ask(`/api/games/${state.id}${path}`, body);

// Carry something out; what goes wrong is shown, and an outdated page is brought up to date.
async function attempt(work) {
  count(1);
  try {
    tell("");
    await work();
  } catch (error) {
    tell(error.message);
    if (error.state) await take(error.state, true);
  } finally {
    count(-1);
  }
}

function count(more) {
  busy += more;
  document.body.dataset.busy = busy > 0;
}

function tell(words) {
  $("error").textContent = words;
  $("error").hidden = !words;
}

// -- the start -----------------------------------------------------------------------------------------------------

async function start() {
  clearTimeout(timer);
  state = null;
  remember({});
  menu = await ask("/api/menu");
  $("title").textContent = "Play";
  $("home").hidden = $("table").hidden = $("stop").hidden = true;
  $("status").textContent = "";
  $("start").hidden = false;
  $("game").replaceChildren(...menu.games.map((g) => new Option(g.title, g.id)));
  $("game").value = kept("game", menu.games[0].id);
  if (!$("game").value) $("game").selectedIndex = 0;
  chooseGame();
  listLinks("open", menu.open.map((g) => [`${g.title} (${g.who}), moment ${g.moment}${g.over ? ", over" : ""}`, () => open(g.id)]));
  listLinks("saved", menu.saved.map((name) => [name, () => enter(() => ask("/api/load", { name }))]));
  $("open-box").hidden = !menu.open.length;
  $("no-saves").hidden = menu.saved.length > 0;
}

function listLinks(id, rows) {
  $(id).replaceChildren(...rows.map(([words, go]) => {
    const item = make("li"), button = make("button", words);
    button.type = "button";
    button.onclick = () => attempt(go);
    item.append(button);
    return item;
  }));
}

const chosenGame = () => menu.games.find((g) => g.id === $("game").value);

function chooseGame() {
  const { options, players, components } = chosenGame();
  $("players").textContent = `Players: ${players}`;
  $("components").replaceChildren(...components.map(({ name, digest }) => new Option(name, digest)));
  $("components-box").hidden = components.length < 2;
  $("options").replaceChildren(...options.map((option) => {
    const label = make("label", `${option.name} `), select = make("select");
    select.name = option.name;
    select.append(...option.values.map((value) => new Option(value)));
    select.onchange = showSeats;
    label.append(select, make("small", option.meaning));
    return label;
  }));
  $("options-box").hidden = !options.length;
  $("options-box").open = options.some((o) => o.name === "side" || o.name === "players");
  showSeats();
}

const options = () => Object.fromEntries([...$("options").querySelectorAll("select")].map((s) => [s.name, s.value]));

function showSeats() {
  const found = chosenGame(), players = Number(options().players ?? found.seats.length);
  const before = seatNames(), names = [PERSON, ...found.programs];
  const seats = Array.from({ length: players }, (_, k) => found.seats[k] ?? `player_${k}`);
  const bare = seats.map((seat) => seat.replace(/_\d+$/, ""));
  const titles = new Set(bare).size === players ? bare : seats.map((seat) => seat.replace("_", " "));
  $("seats").replaceChildren(make("legend", "Who plays"), ...titles.map((title, k) => {
    const name = before[k] ?? (k === 0 ? PERSON : found.programs[1] ?? found.programs[0]);
    return seatRow(title.replace("_", " "), names, names.includes(name) ? name : names[k === 0 ? 0 : 1]);
  }));
}

// Who sits in a seat: one of the names, or another one that is typed.
function seatRow(title, names, chosen) {
  const row = make("div"), label = make("label", title[0].toUpperCase() + title.slice(1)), select = make("select"), other = make("input");
  row.className = "seat";
  select.append(...names.map((name) => new Option(name)), new Option("another …", ""));
  select.value = chosen;
  Object.assign(other, { hidden: true, maxLength: 300, autocomplete: "off", placeholder: "search-2s, runs/mine, …" });
  other.setAttribute("aria-label", `Another program for ${title}`);
  select.onchange = () => {
    other.hidden = select.value !== "";
    other.required = !other.hidden;
    if (!other.hidden) other.focus();
  };
  label.append(select);
  row.append(label, other);
  return row;
}

const seatNames = () => [...$("seats").querySelectorAll(".seat")].map((row) => row.querySelector("select").value || row.querySelector("input").value.trim());

async function newGame() {
  const body = { game: $("game").value, options: options(), seats: seatNames(), components: $("components").value };
  if ($("seed").value) body.seed = $("seed").value;
  keep("game", body.game);
  await enter(() => ask("/api/games", body));
}

async function enter(begin) {
  $("first-use").hidden = false;
  try {
    await sit(await begin());
  } finally {
    $("first-use").hidden = true;
  }
}

async function open(id, moment = null) {
  await sit(await ask(`/api/games/${id}`), moment);
}

async function sit(found, moment = null) {
  clearTimeout(timer);
  state = found;
  at = looking = null;
  playing = true;
  values = new Map();
  cards = await game("/cards");
  menu ??= await ask("/api/menu");
  const programs = menu.games.find((g) => g.id === state.game)?.programs ?? [];
  $("programs").replaceChildren(...programs.map((name) => new Option(name)));
  const thinker = programs.find((name) => name.startsWith("search")) ?? programs.at(-1);
  $("hinter").value = kept(`hinter-${state.game}`, thinker);
  $("judge").value = kept(`judge-${state.game}`, "");
  $("speed").value = kept("speed", "0.4");
  $("start").hidden = $("save-form").hidden = true;
  $("table").hidden = $("home").hidden = false;
  $("hints").hidden = $("card").hidden = true;
  await take(found, true);
  if (moment !== null && moment < state.moment) await goTo(moment);
}

// -- the game ------------------------------------------------------------------------------------------------------

// Show a state, and do what follows from it: wait for a program, or have the next one decide.
async function take(found, fresh = false) {
  if (!state || found.id !== state.id) return;
  const moved = fresh || found.version !== state.version;
  state = found;
  if (moved) {
    if (state.free && looking !== null && state.viewer !== looking) return take(await game(`?looking=${looking}`), true);
    values = new Map([...values].filter(([k]) => k <= state.moment && state.deciders[k] === values.get(k).seat));
    $("hints").hidden = true;
    if (at !== null && at >= state.moment) at = null;
    render();
  }
  schedule();
  judge();
}

const asksProgram = () => !state.over && state.curtain === null && state.decider >= 0 && state.seats[state.decider].player !== PERSON;
const watching = () => state.seats.every((seat) => seat.player !== PERSON);

function schedule() {
  clearTimeout(timer);
  $("stop").hidden = !state.thinking && !asking;
  if (state.thinking) {
    const id = state.id;
    timer = setTimeout(() => attempt(async () => {
      const found = await ask(`/api/games/${id}?known=${state.version}`);
      if (state?.id !== id) return;
      if (found.id) await take(found);
      else schedule();
    }), POLL);
  } else if (asksProgram() && playing && !state.problem) {
    timer = setTimeout(() => attempt(move), 1000 * Number($("speed").value));
  }
}

async function move() {
  if (asksProgram() && !state.thinking) await take(await game("/move", { version: state.version }));
}

async function act(action) {
  closeChoices();
  if (at === null && state.asks) await take(await game("/act", { version: state.version, action }));
}

const change = (path) => attempt(async () => take(await game(path, { version: state.version }), true));

async function undo() {
  if (state.thinking) await game("/stop", {});
  await change("/undo");
}

async function hint() {
  if (!state.asks || asking) return;
  asking = true;
  $("hints").hidden = false;
  $("hints").replaceChildren(make("p", `${$("hinter").value} is thinking …`));
  schedule();
  try {
    showHint(await game("/hint", { version: state.version, program: $("hinter").value }));
  } catch (error) {
    $("hints").hidden = true;
    throw error;
  } finally {
    asking = false;
    schedule();
  }
}

function showHint({ program, value, best }) {
  const head = make("h2", `${program} would play`), list = make("ol");
  if (value !== null) head.append(make("small", ` and expects ${signed(value)}`));
  list.append(...best.map((action) => {
    const item = make("li"), button = make("button", action.label);
    button.type = "button";
    button.title = action.sentence;
    button.onclick = () => attempt(() => act(action.id));
    light(button, () => partsOf($("board"), action.id));
    item.append(button, make("small", figures(action)));
    return item;
  }));
  $("hints").hidden = false;
  $("hints").replaceChildren(head, list);
}

function figures({ visits, value, prob }) {
  const words = [];
  if (visits !== null) words.push(`tried ${visits} times`);
  if (value !== null) words.push(`value ${signed(value)}`);
  if (prob !== null) words.push(`probability ${(100 * prob).toFixed(1)} %`);
  return words.length ? ` ${words.join(", ")}` : "";
}

const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;

async function fork(swap) {
  const found = await game("/fork", { moment: at ?? state.moment, swap });
  await sit(found);
}

// Write the position (`save`) or the game so far (`replay`) into a file of the server's folder.
async function save(what) {
  const { path } = await game(`/${what}`, { name: $("save-name").value.trim() });
  $("save-form").hidden = true;
  tell(`Saved: ${path}`);
}

// -- showing -------------------------------------------------------------------------------------------------------

function render() {
  $("title").textContent = state.title;
  document.title = state.over ? `Over: ${state.title}` : state.title;
  document.body.dataset.version = state.version;
  document.body.dataset.over = state.over;
  status();
  $("curtain").hidden = state.curtain === null;
  if (state.curtain !== null) $("curtain-words").textContent = `${state.seats[state.curtain].name} decides next. Nobody else should look.`;
  if (at === null) drawNow();
  listActions();
  listLog();
  lookingChoices();
  timeLine();
  meter();
  $("watch").hidden = !state.seats.some((seat) => seat.player !== PERSON) || state.over;
  $("pause").textContent = playing ? "Pause" : "Go on";
  $("step").hidden = playing;
  $("undo").disabled = !state.seats.some((seat) => seat.player === PERSON) || state.moment === 0;
  $("hint").disabled = !state.asks;
  $("swap").disabled = state.seats.length < 2 || state.over || state.curtain !== null;
}

function status() {
  const { over, result, seats, decider, thinking, problem, seed } = state;
  const words = over ? `${result}.${seed ? ` Seed ${seed}.` : ""}`
    : problem ? problem
    : thinking ? `${seats[decider].name}: ${thinking} is thinking …`
    : state.curtain !== null ? "The curtain is down."
    : state.asks ? (seats.length > 1 ? `${seats[decider].name}: your decision` : "Your decision")
    : `${seats[decider].name}: ${seats[decider].player} decides`;
  $("status").textContent = words;
}

function drawNow() {
  show($("board"), state.svg);
}

// The places that a line of the log names.
const placesOf = (line) => partsNamed($("board"), line, state.seats.map((seat) => seat.name));

// Frame parts of the board while something is under the pointer or has the focus.
function light(element, parts) {
  const on = () => frameAll($("board"), "lit", parts()), off = () => frameAll($("board"), "lit", []);
  element.addEventListener("mouseenter", on);
  element.addEventListener("mouseleave", off);
  element.addEventListener("focus", on);
  element.addEventListener("blur", off);
}

function listActions() {
  const groups = new Map();
  state.actions.forEach((action, k) => groups.set(action.kind, [...(groups.get(action.kind) ?? []), [k + 1, action]]));
  const parts = [...groups].flatMap(([kind, rows]) => {
    const list = make("div");
    list.className = "group";
    list.append(...rows.map(([number, action]) => actionButton(number, action)));
    return [make("h2", kind), list];
  });
  $("actions").replaceChildren(...parts);
}

const buttons = () => [...$("actions").querySelectorAll("button")];

function actionButton(number, action) {
  const button = make("button"), words = make("span");
  button.type = "button";
  button.className = "action";
  button.dataset.id = action.id;
  words.append(make("b", action.label), make("small", action.sentence));
  button.append(make("kbd", number), words);
  const card = action.card === null ? null : cards[action.card];
  if (card) words.append(cardText(card));
  button.onclick = () => attempt(() => act(action.id));
  light(button, () => partsOf($("board"), action.id));
  return button;
}

// What a card does, and where its text comes from.
function cardText(card) {
  const words = make("small", `${card.does.join("; ")} `), from = make("em", card.provenance);
  from.className = "provenance";
  words.append(from);
  return words;
}

function showCard(number) {
  const card = cards[number];
  $("card").hidden = !card;
  if (card) $("card").replaceChildren(make("h2", card.title), ...card.does.map((line) => make("p", line)));
}

function listLog() {
  const items = state.log.flatMap((lines, moment) => lines.map((line) => {
    const item = make("li"), button = make("button", line.trim());
    button.type = "button";
    button.dataset.moment = moment;
    button.onclick = () => attempt(() => goTo(moment));
    light(button, () => placesOf(line));
    item.append(button);
    return item;
  }));
  $("log").replaceChildren(...items);
  followLog();
}

// Mark the lines of the moment on the board, and bring them into sight within the log.
function followLog() {
  const shown = at ?? state.moment;
  for (const button of $("log").querySelectorAll("button")) button.classList.toggle("now", Number(button.dataset.moment) === shown);
  const last = [...$("log").querySelectorAll("button.now")].at(-1);
  if (last) $("log").scrollTop = last.offsetTop + last.offsetHeight - $("log").clientHeight * (at === null ? 1 : 0.5);
}

function lookingChoices() {
  $("looking-box").hidden = !state.free || state.seats.length < 2;
  $("looking").replaceChildren(...state.seats.map((seat, k) => new Option(seat.name, k)));
  $("looking").value = state.viewer ?? 0;
}

// -- moments -------------------------------------------------------------------------------------------------------

async function goTo(moment) {
  if (state.curtain !== null) return;
  if (moment >= state.moment) {
    at = null;
    drawNow();
  } else {
    at = Math.max(0, moment);
    const seat = state.free && state.viewer !== null ? `?looking=${state.viewer}` : "";
    const found = await game(`/moments/${at}${seat}`);
    if (at !== found.moment) return;
    show($("board"), found.svg);
  }
  timeLine();
  followLog();
  meter();
}

function timeLine() {
  const shown = at ?? state.moment;
  $("slider").max = state.moment;
  $("slider").value = shown;
  $("where").textContent = `Moment ${shown} of ${state.moment}`;
  $("table").classList.toggle("past", at !== null);
  $("fork").disabled = state.deciders[shown] < 0 || state.curtain !== null;
  remember({ game: state.id, ...(at === null ? {} : { moment: at }) });
}

function remember(found) {
  history.replaceState(null, "", `/?${new URLSearchParams({ token, ...found })}`);
}

// -- evaluation ----------------------------------------------------------------------------------------------------

// Ask for the values that are missing, one after the other, the newest first.
let judging = false;
async function judge() {
  const program = $("judge").value.trim(), id = state?.id;
  showMeter(program);
  if (!program || judging) return;
  judging = true;
  try {
    for (let k = missing(); k >= 0 && state?.id === id && $("judge").value.trim() === program; k = missing()) {
      const found = await game("/value", { moment: k, program });
      if (state?.id !== id) break;
      values.set(k, found);
      meter();
    }
  } catch (error) {
    if (!error.message.startsWith("another question")) {
      $("judge").value = "";
      showMeter(false);
      tell(error.message);
    }
  } finally {
    judging = false;
  }
}

function showMeter(shown) {
  $("meter").hidden = !shown;
  $("curve").toggleAttribute("hidden", !shown); // an SVG element has no `hidden` of its own
}

function missing() {
  if (!state || state.thinking || state.curtain !== null) return -1;
  const own = (seat) => seat >= 0 && (state.free || seat === state.viewer);
  return state.deciders.findLastIndex((seat, k) => own(seat) && !values.has(k));
}

// A value for the seat in front: of two seats, what one gains the other loses.
const near = ({ seat, value }) => (state.seats.length === 2 && seat !== (state.viewer ?? 0) ? -value : value);

function meter() {
  if ($("meter").hidden) return;
  const points = [...values].filter(([, found]) => state.seats.length <= 2 || found.seat === (state.viewer ?? 0));
  points.sort((a, b) => a[0] - b[0]);
  const shown = at ?? state.moment, known = points.filter(([k]) => k <= shown).at(-1);
  const value = known ? Math.max(-1, Math.min(1, near(known[1]))) : 0;
  $("meter-fill").style.width = `${50 + 50 * value}%`;
  const name = state.seats[state.viewer ?? 0].name;
  $("meter-words").textContent = known ? `${signed(near(known[1]))} for ${name} (${$("judge").value}, moment ${known[0]})` : "no value yet";
  const across = (k) => (100 * k / Math.max(1, state.moment)).toFixed(2), down = (v) => (12 - 11 * Math.max(-1, Math.min(1, v))).toFixed(2);
  const line = points.map(([k, found]) => `${across(k)},${down(near(found))}`).join(" ");
  $("curve").innerHTML = `<line class="zero" x1="0" x2="100" y1="12" y2="12"/><polyline points="${line}"/>`
    + `<line class="here" x1="${across(shown)}" x2="${across(shown)}" y1="0" y2="24"/>`;
}

// -- hands ---------------------------------------------------------------------------------------------------------

function clicked(event) {
  const actions = state.asks && at === null ? actionsAt(event.clientX, event.clientY) : [];
  const card = cardOf(event.target);
  if (card) showCard(card);
  if (actions.length === 1) attempt(() => act(actions[0]));
  else if (actions.length > 1) openChoices(event, actions);
}

// Several actions point to one part: a list of them beside it.
function openChoices(event, ids) {
  const rows = state.actions.filter((action) => ids.includes(action.id));
  $("choices").replaceChildren(...rows.map((action) => {
    const button = make("button", action.label);
    button.type = "button";
    button.setAttribute("role", "menuitem");
    button.append(make("small", action.sentence));
    button.onclick = () => attempt(() => act(action.id));
    return button;
  }));
  $("choices").hidden = false;
  const { offsetWidth: width, offsetHeight: height } = $("choices");
  $("choices").style.left = `${Math.max(4, Math.min(event.clientX, innerWidth - width - 4))}px`;
  $("choices").style.top = `${Math.max(4, Math.min(event.clientY, innerHeight - height - 4))}px`;
  $("choices").querySelector("button").focus();
  event.stopPropagation();
}

function closeChoices() {
  $("choices").hidden = true;
}

function pressed(event) {
  if (!state || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range") return;
  const keys = {
    ArrowDown: () => moveFocus(1),
    ArrowUp: () => moveFocus(-1),
    ArrowLeft: () => attempt(() => goTo((at ?? state.moment) - 1)),
    ArrowRight: () => attempt(() => goTo((at ?? state.moment) + 1)),
    Escape: () => { closeChoices(); attempt(() => goTo(state.moment)); },
    u: () => attempt(undo),
    h: () => attempt(hint),
    " ": () => { if (!$("watch").hidden) pause(); },
  };
  const known = keys[event.key] ?? (/^\d$/.test(event.key) ? () => typeNumber(event.key) : null);
  if (!known || (event.key === " " && event.target.tagName === "BUTTON" && $("watch").hidden)) return;
  event.preventDefault();
  known();
}

function moveFocus(by) {
  const all = $("choices").hidden ? buttons() : [...$("choices").querySelectorAll("button")];
  const next = all.indexOf(document.activeElement) + by;
  all.at(next < 0 ? -1 : next % all.length)?.focus();
}

// Digits that follow each other quickly are one number.
function typeNumber(digit) {
  typed = Date.now() - typedAt < TYPING ? typed + digit : digit;
  typedAt = Date.now();
  (buttons()[Number(typed) - 1] ?? buttons()[Number(typed = digit) - 1])?.focus();
}

function pause() {
  playing = !playing;
  render();
  schedule();
}

function make(tag, words) {
  const element = document.createElement(tag);
  if (words !== undefined) element.textContent = words;
  return element;
}

// -- beginning -----------------------------------------------------------------------------------------------------

function listen() {
  const clicks = {
    home: start, hint, undo, first: () => goTo(0), last: () => goTo(state.moment), step: move,
    back: () => goTo((at ?? state.moment) - 1), forward: () => goTo((at ?? state.moment) + 1),
    fork: () => fork(false), swap: () => fork(true), stop: () => game("/stop", {}),
    link: async () => { await navigator.clipboard.writeText(linkHere()); tell("The link is copied. It works while this server runs."); },
  };
  for (const [id, work] of Object.entries(clicks)) $(id).onclick = () => attempt(work);
  $("reveal").onclick = () => change("/reveal");
  $("pause").onclick = pause;
  $("save").onclick = () => {
    $("save-form").hidden = !$("save-form").hidden;
    $("save-name").value = `${state.game} ${new Date().toISOString().slice(0, 16).replace("T", " ").replace(":", "")}`;
    if (!$("save-form").hidden) $("save-name").focus();
  };
  $("save-form").onsubmit = (event) => { event.preventDefault(); attempt(() => save("save")); };
  $("save-replay").onclick = () => attempt(() => save("replay"));
  $("new").onsubmit = (event) => { event.preventDefault(); attempt(newGame); };
  $("game").onchange = chooseGame;
  $("file").onchange = () => attempt(async () => {
    const [file] = $("file").files;
    if (file) await enter(async () => ask("/api/load", { text: await file.text() }));
    $("file").value = "";
  });
  $("looking").onchange = () => attempt(async () => {
    looking = Number($("looking").value);
    const shown = at;
    await take(await game(`?looking=${looking}`), true);
    if (shown !== null) await goTo(shown);
  });
  $("slider").oninput = () => attempt(() => goTo(Number($("slider").value)));
  $("speed").onchange = () => { keep("speed", $("speed").value); schedule(); };
  $("hinter").onchange = () => keep(`hinter-${state.game}`, $("hinter").value);
  $("judge").onchange = () => { keep(`judge-${state.game}`, $("judge").value); values = new Map(); judge(); };
  $("zoom").onclick = () => {
    const large = $("frame").classList.toggle("large");
    $("zoom").setAttribute("aria-pressed", large);
  };
  $("board").onclick = clicked;
  document.addEventListener("click", closeChoices);
  document.addEventListener("keydown", pressed);
}

function linkHere() {
  const found = { token, game: state.id, moment: at ?? state.moment };
  return `${location.origin}/?${new URLSearchParams(found)}`;
}

listen();
attempt(async () => {
  const id = address.get("game"), moment = address.get("moment");
  if (!id) return start();
  try {
    await open(id, moment === null ? null : Number(moment));
  } catch (error) {
    await start();
    throw error;
  }
});

// The page: it asks the server, shows what it answers, and sends what a person chooses. The server decides everything.
import { actionsAt, actionsOf, cardOf, frameAll, partsNamed, partsOf, partsToPick, show } from "./board.js";

const $ = (id) => document.getElementById(id);
const address = new URLSearchParams(location.search);
const token = address.get("token") ?? "";
const PERSON = "person", POLL = 300, TYPING = 900; // milliseconds
const PAGE = $("page").content;

let menu = null;  // games, open ones and saved ones
let playing = true;  // whether programs go on by themselves
let busy = 0;  // requests and changes under way
let view = null;  // everything that was made for the present viewer, see `newView`

// Settings outlast a viewer, so nothing of a game may be among them.
const kept = (name, otherwise) => localStorage.getItem(`rfop-${name}`) ?? otherwise;
const keep = (name, value) => localStorage.setItem(`rfop-${name}`, value);

// Replace the page and `view` for another viewer, and drop all open requests. Everything that depends on a game is kept
// in one of the two, so nothing that was made for the viewer before is left.
function newView() {
  clearTimeout(view?.timer);
  view?.requests.abort();
  view = {
    state: null,  // of the game on the table, as the server sent it
    cards: {},  // of its component set, by number
    at: null,  // the moment on the board; null: the newest
    looking: null,  // the seat whose view is asked for, where it is free
    values: new Map(),  // moment -> {seat, value}
    typed: "", typedAt: 0,  // the digits of a number, and when the last one came
    opener: null,  // what had the focus before the list beside the board
    timer: 0, asking: false, judging: false,
    requests: new AbortController(),
  };
  document.body.replaceChildren(PAGE.cloneNode(true));
  scrollTo(0, 0);
  delete document.body.dataset.version;
  delete document.body.dataset.over;
  document.title = "rfop";
  listen();
}

// An answer to an earlier viewer's request, which the present one must not see.
class LateAnswer extends Error {}

// -- asking the server ---------------------------------------------------------------------------------------------

async function ask(path, body) {
  const headers = { "X-Token": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const { signal } = view.requests;
  const request = { method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body), signal };
  let answer, found;
  try {
    answer = await fetch(path, request);
    found = await answer.json();
  } catch {
    if (!signal.aborted) throw new Error("the server does not answer: is 'rfop serve' still running?");
  }
  if (signal.aborted) throw new LateAnswer();
  if (answer.ok) return found;
  const error = new Error(found.error);
  error.state = found.state;
  throw error;
}

const game = (path = "", body) => ask(`api/games/${view.state.id}${path}`, body);

// Carry something out; what goes wrong is shown, and an outdated page is brought up to date.
async function attempt(work) {
  count(1);
  try {
    tell("");
    await work();
  } catch (error) {
    if (error instanceof LateAnswer) return;
    if (error.state) await take(error.state, true);
    tell(error.message);
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
  newView();
  remember({});
  menu = await ask("api/menu");
  $("start").hidden = false;
  $("game").replaceChildren(...menu.games.map((g) => new Option(g.title, g.id)));
  $("game").value = kept("game", menu.games[0].id);
  if (!$("game").value) $("game").selectedIndex = 0;
  chooseGame();
  listLinks("open", menu.open.map((g) => [
    `${g.title} (${g.who}), moment ${g.moment}${g.over ? ", over" : ""}`, () => open(g.id), () => closeGame(g),
  ]));
  listLinks("saved", menu.saved.map((name) => [name, () => enter(() => ask("api/load", { name }))]));
  $("open-box").hidden = !menu.open.length;
  $("no-saves").hidden = menu.saved.length > 0;
}

function listLinks(id, rows) {
  $(id).replaceChildren(...rows.map(([words, go, end]) => {
    const item = make("li");
    item.append(linkButton(words, go));
    if (end) {
      const button = linkButton("Close", end);
      button.setAttribute("aria-label", `Close ${words}`);
      item.append(button);
    }
    return item;
  }));
}

function linkButton(words, go) {
  const button = make("button", words);
  button.type = "button";
  button.onclick = () => attempt(go);
  return button;
}

// Close a game for good; one that still runs is asked about first.
async function closeGame({ id, title, over }) {
  if (!over && !confirm(`Close ${title}? It is not over, and what is not saved is lost.`)) return;
  await ask(`api/games/${id}/close`, {});
  await start();
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
  await enter(() => ask("api/games", body));
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
  await sit(await ask(`api/games/${id}`), moment);
}

// Show another game, or the same one to another viewer.
async function sit(found, moment = null) {
  const same = view.state?.id === found.id, { cards } = view;
  newView();
  view.state = found;
  if (same) view.cards = cards;
  else {
    playing = true;
    view.cards = await game("/cards");
  }
  menu ??= await ask("api/menu");
  const programs = menu.games.find((g) => g.id === found.game)?.programs ?? [];
  $("programs").replaceChildren(...programs.map((name) => new Option(name)));
  const thinker = programs.find((name) => name.startsWith("search")) ?? programs.at(-1);
  $("hinter").value = kept(`hinter-${found.game}`, thinker);
  $("judge").value = kept(`judge-${found.game}`, "");
  $("speed").value = kept("speed", "0.4");
  enlarge(kept("large", "") !== "");
  $("table").hidden = $("home").hidden = false;
  await take(found, true);
  if (found.curtain !== null) $("curtain").focus();
  if (moment !== null && moment < found.moment) await goTo(moment);
}

// -- the game ------------------------------------------------------------------------------------------------------

// Show a state, and do what follows from it: wait for a program, or have the next one decide.
async function take(found, fresh = false) {
  if (found.id !== view.state?.id) return;
  if (found.secrets_of !== view.state.secrets_of) return sit(found);
  const moved = fresh || found.version !== view.state.version;
  view.state = found;
  if (moved) {
    if (view.state.free && view.looking !== null && view.state.viewer !== view.looking) return take(await game(`?looking=${view.looking}`), true);
    view.values = new Map([...view.values].filter(([k]) => k <= view.state.moment && view.state.deciders[k] === view.values.get(k).seat));
    $("hints").hidden = true;
    closeChoices();
    if (view.state.problem) playing = false;
    if (view.at !== null && view.at >= view.state.moment) view.at = null;
    render();
  }
  schedule();
  judge();
}

const asksProgram = () => !view.state.over && view.state.curtain === null && view.state.decider >= 0 && view.state.seats[view.state.decider].player !== PERSON;

function schedule() {
  clearTimeout(view.timer);
  $("stop").hidden = !view.state.thinking && !view.asking;
  if (view.state.thinking) {
    const id = view.state.id;
    view.timer = setTimeout(() => attempt(async () => {
      const found = await ask(`api/games/${id}?known=${view.state.version}`);
      if (view.state?.id !== id) return;
      if (found.id) await take(found);
      else schedule();
    }), POLL);
  } else if (asksProgram() && playing) {
    view.timer = setTimeout(() => attempt(move), 1000 * Number($("speed").value));
  }
}

async function move() {
  if (asksProgram() && !view.state.thinking) await take(await game("/move", { version: view.state.version }));
}

async function act(action) {
  closeChoices();
  if (view.at !== null || !view.state.asks) return;
  await stopThinking();
  await take(await game("/act", { version: view.state.version, action }));
}

const change = (path) => attempt(async () => take(await game(path, { version: view.state.version }), true));

async function undo() {
  await stopThinking();
  await change("/undo");
}

// Stop the programs that think about the present position.
async function stopThinking() {
  if (view.state.thinking || view.asking) await game("/stop", {});
}

async function hint() {
  const asker = view, { version } = view.state;
  if (!asker.state.asks || asker.asking) return;
  asker.asking = true;
  $("hints").hidden = false;
  $("hints").replaceChildren(make("p", `${$("hinter").value} is thinking …`));
  schedule();
  try {
    const advice = await game("/hint", { version, program: $("hinter").value });
    if (version === view.state.version) showHint(advice);
  } catch (error) {
    if (error instanceof LateAnswer || version !== view.state.version) return; // the decision is taken
    $("hints").hidden = true;
    throw error;
  } finally {
    asker.asking = false;
    if (asker === view) schedule();
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
  const found = await game("/fork", { moment: view.at ?? view.state.moment, swap });
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
  $("title").textContent = view.state.title;
  document.title = view.state.over ? `Over: ${view.state.title}` : view.state.title;
  document.body.dataset.version = view.state.version;
  document.body.dataset.over = view.state.over;
  status();
  $("curtain").hidden = view.state.curtain === null;
  if (view.state.curtain !== null) $("curtain-words").textContent = `${view.state.seats[view.state.curtain].name} decides next. Nobody else should look.`;
  if (view.at === null) draw(view.state.svg);
  listActions();
  listLog();
  lookingChoices();
  timeLine();
  meter();
  $("watch").hidden = !view.state.seats.some((seat) => seat.player !== PERSON) || view.state.over;
  $("pause").textContent = playing ? "Pause" : "Go on";
  $("step").hidden = playing;
  $("undo").disabled = !view.state.seats.some((seat) => seat.player === PERSON) || view.state.moment === 0;
  $("hint").disabled = !view.state.asks;
  $("swap").disabled = view.state.seats.length < 2 || view.state.over || view.state.curtain !== null;
}

function status() {
  const { over, result, seats, decider, thinking, problem, seed } = view.state;
  const words = over ? `${result}.${seed ? ` Seed ${seed}.` : ""}`
    : problem ? problem
    : thinking ? `${seats[decider].name}: ${thinking} is thinking …`
    : view.state.curtain !== null ? "The curtain is down."
    : view.state.asks ? (seats.length > 1 ? `${seats[decider].name}: your decision` : "Your decision")
    : `${seats[decider].name}: ${seats[decider].player} decides`;
  $("status").textContent = words;
}

// Show a drawing whose parts can be clicked, or reached with Tab and chosen with Enter.
function draw(svg) {
  show($("board"), svg);
  $("board").querySelector("svg")?.setAttribute("role", "group"); // screen readers skip the parts of an image
  for (const part of partsToPick($("board"), view.cards)) {
    part.tabIndex = 0;
    part.setAttribute("role", "button");
    light(part, () => [part]);
  }
}

// The places that a line of the log names.
const placesOf = (line) => partsNamed($("board"), line, view.state.seats.map((seat) => seat.name));

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
  view.state.actions.forEach((action, k) => groups.set(action.kind, [...(groups.get(action.kind) ?? []), [k + 1, action]]));
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
  const card = action.card === null ? null : view.cards[action.card];
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

function listLog() {
  const items = view.state.log.flatMap((lines, moment) => lines.map((line) => {
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
  const shown = view.at ?? view.state.moment;
  for (const button of $("log").querySelectorAll("button")) button.classList.toggle("now", Number(button.dataset.moment) === shown);
  const last = [...$("log").querySelectorAll("button.now")].at(-1);
  if (last) $("log").scrollTop = last.offsetTop + last.offsetHeight - $("log").clientHeight * (view.at === null ? 1 : 0.5);
}

function lookingChoices() {
  $("looking-box").hidden = !view.state.free || view.state.seats.length < 2;
  $("looking").replaceChildren(...view.state.seats.map((seat, k) => new Option(seat.name, k)));
  $("looking").value = view.state.viewer ?? 0;
}

// -- moments -------------------------------------------------------------------------------------------------------

async function goTo(moment) {
  if (view.state.curtain !== null) return;
  if (moment >= view.state.moment) {
    view.at = null;
    draw(view.state.svg);
  } else {
    view.at = Math.max(0, moment);
    const seat = view.state.free && view.state.viewer !== null ? `?looking=${view.state.viewer}` : "";
    const found = await game(`/moments/${view.at}${seat}`);
    if (view.at !== found.moment) return;
    draw(found.svg);
  }
  timeLine();
  followLog();
  meter();
}

function timeLine() {
  const shown = view.at ?? view.state.moment;
  $("slider").max = view.state.moment;
  $("slider").value = shown;
  $("where").textContent = `Moment ${shown} of ${view.state.moment}`;
  $("table").classList.toggle("past", view.at !== null);
  $("fork").disabled = view.state.deciders[shown] < 0 || view.state.curtain !== null;
  remember({ game: view.state.id, ...(view.at === null ? {} : { moment: view.at }) });
}

function remember(found) {
  history.replaceState(null, "", `?${new URLSearchParams({ token, ...found })}`);
}

// -- evaluation ----------------------------------------------------------------------------------------------------

// Ask for the values that are missing, one after the other, the newest first.
async function judge() {
  const asker = view, program = $("judge").value.trim();
  showMeter(program && asker.state?.curtain === null);
  if (!program || asker.judging) return;
  asker.judging = true;
  try {
    for (let k = missing(); k >= 0 && $("judge").value.trim() === program; k = missing()) {
      asker.values.set(k, await game("/value", { moment: k, program }));
      meter();
    }
  } catch (error) {
    if (error instanceof LateAnswer || error.message.startsWith("another question")) return;
    $("judge").value = "";
    showMeter(false);
    tell(error.message);
  } finally {
    asker.judging = false;
  }
}

function showMeter(shown) {
  $("meter").hidden = !shown;
  $("curve").toggleAttribute("hidden", !shown); // an SVG element has no `hidden` of its own
  meter();
}

function missing() {
  if (!view.state || view.state.thinking || view.state.curtain !== null) return -1;
  const own = (seat) => seat >= 0 && (view.state.free || seat === view.state.viewer);
  return view.state.deciders.findLastIndex((seat, k) => own(seat) && !view.values.has(k));
}

// A value for the seat in front: of two seats, what one gains the other loses.
const near = ({ seat, value }) => (view.state.seats.length === 2 && seat !== (view.state.viewer ?? 0) ? -value : value);

function meter() {
  if ($("meter").hidden) return;
  const points = [...view.values].filter(([, found]) => view.state.seats.length <= 2 || found.seat === (view.state.viewer ?? 0));
  points.sort((a, b) => a[0] - b[0]);
  const shown = view.at ?? view.state.moment, known = points.filter(([k]) => k <= shown).at(-1);
  const value = known ? Math.max(-1, Math.min(1, near(known[1]))) : 0;
  $("meter-fill").style.width = `${50 + 50 * value}%`;
  const name = view.state.seats[view.state.viewer ?? 0].name;
  $("meter-words").textContent = known ? `${signed(near(known[1]))} for ${name} (${$("judge").value}, moment ${known[0]})` : "no value yet";
  const across = (k) => (100 * k / Math.max(1, view.state.moment)).toFixed(2), down = (v) => (12 - 11 * Math.max(-1, Math.min(1, v))).toFixed(2);
  const line = points.map(([k, found]) => `${across(k)},${down(near(found))}`).join(" ");
  $("curve").innerHTML = `<line class="zero" x1="0" x2="100" y1="12" y2="12"/><polyline points="${line}"/>`
    + `<line class="here" x1="${across(shown)}" x2="${across(shown)}" y1="0" y2="24"/>`;
}

// -- hands ---------------------------------------------------------------------------------------------------------

// Take the only action that a part of the board stands for; list several beside it, with what its card does.
function pick(ids, number, x, y) {
  closeChoices();
  const legal = view.state.asks && view.at === null ? view.state.actions : [];
  const actions = legal.filter(({ id }) => ids.includes(id)), card = view.cards[number];
  if (actions.length === 1) attempt(() => act(actions[0].id));
  else if (actions.length || card) openChoices(card, actions, x, y);
}

function openChoices(card, actions, x, y) {
  const text = card ? [make("h2", card.title), ...card.does.map((line) => make("p", line))] : [];
  $("choices").replaceChildren(...text, ...actions.map((action) => {
    const button = make("button", action.label);
    button.type = "button";
    button.append(make("small", action.sentence));
    button.onclick = () => attempt(() => act(action.id));
    return button;
  }));
  $("choices").setAttribute("aria-label", card ? card.title : "Actions");
  $("choices").hidden = false;
  const { offsetWidth: width, offsetHeight: height } = $("choices");
  $("choices").style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  $("choices").style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
  view.opener = document.activeElement;
  ($("choices").querySelector("button") ?? $("choices")).focus();
}

function closeChoices() {
  if ($("choices").contains(document.activeElement)) view.opener?.focus();
  $("choices").hidden = true;
  $("choices").replaceChildren();
}

// The keys that a control needs for itself while it has the focus.
const KEYS_OF = [
  ["input:not([type=range]), select, textarea", /^/],
  ["input[type=range]", /^(Arrow|Home|End|Page)/],
  ["button, summary, [role=button]", /^( |Enter)$/],
];
const needs = (element, key) => KEYS_OF.some(([kind, keys]) => element.matches(kind) && keys.test(key));

function pressed(event) {
  if (!view.state || event.ctrlKey || event.metaKey || event.altKey || needs(event.target, event.key)) return;
  const keys = {
    ArrowDown: () => moveFocus(1),
    ArrowUp: () => moveFocus(-1),
    ArrowLeft: () => attempt(() => goTo((view.at ?? view.state.moment) - 1)),
    ArrowRight: () => attempt(() => goTo((view.at ?? view.state.moment) + 1)),
    Escape: () => ($("choices").hidden ? attempt(() => goTo(view.state.moment)) : closeChoices()),
    u: () => attempt(undo),
    h: () => attempt(hint),
    ...($("watch").hidden ? {} : { " ": pause }),
  };
  const known = keys[event.key] ?? (/^\d$/.test(event.key) ? () => typeNumber(event.key) : null);
  if (!known) return;
  event.preventDefault();
  known();
}

function moveFocus(by) {
  const choices = [...$("choices").querySelectorAll("button")], all = choices.length ? choices : buttons();
  const next = all.indexOf(document.activeElement) + by;
  all.at(next < 0 ? -1 : next % all.length)?.focus();
}

// Digits that follow each other quickly are one number.
function typeNumber(digit) {
  view.typed = Date.now() - view.typedAt < TYPING ? view.typed + digit : digit;
  view.typedAt = Date.now();
  (buttons()[Number(view.typed) - 1] ?? buttons()[Number(view.typed = digit) - 1])?.focus();
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
    home: start, hint, undo, first: () => goTo(0), last: () => goTo(view.state.moment), step: move,
    back: () => goTo((view.at ?? view.state.moment) - 1), forward: () => goTo((view.at ?? view.state.moment) + 1),
    fork: () => fork(false), swap: () => fork(true), stop: () => game("/stop", {}),
    link: async () => { await navigator.clipboard.writeText(linkHere()); tell("The link is copied. It works while this server runs."); },
  };
  for (const [id, work] of Object.entries(clicks)) $(id).onclick = () => attempt(work);
  $("reveal").onclick = () => change("/reveal");
  $("pause").onclick = pause;
  $("save").onclick = () => {
    $("save-form").hidden = !$("save-form").hidden;
    $("save-name").value = `${view.state.game} ${new Date().toISOString().slice(0, 16).replace("T", " ").replace(":", "")}`;
    if (!$("save-form").hidden) $("save-name").focus();
  };
  $("save-form").onsubmit = (event) => { event.preventDefault(); attempt(() => save("save")); };
  $("save-replay").onclick = () => attempt(() => save("replay"));
  $("new").onsubmit = (event) => { event.preventDefault(); attempt(newGame); };
  $("game").onchange = chooseGame;
  $("file").onchange = () => attempt(async () => {
    const [file] = $("file").files;
    if (file) await enter(async () => ask("api/load", { text: await file.text() }));
    $("file").value = "";
  });
  $("looking").onchange = () => attempt(async () => {
    view.looking = Number($("looking").value);
    const shown = view.at;
    await take(await game(`?looking=${view.looking}`), true);
    if (shown !== null) await goTo(shown);
  });
  $("slider").oninput = () => attempt(() => goTo(Number($("slider").value)));
  $("speed").onchange = () => { keep("speed", $("speed").value); schedule(); };
  $("hinter").onchange = () => keep(`hinter-${view.state.game}`, $("hinter").value);
  $("judge").onchange = () => { keep(`judge-${view.state.game}`, $("judge").value); view.values = new Map(); judge(); };
  $("zoom").onclick = () => {
    const large = !$("frame").classList.contains("large");
    keep("large", large ? "yes" : "");
    enlarge(large);
  };
  $("board").onclick = (event) => {
    event.stopPropagation();
    pick(actionsAt(event.clientX, event.clientY), cardOf(event.target), event.clientX, event.clientY);
  };
  $("board").onkeydown = (event) => {
    if (!needs(event.target, event.key)) return;
    event.preventDefault();
    if (event.repeat) return;
    const { left, bottom } = event.target.getBoundingClientRect();
    pick(actionsOf(event.target), cardOf(event.target), left, bottom);
  };
}

function enlarge(large) {
  $("frame").classList.toggle("large", large);
  $("zoom").setAttribute("aria-pressed", large);
}

function linkHere() {
  const found = { token, game: view.state.id, moment: view.at ?? view.state.moment };
  return `${location.origin}${location.pathname}?${new URLSearchParams(found)}`;
}

document.addEventListener("click", (event) => { if (!$("choices").contains(event.target)) closeChoices(); });
document.addEventListener("keydown", pressed);
newView();
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

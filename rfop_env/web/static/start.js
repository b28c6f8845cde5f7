// The start: the form of a new game, open games, saved games.
import { ask } from "./api.js";
import { $, make, makeButton } from "./dom.js";
import { PERSON, attempt, closeGame, goTo, openGame, sit } from "./game.js";
import { saveSetting, setting, store } from "./store.js";

export function showStart() {
  const { games, open, saved } = store.menu;
  $("start").hidden = false;
  $("game").replaceChildren(...games.map((game) => new Option(game.title, game.id)));
  $("game").value = setting("game", games[0].id);
  if (!$("game").value) $("game").selectedIndex = 0;
  showGame();
  $("open").replaceChildren(...open.map(openRow));
  $("saved").replaceChildren(...saved.map(savedRow));
  $("open-box").hidden = !open.length;
  $("no-saves").hidden = saved.length > 0;
  $("guide-me").checked = setting("guide", "") !== "";
}

function openRow(game) {
  const { title, who, start, moment, turn, over, time } = game, row = make("li");
  const text = `${title} (${who}), ${start === null ? "" : `played on from moment ${start}, `}moment ${moment}, ${over ? "over" : `${turn} decides`}`;
  const open = makeButton(text, { onclick: () => attempt(() => openGame(game.id)) });
  const close = makeButton("Delete", { onclick: () => attempt(() => closeGame(game)) });
  close.setAttribute("aria-label", `Delete ${text}`);
  open.append(make("small", ` ${timeInWords(time)}`));
  row.append(open, close);
  return row;
}

// A time in milliseconds: of today without the day.
function timeInWords(time) {
  const then = new Date(time), day = then.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
  return then.toLocaleString(undefined, { hour: "2-digit", minute: "2-digit", ...day });
}

function savedRow(name) {
  const row = make("li");
  row.append(makeButton(name, { onclick: () => attempt(() => enter("api/load", { name })) }));
  return row;
}

// -- the form ------------------------------------------------------------------------------------------------------

const selectedGame = () => store.menu.games.find(({ id }) => id === $("game").value);

// What can be chosen for the selected game.
export function showGame() {
  const { options, players, components, puzzles } = selectedGame();
  $("players").textContent = `Players: ${players}`;
  $("components").replaceChildren(...components.map(({ name, digest }) => new Option(name, digest)));
  $("components-box").hidden = components.length < 2;
  $("options").replaceChildren(...options.map(optionRow));
  $("puzzles-box").hidden = !puzzles;
  $("puzzles").replaceChildren(...Array.from({ length: puzzles }, (_, k) => puzzleButton(k + 1)));
  $("options-box").hidden = !options.length;
  $("options-box").open = options.some(({ name }) => name === "side" || name === "players");
  showSeats();
}

function puzzleButton(number) {
  const button = makeButton(number, { onclick: () => attempt(() => enter("api/puzzles", { game: $("game").value, number })) });
  button.setAttribute("aria-label", `Puzzle ${number}`);
  return button;
}

function optionRow({ name, values, meaning }) {
  const label = make("label", `${name} `), select = make("select", undefined, { name, onchange: showSeats });
  select.append(...values.map((value) => new Option(value)));
  label.append(select, make("small", meaning));
  return label;
}

const readOptions = () => Object.fromEntries([...$("options").querySelectorAll("select")].map((select) => [select.name, select.value]));

export const readSeats = (box) => [...box.querySelectorAll(".seat")].map((row) => row.querySelector("select").value || row.querySelector("input").value.trim());

function showSeats() {
  const { seats, programs, levels } = selectedGame(), players = Number(readOptions().players ?? seats.length);
  const rated = levels.filter((level) => level.players === players), other = programs.filter((name) => !rated.some((level) => level.name === name));
  const previous = readSeats($("seats")), choices = [{ name: PERSON }, ...rated, ...other.map((name) => ({ name }))];
  const names = choices.map(({ name }) => name), [usual] = ["scripted", "solo-opponent", programs[1]].filter((name) => names.includes(name));
  const rows = seatTitles(seats, players).map((title, k) => {
    const name = previous[k] ?? (k === 0 ? PERSON : usual);
    return seatRow(title, choices, names.includes(name) ? name : names[k === 0 ? 0 : 1]);
  });
  $("seats").replaceChildren(make("legend", "Who plays"), ...rows);
}

// Names of seats for people: without their numbers where they differ without them.
function seatTitles(seats, players) {
  const names = Array.from({ length: players }, (_, k) => seats[k] ?? `player_${k}`);
  const bare = names.map((name) => name.replace(/_\d+$/, ""));
  const titles = new Set(bare).size === players ? bare : names;
  return titles.map((title) => title.replaceAll("_", " "));
}

// Who sits in a seat: one of the names, with the level that was measured for it, or another one that is typed.
export function seatRow(title, choices, name) {
  const row = make("div", undefined, { className: "seat" }), select = make("select");
  const label = make("label", title[0].toUpperCase() + title.slice(1));
  const input = make("input", undefined, { hidden: true, maxLength: 300, autocomplete: "off", placeholder: "search-2s, runs/mine, …" });
  input.setAttribute("aria-label", `Another program for ${title}`);
  const words = ({ name: choice, level }) => (level === undefined ? choice : `${choice} (${level})`);
  select.append(...choices.map((choice) => new Option(words(choice), choice.name)), new Option("another …", ""));
  select.value = name;
  select.onchange = () => {
    input.hidden = select.value !== "";
    input.required = !input.hidden;
    if (!input.hidden) input.focus();
  };
  label.append(select);
  row.append(label, input);
  return row;
}

// -- beginning -----------------------------------------------------------------------------------------------------

export async function newGame() {
  const body = { game: $("game").value, options: readOptions(), seats: readSeats($("seats")), components: $("components").value };
  if ($("seed").value) body.seed = $("seed").value;
  saveSetting("guide", $("guide-me").checked ? "yes" : "");
  await enter("api/games", body);
}

export async function loadFile() {
  const [file] = $("file").files;
  if (!file) return;
  const text = await file.text();
  $("file").value = ""; // so that the same file can be chosen again
  await enter("api/load", { text });
}

// A replay that is part of the page, at a moment.
export async function openReplay(name, moment) {
  await enter("api/load", { name });
  await goTo(moment);
}

// The puzzle on the table anew (0), or the next one (1).
export async function openPuzzle(step) {
  const { game, puzzle } = store.view.state;
  await enter("api/puzzles", { game, number: puzzle.number + step });
}

async function enter(path, body) {
  $("first-use").hidden = false;
  try {
    const state = await ask(path, body);
    await sit(state, state.recorded ? 0 : null);
  } finally {
    $("first-use").hidden = true;
  }
}

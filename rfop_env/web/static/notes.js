// Cards that a text names, and the note beside it that says what they do.
import { mentions } from "./board.js";
import { $, make } from "./dom.js";
import { store } from "./store.js";

const DELAY = 150; // milliseconds in which the pointer may reach the note

let timer = 0;

// How sentences name a card: "7 Général Espivent", "bonus tile 12".
const spellings = (number) => [`${number} ${store.view.cards[number].name}`, `bonus tile ${number}`];

// The numbers of the cards that a text names.
export function cardsNamed(text) {
  const { cards, named } = store.view;
  if (!named.has(text)) named.set(text, Object.keys(cards).filter((number) => text.includes(number) && spellings(number).some((name) => mentions(text, name))));
  return named.get(text);
}

// A text in which the names of cards stand out.
export function withCards(text) {
  const names = cardsNamed(text).flatMap(spellings).filter((name) => mentions(text, name));
  const row = make("span");
  let remainder = text;
  for (;;) {
    const [at, name] = names.map((name) => [remainder.indexOf(name), name]).filter(([at]) => at >= 0).sort(([a], [b]) => a - b)[0] ?? [-1];
    if (at < 0) break;
    row.append(remainder.slice(0, at), make("span", name, { className: "mention" }));
    remainder = remainder.slice(at + name.length);
  }
  row.append(remainder);
  return row;
}

// What a card does, and where its text comes from.
export function cardText(number) {
  const { does, provenance } = store.view.cards[number], text = make("small", `${does.join("; ")} `);
  text.append(make("em", provenance, { className: "provenance" }));
  return text;
}

// The cards in full: title and text.
export const cardRows = (numbers) => numbers.map((number) => {
  const row = make("p", undefined, { className: "card-row" });
  row.append(make("b", `${number} ${store.view.cards[number].name}`), cardText(number));
  return row;
});

// Have a note with some cards stand beside an element while it is under the pointer or has the focus.
export function explain(element, numbers) {
  if (!numbers.length) return;
  const open = () => openNote(element, numbers);
  for (const name of ["pointermove", "focus"]) element.addEventListener(name, open); // a pointer that rests opens nothing
  for (const name of ["mouseleave", "blur"]) element.addEventListener(name, closeSoon);
}

function openNote(element, numbers) {
  const note = $("note"), { left, top, bottom } = element.getBoundingClientRect();
  clearTimeout(timer);
  if (element.getAttribute("aria-describedby") === "note") return;
  closeNote();
  note.replaceChildren(...cardRows(numbers));
  note.hidden = false;
  const below = bottom + note.offsetHeight + 4 < innerHeight;
  note.style.left = `${Math.max(4, Math.min(left, innerWidth - note.offsetWidth - 4))}px`;
  note.style.top = `${Math.max(4, below ? bottom + 2 : top - note.offsetHeight - 2)}px`;
  note.onmouseenter = () => clearTimeout(timer);
  note.onmouseleave = closeSoon;
  element.setAttribute("aria-describedby", "note");
}

function closeSoon() {
  clearTimeout(timer);
  timer = setTimeout(closeNote, DELAY);
}

// Close the note; whether one was open.
export function closeNote() {
  clearTimeout(timer);
  const { hidden } = $("note");
  $("note").hidden = true;
  $("note").replaceChildren();
  document.querySelector("[aria-describedby=note]")?.removeAttribute("aria-describedby");
  return !hidden;
}

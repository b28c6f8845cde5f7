// The drawn board: which parts can be clicked, which parts a sentence names, and the frames around them.

const SVG = "http://www.w3.org/2000/svg";

// Put a drawing into its place. Parts that legal actions point to carry them as `data-action`; they get a frame.
export function show(place, drawing) {
  place.innerHTML = drawing;
  const svg = place.querySelector("svg");
  if (!svg) return;
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  for (const part of svg.querySelectorAll("[data-action]")) {
    part.prepend(frame(part, "hit", 0));
    part.append(frame(part, "can", -2));
  }
}

// The ids of the actions that the uppermost part with any, at a point of the window, stands for. Parts without actions
// may lie above it: the spaces of a dimension, say.
export function actionsAt(x, y) {
  const parts = document.elementsFromPoint(x, y).map((element) => element.closest("#board [data-action]"));
  const part = parts.find(Boolean);
  return part ? actionsOf(part) : [];
}

// The ids of the actions that a part stands for.
export function actionsOf(part) {
  return part.dataset.action?.split(" ").map(Number) ?? [];
}

// The parts that stand for an action.
export function partsOf(place, action) {
  return [...place.querySelectorAll(`[data-action~="${action}"]`)];
}

// The number of the card that an element of the drawing belongs to, or null.
export function cardOf(element) {
  for (let part = element; part?.closest; part = part.parentNode) {
    const number = numberOf(part);
    if (number !== null) return number;
  }
  return null;
}

// The number of the card that a part shows ("#7 Général Espivent", "9 Declaration of Pillnitz"), or null.
function numberOf(part) {
  if (!/card|headline|objective|bonus/.test(part.getAttribute("class") ?? "")) return null;
  const number = /#(\d+) |^(\d+) /.exec(tip(part));
  return number && (number[1] ?? number[2]);
}

// The parts that stand for an action or show one of the cards.
export function partsToPick(place, cards) {
  return [...place.querySelectorAll("g")].filter((part) => part.dataset.action || numberOf(part) in cards);
}

// The parts that a sentence names, longest names first; `not`: names that stand for players, not for places.
export function partsNamed(place, sentence, not = []) {
  const named = [];
  let rest = sentence;
  const names = [...place.querySelectorAll("g")].map((part) => [nameOf(part), part]).filter(([name]) => name.length > 1);
  names.sort((a, b) => b[0].length - a[0].length);
  for (const [name, part] of names) {
    if (not.includes(name)) continue;
    if (mentions(rest, name) || (mentions(sentence, name) && named.some(([n]) => n === name))) {
      named.push([name, part]);
      rest = rest.split(name).join(" ");
    }
  }
  return named.map(([, part]) => part);
}

// Frame some parts in a style, above everything else; frames of that style that were there before go.
export function frameAll(place, style, parts) {
  const svg = place.querySelector("svg");
  for (const old of place.querySelectorAll(`rect.${style}`)) old.remove();
  for (const part of parts) {
    const rect = frame(part, style, 2);
    const { a, b, c, d, e, f } = svg.getScreenCTM().inverse().multiply(part.getScreenCTM());
    rect.setAttribute("transform", `matrix(${[a, b, c, d, e, f].join(" ")})`);
    svg.append(rect);
  }
}

// A rectangle around a part, so many units outside of it.
function frame(part, style, out) {
  const box = part.getBBox(), rect = document.createElementNS(SVG, "rect");
  const size = { x: box.x - out, y: box.y - out, width: Math.max(1, box.width + 2 * out), height: Math.max(1, box.height + 2 * out), rx: 6 };
  for (const [name, value] of Object.entries(size)) rect.setAttribute(name, value);
  rect.setAttribute("class", `frame ${style}`);
  return rect;
}

function tip(part) {
  return part.querySelector(":scope > title")?.textContent ?? "";
}

// "Press (Public Opinion), Versailles 1" is called "Press"; "#7 Général Espivent: ..." is called "7 Général Espivent".
function nameOf(part) {
  return tip(part).split(/[:;,(]/)[0].replace(/^#/, "").replace(/ army$/, "").trim();
}

function mentions(sentence, name) {
  const at = sentence.indexOf(name);
  if (at < 0) return false;
  const letter = /[\p{L}\p{N}]/u;
  return !letter.test(sentence[at - 1] ?? " ") && !letter.test(sentence[at + name.length] ?? " ");
}

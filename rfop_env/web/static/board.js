// The drawn board: which parts can be clicked, which parts a sentence names, and the frames around them.
import { makeSvg } from "./dom.js";

const NUMBER = 13; // pixels: the height of a number on the board

// Put a drawing, an SVG document or "", into its place. Parts that legal actions point to carry them as `data-action`;
// they get a frame.
export function show(place, drawing) {
  place.parentElement.style.removeProperty("--shape");
  if (!drawing) return place.replaceChildren();
  const svg = document.importNode(new DOMParser().parseFromString(drawing, "image/svg+xml").documentElement, true);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  place.replaceChildren(svg);
  const { width, height } = svg.viewBox.baseVal;
  place.parentElement.style.setProperty("--shape", `${width} / ${height}`); // the frame's
  for (const part of svg.querySelectorAll("[data-action]")) {
    part.prepend(frame(part, "hit", 0));
    part.append(frame(part, "can", -2));
  }
}

// The ids of the actions that the uppermost part with any, at a point of the window, stands for. Parts without actions
// may lie above it: the spaces of a dimension, say.
export function actionsAt(place, x, y) {
  const parts = document.elementsFromPoint(x, y).map((element) => element.closest("[data-action]"));
  const part = parts.find((part) => part && place.contains(part));
  return part ? partActions(part) : [];
}

// The ids of the actions that a part stands for.
export function partActions(part) {
  return part.dataset.action?.split(" ").map(Number) ?? [];
}

// The parts that stand for an action.
export function actionParts(place, action) {
  return [...place.querySelectorAll(`[data-action~="${action}"]`)];
}

// The number of the card that an element of the drawing belongs to, or null.
export function cardAt(element) {
  for (let part = element; part?.closest; part = part.parentNode) {
    const number = cardNumber(part);
    if (number !== null) return number;
  }
  return null;
}

// The number of the card that a part shows ("#7 Général Espivent", "9 Declaration of Pillnitz"), or null.
function cardNumber(part) {
  if (!/card|headline|objective|bonus/.test(part.getAttribute("class") ?? "")) return null;
  const number = /#(\d+) |^(\d+) /.exec(tip(part));
  return number && (number[1] ?? number[2]);
}

// The parts that stand for an action, where one can be taken, or show one of the cards.
export function partsToPick(place, cards, canAct) {
  return [...place.querySelectorAll("g")].filter((part) => (canAct && part.dataset.action) || cardNumber(part) in cards);
}

// The parts that a sentence names, longest names first; `not`: names that stand for players, not for places.
export const partsNamed = (place, sentence, not = []) => named(place, sentence, not).map(([, part]) => part);

// Where a sentence ends: the part that it names last, and the one that something has left for it ("from A to B"). Names
// that several parts share say no place.
export function track(place, sentence, not = []) {
  const find = (words) => {
    const hits = named(place, words, not), isAlone = ([name]) => hits.filter(([hit]) => hit === name).length === 1;
    return hits.filter(isAlone).map(([name, part]) => [words.lastIndexOf(name), part]).sort(([a], [b]) => b - a)[0]?.[1];
  };
  const [, left] = / from (.+) to /.exec(sentence) ?? [];
  return { to: find(sentence), from: left === undefined ? undefined : find(left) };
}

const namesByDrawing = new WeakMap();

// The parts of a drawing with their names, longest names first.
function partNames(svg) {
  if (!svg) return [];
  if (!namesByDrawing.has(svg)) {
    const names = [...svg.querySelectorAll("g")].map((part) => [partName(part), part]).filter(([name]) => name.length > 1);
    namesByDrawing.set(svg, names.sort((a, b) => b[0].length - a[0].length));
  }
  return namesByDrawing.get(svg);
}

function named(place, sentence, not) {
  const hits = [];
  let remainder = sentence;
  for (const [name, part] of partNames(place.querySelector("svg"))) {
    if (not.includes(name)) continue;
    if (mentions(remainder, name) || (mentions(sentence, name) && hits.some(([hit]) => hit === name))) {
      hits.push([name, part]);
      remainder = remainder.split(name).join(" ");
    }
  }
  return hits;
}

// Frame parts of the board while an element is under the pointer or has the focus.
export function light(element, place, parts) {
  const on = () => frameAll(place, "lit", parts()), off = () => frameAll(place, "lit", []);
  for (const name of ["mouseenter", "focus"]) element.addEventListener(name, on);
  for (const name of ["mouseleave", "blur"]) element.addEventListener(name, off);
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

// Put numbers on parts, and arrows from where something has left; marks of that style that were there before go.
export function markParts(place, marks, style = "news") {
  const svg = place.querySelector("svg");
  for (const old of place.querySelectorAll(`.mark.${style}`)) old.remove();
  if (!svg || !marks.length) return;
  const size = NUMBER / svg.getScreenCTM().a, numbers = new Map();
  for (const { number, to, from } of marks) {
    numbers.set(to, [...numbers.get(to) ?? [], number]);
    if (from && from !== to) svg.append(arrow(middle(svg, from), middle(svg, to), size, style));
  }
  for (const [part, list] of numbers) svg.append(badge(corner(svg, part), list.join(" "), size, style));
}

// A point of a part in the units of the whole drawing: `across` and `down` run from 0 to 1.
function point(svg, part, across, down) {
  const { x, y, width, height } = part.getBBox();
  return new DOMPoint(x + across * width, y + down * height).matrixTransform(svg.getScreenCTM().inverse().multiply(part.getScreenCTM()));
}

const middle = (svg, part) => point(svg, part, 0.5, 0.5), corner = (svg, part) => point(svg, part, 1, 0);

function badge({ x, y }, text, size, style) {
  const mark = makeSvg("g", { class: `mark ${style}` }), width = size * (0.7 + 0.6 * text.length);
  const words = makeSvg("text", { x: x - width / 2, y: y + 0.87 * size, "font-size": size, "text-anchor": "middle" });
  words.textContent = text;
  mark.append(makeSvg("rect", { x: x - width, y: y - 0.15 * size, width, height: 1.3 * size, rx: 0.65 * size }), words);
  return mark;
}

function arrow(from, to, size, style) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1, dx = ((to.x - from.x) / length) * size, dy = ((to.y - from.y) / length) * size;
  const mark = makeSvg("g", { class: `mark ${style}` }), tip = [to.x, to.y], left = [to.x - dx - dy / 2, to.y - dy + dx / 2], right = [to.x - dx + dy / 2, to.y - dy - dx / 2];
  mark.append(
    makeSvg("line", { x1: from.x, y1: from.y, x2: to.x - dx / 2, y2: to.y - dy / 2, "stroke-width": size / 4 }),
    makeSvg("polygon", { points: [tip, left, right].map((pair) => pair.join(",")).join(" ") }),
  );
  return mark;
}

// Number the parts of several actions, the best first: frames, and arrows where the sentence has something leave a part.
// An action without a part of its own is at the one that its sentence names last.
export function markBest(place, actions, not) {
  const marks = actions.flatMap(({ id, sentence }, k) => {
    const { to, from } = track(place, sentence, not), own = actionParts(place, id), at = to && (from || !own.length) ? [to] : [];
    return [...new Set([...own, ...at])].map((part) => ({ number: k + 1, to: part, from: part === to ? from : undefined }));
  });
  frameAll(place, "best", marks.map(({ to }) => to));
  markParts(place, marks, "best");
}

// A rectangle around a part, so many units outside of it.
function frame(part, style, out) {
  const box = part.getBBox();
  return makeSvg("rect", {
    class: `frame ${style}`,
    x: box.x - out,
    y: box.y - out,
    width: Math.max(1, box.width + 2 * out),
    height: Math.max(1, box.height + 2 * out),
    rx: 6,
  });
}

function tip(part) {
  return part.querySelector(":scope > title")?.textContent ?? "";
}

// "Press (Public Opinion), Versailles 1" is called "Press"; "#7 Général Espivent: ..." is called "7 Général Espivent".
function partName(part) {
  return tip(part).split(/[:;,(]/)[0].replace(/^#/, "").replace(/ army$/, "").trim();
}

export function mentions(sentence, name) {
  const at = sentence.indexOf(name);
  if (at < 0) return false;
  const letter = /[\p{L}\p{N}]/u;
  return !letter.test(sentence[at - 1] ?? " ") && !letter.test(sentence[at + name.length] ?? " ");
}

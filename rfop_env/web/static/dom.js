// Elements: small functions that the page, replays and notebooks share.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

export const number = (n) => String(n).replace("-", "−");

export const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;

export const sentenceCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function make(tag, text, properties = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  return Object.assign(element, properties);
}

export const makeButton = (text, properties = {}) => make("button", text, { type: "button", ...properties });

// The rows of a table of points by source.
export function scoreRows({ sides, rows }) {
  const head = make("tr"), cell = (tag, text, scope) => Object.assign(make(tag, text), scope && { scope });
  head.append(make("td"), ...sides.map((side) => cell("th", side, "col")));
  return [head, ...rows.map(([source, points]) => {
    const row = make("tr");
    row.append(cell("th", sentenceCase(source), "row"), ...points.map((n) => cell("td", number(n))));
    return row;
  })];
}

export function makeSvg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// The bytes of a text that the page holds: deflated, base64.
export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The log, the curve of values and the charts of points, with the moment on the board marked in all.
import { make, makeButton, makeSvg, number, sentenceCase } from "./dom.js";

// A line of the log: a button that leads to its moment.
export function logRow(content, moment, go) {
  const item = make("li"), link = makeButton(undefined, { onclick: go });
  link.dataset.moment = moment;
  link.append(content);
  item.append(link);
  return item;
}

// Mark the lines of a moment, and scroll the last line up to it to a height of the log: 0.5 is the middle, 1 the end.
export function followLog(log, moment, height) {
  const links = [...log.querySelectorAll("button")];
  for (const link of links) link.classList.toggle("now", Number(link.dataset.moment) === moment);
  const last = links.findLast((link) => Number(link.dataset.moment) <= moment);
  log.scrollTop = last ? last.offsetTop + last.offsetHeight - log.clientHeight * height : 0;
}

// Draw values over the moments of a game, as [moment, value], in a box of 100 by 24.
export function drawCurve(svg, points, moment, lastMoment) {
  const across = (k) => ((100 * k) / Math.max(1, lastMoment)).toFixed(2);
  const down = (value) => (12 - 11 * Math.max(-1, Math.min(1, value))).toFixed(2);
  svg.replaceChildren(
    makeSvg("line", { class: "zero", x1: 0, x2: 100, y1: 12, y2: 12 }),
    makeSvg("polyline", { points: points.map(([k, value]) => `${across(k)},${down(value)}`).join(" ") }),
    makeSvg("line", { class: "here", x1: across(moment), x2: across(moment), y1: 0, y2: 24 }),
  );
}

// A sign for each side, as its lines in the charts are drawn.
export const sideSigns = ({ sides }) => sides.map((side, k) => {
  const sign = make("span"), line = makeSvg("svg", { viewBox: "0 0 30 10", "aria-hidden": true });
  line.append(makeSvg("line", { class: `side-${k}`, x1: 0, x2: 30, y1: 5, y2: 5 }));
  sign.append(line, side);
  return sign;
});

// The points of a source over the moments of a game, in a box of 100 by 30; nothing where it never had any. A press leads
// to the moment there.
export function pointsChart({ sides, sources, moments }, source, go) {
  const rows = moments.map((row) => row?.[source]), values = rows.filter(Boolean).flat();
  const low = Math.min(0, ...values), high = Math.max(0, ...values);
  if (low === high) return [];
  const last = Math.max(1, moments.length - 1), across = (k) => ((100 * k) / last).toFixed(2);
  const down = (value) => (28 - (26 * (value - low)) / (high - low)).toFixed(2), name = sentenceCase(sources[source]);
  const final = rows.findLast(Boolean).map((n, k) => `${sides[k]} ${number(n)}`).join(", ");
  const svg = makeSvg("svg", { viewBox: "0 0 100 30", preserveAspectRatio: "none", role: "img", "aria-label": `${name} over the game: from ${number(low)} to ${number(high)}, at the end ${final}` });
  svg.append(makeSvg("line", { class: "zero", x1: 0, x2: 100, y1: down(0), y2: down(0) }));
  for (const k of sides.keys()) {
    const places = rows.flatMap((row, moment) => row ? [`${across(moment)},${down(row[k])}`] : []);
    svg.append(makeSvg("polyline", { class: `side-${k}`, points: places.join(" ") }));
  }
  svg.append(makeSvg("line", { class: "here", x1: 0, x2: 0, y1: 0, y2: 30 }));
  svg.onclick = ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    go(Math.round(((clientX - left) / width) * last));
  };
  const figure = make("figure"), caption = make("figcaption");
  caption.append(make("span", name), make("span", `${number(low)} to ${number(high)}`));
  figure.append(caption, svg);
  return [figure];
}

// Mark a moment in charts.
export function markMoment(charts, moment, lastMoment) {
  const across = (100 * moment) / Math.max(1, lastMoment);
  for (const line of charts.querySelectorAll(".here")) for (const end of ["x1", "x2"]) line.setAttribute(end, across);
}

// The rows of a table of the points at each moment at which they changed.
export function pointsTable({ sides, sources, moments }, go) {
  const head = make("tr"), changed = moments.flatMap((row, k) => (row && String(row) !== String(moments[k - 1] ?? "") ? [k] : []));
  const columns = sources.flatMap((source) => sides.map((side) => (sides.length > 1 ? `${sentenceCase(source)}, ${side}` : sentenceCase(source))));
  head.append(make("th", "Moment", { scope: "col" }), ...columns.map((column) => make("th", column, { scope: "col" })));
  return [head, ...changed.map((moment) => {
    const row = make("tr"), first = make("th", undefined, { scope: "row" });
    first.append(makeButton(moment, { onclick: () => go(moment), ariaLabel: `Go to moment ${moment}` }));
    row.append(first, ...moments[moment].flat().map((n) => make("td", number(n))));
    return row;
  })];
}

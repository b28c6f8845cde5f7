// The log and the curve of values, with the moment on the board marked in both.
import { make, makeButton, makeSvg } from "./dom.js";

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

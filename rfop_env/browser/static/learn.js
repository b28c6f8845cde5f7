// The page "watch it learn": a button, and the curve of what the worker reports.
import { $, makeSvg, unpack } from "./dom.js";

const WIDTH = 640, HEIGHT = 300, LEFT = 54, BOTTOM = 28, TOP = 10, RIGHT = 10;
const LINES = [["random", "#8a5a00", "6 3", "random play"], ["scripted", "#1f4e9c", "", "the scripted player"]];
const points = [];

async function begin() {
  const parts = {};
  for (const part of document.querySelectorAll("script[data-part]")) parts[part.dataset.part] = await unpack(part.textContent);
  const worker = new Worker(URL.createObjectURL(new Blob([parts["learner.js"]], { type: "text/javascript" })));
  let running = false, since = 0, spent = 0;
  worker.onmessage = ({ data }) => {
    if (running) spent += (performance.now() - since) / 1000;
    since = performance.now();
    points.push(data);
    draw();
    const { games, decisions, random, scripted } = data;
    const speed = spent ? `, ${Math.round(decisions / spent).toLocaleString("en")} decisions a second` : "";
    $("status").textContent = `${games.toLocaleString("en")} games against itself${speed}. It wins ${percent(random)} against random play and ${percent(scripted)} against the scripted player.`;
    $("run").disabled = false;
  };
  const seed = Number(new URLSearchParams(location.search).get("seed") ?? 1); // the same seed learns the same in the same browser
  worker.postMessage({ parts, seed });
  $("run").onclick = () => {
    running = !running;
    since = performance.now();
    $("run").textContent = running ? "Pause" : "Go on";
    worker.postMessage({ run: running });
  };
  draw();
}

const percent = (share) => `${(100 * share).toFixed(0)} %`;

function draw() {
  const most = Math.max(1000, ...points.map(({ games }) => games)), svg = $("wins");
  const x = (games) => LEFT + games / most * (WIDTH - LEFT - RIGHT), y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
  const text = (words, attributes) => {
    const element = makeSvg("text", { "font-size": 13, fill: "currentColor", ...attributes });
    element.textContent = words;
    return element;
  };
  const parts = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(makeSvg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share), stroke: "currentColor", opacity: 0.2 }));
    parts.push(text(percent(share), { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }));
  }
  parts.push(text(`${most.toLocaleString("en")} games`, { x: WIDTH - RIGHT, y: HEIGHT - 8, "text-anchor": "end" }));
  LINES.forEach(([name, stroke, dashes, label], k) => {
    const corners = points.map((point) => `${x(point.games).toFixed(1)},${y(point[name]).toFixed(1)}`).join(" ");
    parts.push(makeSvg("polyline", { points: corners, fill: "none", stroke, "stroke-width": 2.5, "stroke-dasharray": dashes }));
    parts.push(text(`wins against ${label}`, { x: WIDTH - RIGHT, y: HEIGHT - BOTTOM - 34 + 18 * k, "text-anchor": "end", fill: stroke, "font-weight": "bold" }));
  });
  svg.replaceChildren(...parts);
}

begin();

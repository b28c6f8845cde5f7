// A game in a cell: shows what Python sends as `state`, and sends what is clicked.
import { actionParts, actionsAt, light, partsNamed, show } from "./board.js";
import { make, makeButton, scoreRows, sentenceCase } from "./dom.js";

// Whether a cell is dark: by the theme of the notebook, or else by the system's.
function isDark(cell) {
  const scheme = getComputedStyle(cell).colorScheme;
  return scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

const makeBox = (tag, className) => make(tag, "", { className });

function render({ model, el }) {
  const root = makeBox("div", "rfop-game"), side = makeBox("div", "rfop-side"), board = makeBox("div", "rfop-board");
  const question = makeBox("p", "rfop-asked"), problem = makeBox("p", "rfop-problem");
  const actions = makeBox("div", "rfop-actions"), log = makeBox("ol", "rfop-log");
  const score = makeBox("table", "rfop-score"), again = makeButton("New game", { className: "rfop-new" });
  question.setAttribute("aria-live", "polite");
  problem.setAttribute("role", "alert");
  board.tabIndex = -1;
  side.append(question, score, problem, actions, again, log);
  root.append(board, side);
  el.append(root);

  const send = (message) => model.send({ ...message, version: model.get("state").version });

  function actionButton({ id, label, sentence, does }) {
    const button = makeButton(sentenceCase(sentence), { className: "rfop-action", title: label, onclick: () => send({ act: id }) });
    button.dataset.act = id;
    if (does && !sentence.includes(does)) button.append(make("small", does));
    light(button, board, () => actionParts(board, id));
    return button;
  }

  // List legal actions: some of them, or all where `ids` is empty.
  function list(ids) {
    const legal = model.get("state").actions.filter(({ id }) => !ids.length || ids.includes(id));
    actions.replaceChildren(...legal.map(actionButton));
    if (ids.length) actions.append(makeButton("All actions", { className: "rfop-all", onclick: () => list([]) }));
  }

  function update() {
    const state = model.get("state"), hadFocus = root.contains(document.activeElement);
    show(board, state.svg);
    board.setAttribute("aria-label", state.title);
    question.textContent = state.over || state.asked;
    score.replaceChildren(...(state.score ? scoreRows(state.score) : []));
    problem.textContent = state.problem;
    problem.hidden = !state.problem;
    list([]);
    log.replaceChildren(...state.log.map((line) => {
      const item = make("li", line);
      light(item, board, () => partsNamed(board, line));
      return item;
    }));
    log.scrollTop = log.scrollHeight;
    if (hadFocus) (actions.querySelector("button") ?? again).focus({ preventScroll: true });
  }

  board.onclick = (event) => {
    const ids = actionsAt(board, event.clientX, event.clientY);
    if (ids.length === 1) send({ act: ids[0] });
    else if (ids.length) {
      list(ids);
      actions.querySelector("button").focus({ preventScroll: true });
    }
  };
  again.onclick = () => send({ new: true });
  model.on("change:state", update);
  update();
  requestAnimationFrame(() => isDark(root) && send({ palette: "dark" }));
  return () => model.off("change:state", update);
}

export default { render };

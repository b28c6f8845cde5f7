import { frameAll, partsNamed, partsOf, show } from "./board.js";

// A game in a cell: shows what Python sends as `state`, and sends what is clicked.
function element(name, style, text = "") {
  const made = document.createElement(name);
  made.className = style;
  made.textContent = text;
  return made;
}

function render({ model, el }) {
  const root = element("div", "rfop-game"), side = element("div", "rfop-side");
  const board = element("div", "rfop-board"), asked = element("p", "rfop-asked"), problem = element("p", "rfop-problem");
  const actions = element("div", "rfop-actions"), again = element("button", "rfop-new", "New game"), log = element("ol", "rfop-log");
  asked.setAttribute("aria-live", "polite");
  problem.setAttribute("role", "alert");
  board.tabIndex = -1;
  again.type = "button";
  side.append(asked, problem, actions, again, log);
  root.append(board, side);
  el.append(root);

  const send = (message) => model.send({ ...message, version: model.get("state").version });
  let choice = [];  // the actions of the part that was clicked last, where it has several

  function button(action) {
    const made = element("button", "rfop-action", action.label);
    made.type = "button";
    made.title = action.sentence;
    made.dataset.act = action.id;
    made.append(element("small", "", action.sentence));
    made.onclick = () => send({ act: action.id });
    made.onmouseenter = made.onfocus = () => frameAll(board, "lit", partsOf(board, action.id));
    made.onmouseleave = made.onblur = () => frameAll(board, "lit", []);
    return made;
  }

  function listed() {
    const { actions: legal } = model.get("state");
    actions.replaceChildren(...legal.filter(({ id }) => !choice.length || choice.includes(id)).map(button));
    if (choice.length) {
      const all = element("button", "rfop-all", "All actions");
      all.type = "button";
      all.onclick = () => { choice = []; listed(); };
      actions.append(all);
    }
  }

  function update() {
    const state = model.get("state"), held = root.contains(document.activeElement);
    choice = [];
    show(board, state.svg);
    board.setAttribute("aria-label", state.title);
    asked.textContent = state.over || state.asked;
    problem.textContent = state.problem;
    problem.hidden = !state.problem;
    listed();
    log.replaceChildren(...state.log.map((line) => {
      const item = element("li", "", line);
      item.onmouseenter = () => frameAll(board, "lit", partsNamed(board, line));
      item.onmouseleave = () => frameAll(board, "lit", []);
      return item;
    }));
    log.scrollTop = log.scrollHeight;
    if (held) (actions.querySelector("button") ?? again).focus({ preventScroll: true });
  }

  board.onclick = (event) => {
    const parts = document.elementsFromPoint(event.clientX, event.clientY).map((part) => part.closest("[data-action]"));
    const part = parts.find((found) => found && board.contains(found));
    if (!part) return;
    const ids = part.dataset.action.split(" ").map(Number);
    if (ids.length === 1) send({ act: ids[0] });
    else { choice = ids; listed(); actions.querySelector("button").focus({ preventScroll: true }); }
  };
  again.onclick = () => send({ new: true });
  model.on("change:state", update);
  update();
  return () => model.off("change:state", update);
}

export default { render };

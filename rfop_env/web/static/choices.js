// The list beside the board: the actions of the part that was clicked, and what its card does.
import { $, make, makeButton, sentenceCase } from "./dom.js";
import { act, attempt } from "./game.js";
import { closeNote } from "./notes.js";
import { store } from "./store.js";

// Take the only action that a part of the board stands for; list several, with what its card does.
export function pick(ids, number, x, y) {
  closeChoices();
  closeNote();
  const { state, at, cards } = store.view;
  const legal = state.asks && at === null ? state.actions : [];
  const actions = legal.filter(({ id }) => ids.includes(id)), card = cards[number];
  if (actions.length === 1) attempt(() => act(actions[0].id));
  else if (actions.length || card) openChoices(card, actions, x, y);
}

function openChoices(card, actions, x, y) {
  const box = $("choices"), text = card ? [make("h2", card.title), ...card.does.map((line) => make("p", line))] : [];
  box.replaceChildren(...text, ...actions.map(choiceButton));
  box.setAttribute("aria-label", card ? card.title : "Actions");
  box.hidden = false;
  box.style.left = `${Math.max(4, Math.min(x, innerWidth - box.offsetWidth - 4))}px`;
  box.style.top = `${Math.max(4, Math.min(y, innerHeight - box.offsetHeight - 4))}px`;
  store.view.opener = document.activeElement;
  (box.querySelector("button") ?? box).focus();
}

function choiceButton({ id, label, sentence }) {
  const button = makeButton(sentenceCase(sentence), { title: label });
  button.onclick = () => {
    closeChoices();
    attempt(() => act(id));
  };
  return button;
}

export function closeChoices() {
  if ($("choices").contains(document.activeElement)) store.view.opener?.focus();
  $("choices").hidden = true;
  $("choices").replaceChildren();
}

// A study (`rfop study`): the participant's code, consent and questions, one after the other, and the way to each game.
import { address, ask } from "./api.js";
import { $, make } from "./dom.js";
import { newView } from "./store.js";

const study = address().get("study");
let code = address().get("code") ?? "", present = null;

// Whether this page is that of a study, between its games.
export const isStudy = () => study !== null && !address().has("token");

// Begin, or come back from a game.
export async function startStudy() {
  if (code) await enter();
  else show({ step: "code" });
}

// In a game: back to the study, once the game is over.
export function goOn() {
  location.assign(`?${new URLSearchParams({ study, code: address().get("code") })}`);
}

async function enter() {
  const step = await ask("api/study/enter", { code });
  // A game that was over when the participant comes from it has been seen to its end.
  if (step.step === "game" && step.over) await next(await ask("api/study/answer", { code, consent: false, answers: {} }));
  else await next(step);
}

export async function submitStudy() {
  const form = new FormData($("study-form"));
  if (present.step === "code") {
    code = String(form.get("code")).trim();
    return enter();
  }
  const consent = form.get("consent") === "yes";
  const answers = Object.fromEntries([...form].filter(([name]) => name.startsWith("q-")).map(([name, value]) => [name.slice(2), String(value)]));
  await next(await ask("api/study/answer", { code, consent, answers }));
}

async function next(step) {
  history.replaceState(null, "", `?${new URLSearchParams({ study, code })}`);
  if (step.step !== "game") return show(step);
  location.assign(`?${new URLSearchParams({ token: step.token, game: step.game, study, code })}`);
}

// -- what is shown -------------------------------------------------------------------------------------------------

function show(step) {
  newView();
  present = step;
  $("study").hidden = false;
  $("title").textContent = document.title = step.title ?? "Study";
  $("study-parts").replaceChildren(...parts(step));
  $("study-next").hidden = step.step === "end";
  $("study-parts").querySelector("input, textarea")?.focus();
}

function parts({ step, text, questions }) {
  if (step === "code") return [labelled("Your code, as you were given it", make("input", undefined, { name: "code", required: true, maxLength: 40, autocomplete: "off" }))];
  if (step === "questions") return questions.map(questionParts);
  const paragraphs = text.trim().split(/\n\s*\n/).map((paragraph) => make("p", paragraph));
  if (step === "end") return paragraphs;
  return [...paragraphs, option("checkbox", "consent", "yes", "I agree", true)];
}

function questionParts({ name, text, kind, choices, low, high, low_label: lowLabel, high_label: highLabel, optional }) {
  const field = { name: `q-${name}`, required: !optional };
  if (kind === "text") return labelled(text, make("textarea", undefined, { ...field, rows: 3, maxLength: 2000 }));
  if (kind === "number") return labelled(text, make("input", undefined, { ...field, type: "number", min: low, max: high, step: 1 }));
  const values = kind === "choice" ? choices : Array.from({ length: high - low + 1 }, (_, k) => String(low + k));
  const box = make("fieldset", undefined, { className: kind });
  const words = (value, k) => (kind === "choice" ? value : [value, k === 0 && lowLabel, k === values.length - 1 && highLabel].filter(Boolean).join(" "));
  box.append(make("legend", text), ...values.map((value, k) => option("radio", field.name, value, words(value, k), field.required)));
  return box;
}

function labelled(text, field) {
  const label = make("label", text);
  label.append(field);
  return label;
}

function option(type, name, value, text, required) {
  const label = make("label", undefined, { className: "option" });
  label.append(make("input", undefined, { type, name, value, required }), text);
  return label;
}

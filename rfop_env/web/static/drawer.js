// The rules in brief and the symbols of the drawing, in a drawer beside the table.
import { $, make, makeButton } from "./dom.js";
import { store } from "./store.js";

export function openRules() {
  const { state, guide } = store.view, symbols = guide.symbols.length ? [make("h3", "Symbols"), symbolList(guide.symbols)] : [];
  const text = [...blocks(guide.rules), ...symbols];
  $("rules-title").textContent = state.title;
  $("rules-text").replaceChildren(...text.length ? text : [make("p", "This game comes without rules in brief.")]);
  $("rules-contents").replaceChildren(...[...$("rules-text").querySelectorAll("h3")].map(contentsButton));
  $("rules").showModal();
  $("rules").scrollTop = 0;
}

export const closeRules = () => $("rules").close();

function contentsButton(heading) {
  heading.tabIndex = -1;
  return makeButton(heading.textContent, { onclick: () => {
    heading.scrollIntoView();
    heading.focus();
  } });
}

function symbolList(symbols) {
  const list = make("dl");
  list.append(...symbols.flatMap(({ sign, name, meaning }) => [make("dt", `${sign} ${name}`), make("dd", meaning)]));
  return list;
}

// The elements of a text in as much Markdown as BRIEF.md uses: headings, paragraphs, lists.
export function blocks(markdown) {
  return markdown.replace(/^#.*$/gm, "\n$&\n").split(/\n\s*\n/).map((block) => block.trim()).filter(Boolean).flatMap((block) => {
    if (block.startsWith("#")) return [make("h3", block.replace(/^#+ /, ""))];
    const [words, ...items] = block.split(/^\* /m), list = make("ul");
    list.append(...items.map((item) => make("li", item.trim())));
    return [...words.trim() ? [make("p", words.trim())] : [], ...items.length ? [list] : []];
  });
}

// The state of the page, and the functions that are called when it changes.

export const store = {
  menu: null, // games, open ones and saved ones, as the server sent them
  playing: true, // whether programs go on by themselves
  busy: 0, // requests and changes under way
  error: "", // what went wrong
  message: "", // what has been done: saved, copied
  lessons: new Map(), // the hints of a first game that have been read, by game and seat
  view: null, // everything that was made for the present viewer
};

const listeners = {};

// Have functions called by topic: `view` is called once `store.view` is another one, `state` once its state is, and so on.
export const subscribe = (works) => Object.assign(listeners, works);

export const notify = (topic) => listeners[topic]();

// Begin a view for another viewer, and drop all open requests of the one before. Everything that depends on a game is
// kept in `store.view` or in the elements that its listener replaces, so nothing that was made for the viewer before is left.
export function newView() {
  clearTimeout(store.view?.timer);
  store.view?.requests.abort();
  store.view = {
    state: null, // of the game on the table, as the server sent it
    cards: {}, // of its component set, by number
    named: new Map(), // the cards that a text names, by text
    guide: { rules: "", symbols: [], hints: [] }, // of the game
    programs: [], // names to choose from
    at: null, // the moment on the board; null: the newest
    picture: "", // of that moment
    looking: null, // the seat whose view is asked for, where it is free
    hinter: "", // the program that gives hints
    advice: null, // its hint; without `best` while it thinks
    judge: "", // the program that gives values
    values: new Map(), // moment -> {seat, value}
    review: { running: false, program: "", rows: new Map() }, // moment -> what its decision was worth
    retry: null, // {moment, program} where a better decision is looked for
    delay: 0, // seconds before a program moves
    digits: "", digitsAt: 0, // a number that is typed, and when its last digit came
    opener: null, // the element that had the focus before the list beside the board
    lost: { id: "question" }, // where the focus was, while nothing there can have it; at first what is asked
    inSight: false, // whether it was in the window
    follows: false, // whether another tab without a server has taken the last decision
    moving: null, // the version of the state in which a program has been asked to decide
    asked: null, // the moment of the last decision of a person that was shown
    timer: 0, asking: false, judging: false,
    requests: new AbortController(),
  };
  notify("view");
}

// Settings outlast a viewer, so nothing of a game may be among them. A page within another one may have no storage.
export function setting(name, fallback) {
  try {
    return localStorage.getItem(`rfop-${name}`) ?? fallback;
  } catch {
    return fallback;
  }
}

export function saveSetting(name, value) {
  try {
    localStorage.setItem(`rfop-${name}`, value);
  } catch {
    // the setting lasts as long as the page
  }
}

// What `rfop serve` answers, without a server: games in MicroPython, rules as WebAssembly, programs in JavaScript. It runs
// in a worker. rfop_env/web/protocol.py describes the requests, rfop_env/browser/page.py the content of a page.
import { loadMicroPython } from "./micropython.mjs";
import { best, makeNetwork, shares } from "./network.js";
import { Rules, fromHex, toHex } from "./rules.js";
import { Search, mostTried } from "./search.js";

const PATIENCE = 300, SLICE = 40; // milliseconds: that an answer waits for a program; between two looks at messages
const PYSTACK = 16 * 1024, HEAP = 8 * 1024 * 1024; // words of calls; bytes at first
const POLICY = 3; // the random stream of random play
const pause = () => new Promise((go) => setTimeout(go));
const random = () => crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;

export class Engine {
  // `parts`: the files of the page by name, as bytes; `fetchBytes` gives those of a network that lies beside the page.
  static async load(parts, fetchBytes) {
    const engine = new Engine(), content = JSON.parse(new TextDecoder().decode(parts["content.json"]));
    engine.rules = new Rules(content.description, await WebAssembly.compile(parts["rules.wasm"]));
    const url = URL.createObjectURL(new Blob([parts["micropython.wasm"]], { type: "application/wasm" }));
    const micropython = await loadMicroPython({ url, pystack: PYSTACK, heapsize: HEAP });
    URL.revokeObjectURL(url);
    micropython.runPython(content.source);
    const sessions = micropython.globals.get("sessions");
    sessions.worker = engine.calls();
    return Object.assign(engine, { content, parts, fetchBytes, sessions, programs: {}, stops: new Set() });
  }

  // The functions that the games call; records are hexadecimal texts (MicroPython reads base64 slowly).
  calls() {
    const { rules } = this, at = (record) => rules.restore(fromHex(record)), now = () => toHex(rules.state);
    return {
      begin: (seed, episode) => { rules.begin(seed, episode); return now(); },
      payoff: (record, seat) => { at(record); return rules.payoff(seat); },
      step: (record, action) => { at(record); rules.legal(); rules.step(action); return now(); },
      mask: (record) => { at(record); rules.legal(); return toHex(rules.mask); },
      observe: (record, seat) => { at(record); return toHex(new Uint8Array(rules.observe(seat))); },
      determinize: (record, seat, key) => { at(record); rules.determinize(seat, key); return now(); },
      random,
      clock: () => String(Date.now()),
    };
  }

  // A method of the games; an Error, with the present state where there is one, for what is refused.
  python(name, ...values) {
    const text = this.sessions.answer(JSON.stringify([name, ...values])), end = text.indexOf("\n");
    const { answer, error, state } = JSON.parse(text.slice(0, end)), svg = text.slice(end + 1);
    if (error !== undefined) throw Object.assign(new Error(error), { state: state && { ...state, svg } });
    return Array.isArray(answer) || typeof answer !== "object" || answer === null ? answer : { ...answer, svg };
  }

  async ask(path, body) {
    const { pathname, searchParams } = new URL(path, "https://page/"), number = (name) => {
      const text = searchParams.get(name);
      return text === null ? null : Number(text);
    };
    const [, , games, id, kind, moment] = pathname.split("/");
    if (games === "menu") return this.menu();
    this.python("draw_for", searchParams.get("layout"), searchParams.get("palette"));
    if (games === "renew") return this.python("renew", body);
    if (games === "puzzles") return this.puzzle(body.number);
    if (games === "load") return this.load(body.text ?? this.replay(body.name));
    if (id === undefined) return this.python("new", body.seats, body.seed ?? null);
    const looking = number("looking");
    switch (kind) {
      case undefined: {
        const state = this.python("state", id, looking), { version, thinking } = state;
        return number("known") === version ? { version, thinking } : state;
      }
      case "moments": return this.python("moment", id, Number(moment), looking);
      case "act": return this.python("act", id, body.version, body.action);
      case "fork": return this.python("fork", id, body.moment, body.swap, body.seats ?? null);
      case "again": return this.python("again", id, body.swap);
      case "guide": return this.content.guide;
      case "move": return this.move(id, body.version);
      case "stop": return this.stop();
      case "hint": return this.hint(id, body);
      case "value": return this.value(id, body);
      case "review": return this.review(id, body);
      case "cards": case "close": case "replay": case "reviews": return this.python(kind, id);
      default: return this.python(kind, id, body.version); // undo, reveal
    }
  }

  async load(text) {
    const recording = this.python("begin_load", text);
    while (this.python("load_on", recording)) await pause();
    return this.python("state", recording);
  }

  replay(name) {
    const { replays } = this.content;
    if (!(name in replays)) throw new Error(`this page holds no replay ${name}: choose one of its list`);
    return replays[name];
  }

  async puzzle(number) {
    const { replay, by, values } = this.content.puzzles[number - 1], id = this.python("begin_puzzle", replay);
    while (this.python("load_on", id)) await pause();
    return this.python("pose", id, number, by, values);
  }

  menu() {
    const { description: { id, title, seats }, programs } = this.content;
    const game = { id, title, players: String(seats.length), options: [], seats, components: [], programs: programs.map(({ name }) => name), levels: this.content.levels, puzzles: this.content.puzzles.length };
    return { games: [game], open: this.python("open"), saved: Object.keys(this.content.replays), guest: null };
  }

  stop() {
    for (const stop of this.stops) stop.now = true;
    return {};
  }

  // -- programs ------------------------------------------------------------------------------------------------------

  async move(id, version) {
    const { name, record, earlier } = this.python("begin_move", id, version);
    const thinking = this.think(name, record, earlier).then(
      ({ action }) => this.python("end_move", id, action),
      (error) => this.python("fail_move", id, `${name} could not decide (${error.message})`),
    );
    return Promise.race([thinking, new Promise((go) => setTimeout(go, PATIENCE)).then(() => this.python("state", id))]);
  }

  async hint(id, { version, program }) {
    const { record, earlier } = this.python("begin_hint", id, version);
    const thought = await this.think(program, record, earlier), { action, value, visits, values, probs } = thought;
    const ranks = visits ?? probs, order = ranks ? [...ranks.keys()].filter((a) => ranks[a] > 0 && a !== action) : [];
    const actions = [action, ...order.sort((a, b) => ranks[b] - ranks[a])].slice(0, this.content.hints);
    const figure = (array, a) => (array ? Math.round(1e4 * array[a]) / 1e4 : null);
    const rows = this.python("end_hint", id, version, actions);
    const best = rows.map((row) => ({ ...row, visits: figure(visits, row.id), value: figure(values, row.id), prob: figure(probs, row.id) }));
    return { program, value: value ?? null, best };
  }

  async value(id, { moment, program }) {
    const { seat, record, earlier, known } = this.python("begin_value", id, moment, program);
    if (known !== null) return { moment, seat, value: known };
    const { value } = await this.think(program, record, earlier);
    if (value === undefined) throw new Error(`${program} gives no values: choose a search or a trained network`);
    return { moment, seat, value };
  }

  // As rfop_env/web/review.py: the values of the actions that a search tried often, or of all by a network.
  async review(id, { moment, program }) {
    const position = this.python("begin_review", id, moment), { record, earlier, played } = position;
    const thought = await this.think(program, record, earlier), { value, visits, values } = thought;
    if (value === undefined) throw new Error(`${program} gives no values: choose a search or a trained network`);
    const often = visits && Math.max(1, this.content.review.least * Math.max(...visits)), rows = [];
    if (visits) visits.forEach((count, action) => count >= often && rows.push([action, values[action]]));
    this.rules.restore(fromHex(record));
    const legal = this.rules.legal(), missing = visits ? [played].filter((action) => !(visits[action] >= often)) : legal;
    for (const action of missing) rows.push([action, await this.valueAfter(program, position, action)]);
    return this.python("end_review", id, moment, program, rows);
  }

  // The return that a program expects for a seat after its action.
  async valueAfter(program, { record, seat, has_deals: hasDeals }, action) {
    const { rules, content: { description: { players, rewards } } } = this, looks = hasDeals ? this.content.review.looks : 1;
    let sum = 0;
    for (let k = 0; k < looks; k++) {
      rules.restore(fromHex(record));
      if (hasDeals) rules.determinize(seat, random());
      rules.legal();
      rules.step(action);
      if (rules.over) sum += rules.payoff(seat) * rewards[0].scale;
      else {
        const decider = rules.player, { value } = await this.think(program, toHex(rules.state), 0);
        sum += decider === seat ? value : -value / (players - 1);
      }
    }
    return sum / looks;
  }

  // A program's action in a position, with its value, visits, values and probabilities where it has them.
  async think(name, record, earlier) {
    const stop = { now: false }, program = await this.program(name);
    this.stops.add(stop);
    try {
      return await program(fromHex(record), stop, earlier);
    } finally {
      this.stops.delete(stop);
    }
  }

  async program(name) {
    this.programs[name] ??= this.makeProgram(name);
    return this.programs[name];
  }

  async makeProgram(name) {
    const { content: { programs, description }, rules } = this, entry = programs.find((program) => program.name === name);
    if (!entry) throw new Error(`this page has no program ${name}`);
    const looked = (record) => { rules.restore(record); rules.legal(); return rules; };
    if (entry.kind === "random") return (record) => { looked(record).setField("draws", random(), POLICY); return { action: rules.random(POLICY) }; };
    if (entry.kind === "scripted") return (record) => ({ action: looked(record).advise(entry.number) });
    const network = entry.network && makeNetwork(await this.bytes(entry.network), description);
    if (entry.kind === "named") return (record) => this.judge(looked(record), network, entry);
    const module = await WebAssembly.compile(this.parts["search.wasm"]);
    const search = new Search(description, entry.search, module, rules.components.slice(), network ?? null);
    return (record, stop, earlier) => this.search(looked(record), search, entry.search, stop, earlier);
  }

  // The bytes of a network's file, which is in the page or lies beside it.
  async bytes(file) {
    return this.parts[file] ?? this.fetchBytes(file);
  }

  judge(rules, network, { temperature, scales }) {
    const seat = rules.player, mask = rules.mask.slice(), { logits, value } = network.evaluate(rules.observe(seat));
    const probs = shares(logits.map((logit) => logit / (temperature ?? 1)), mask);
    const paid = scales.reduce((sum, [kind, scale]) => sum + scale * rules.payoff(seat, kind), 0);
    return { action: temperature === null ? best(probs) : sample(probs), value: round(value + paid), probs };
  }

  // `earlier`: how many decisions of the turn the seat has taken before; each has half of what is left of its seconds.
  async search(rules, search, { simulations, seconds: all, turn }, stop, earlier) {
    const seconds = all !== null && turn ? all / 2 ** (earlier + 1) : all;
    const seat = rules.player, mask = rules.mask.slice(), begin = performance.now();
    const enough = (done) => done >= simulations && seconds === null;
    const late = () => seconds !== null && performance.now() - begin > 1000 * seconds;
    search.begin(rules.record(), random(), simulations);
    let done = 0, step = 2, from = begin;
    while (done < 2 || !(enough(done) || late() || stop.now)) {
      step = seconds === null ? Math.min(step, simulations - done) : step;
      search.simulate(step);
      done += step;
      const spent = performance.now() - from;
      if (spent < SLICE / 2) step *= 2;
      if (spent > SLICE) {
        await pause();
        from = performance.now();
      }
    }
    const { visits, values, value } = search.statistics(seat);
    return { action: mostTried({ visits, values }, mask), value: round(value), visits, values };
  }
}

function sample(probs) {
  let share = random() / 2 ** 31;
  const action = probs.findIndex((prob) => (share -= prob) < 0);
  return action < 0 ? best(probs) : action;
}

const round = (value) => Math.round(1e4 * value) / 1e4;

// In a worker: the first message has the parts of the page and the games that it has kept, each further one is a request.
// With each answer go the games that have changed, for the page to keep.
let engine = null;
onmessage = async ({ data: { number, parts, base, kept, path, body } }) => {
  const fetchBytes = async (file) => {
    const response = await fetch(new URL(file, base)).catch(() => null);
    if (!response?.ok) throw new Error(`${file} cannot be loaded: it has to lie beside the page, and be served with it`);
    return new Uint8Array(await response.arrayBuffer());
  };
  try {
    engine ??= Engine.load(parts, fetchBytes);
    const loaded = await engine;
    if (path === undefined) loaded.python("restore", kept);
    const answer = path === undefined ? null : await loaded.ask(path, body);
    postMessage({ number, answer, changed: loaded.python("changed") });
  } catch (error) {
    postMessage({ number, error: error.message, state: error.state });
  }
};

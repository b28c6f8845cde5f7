// The search of one position: the compiled one of rfop_agents, with a network between its descents or with rollouts.
import { shares } from "./network.js";

const EMPTY = 0, SIMULATE = 1, DESCEND = 2, BACK_UP = 4;
const NO_LEAF = -1, NO_ACTION = -1n, NO_CHILD = -1, PAGE = 65536;
const NUMBERS = 4; // of the table, before its addresses

export class Search {
  // `description` is that of the game, `settings` that of rfop_agents/search/browser.py, `network` null for rollouts.
  constructor(description, settings, module, components, network = null) {
    Object.assign(this, { description, settings, network });
    const { memory, call, __heap_base: start } = new WebAssembly.Instance(module, {}).exports;
    this.call = call;
    this.memory = memory;
    this.start = start.value;
    this.components = components;
  }

  // Lay out the arrays for a tree of so many nodes, over what was there before.
  lay(nodes) {
    const { players, actions, observation, record_bytes: record } = this.description, { settings, network } = this;
    const [rows, columns] = network ? [nodes, actions] : [1, 1], kinds = settings.kinds.length;
    const bytes = {
      parameters: 64, states: record, keys: 8, kinds: 8 * kinds, scales: 8 * kinds,
      nodes: settings.node_bytes * nodes, totals: 8 * nodes * players, bounds: 16 * players, node_count: 4, priors: 4 * rows * columns,
      simulated: record, path: 4 * (nodes + 1), length: 4, mask: actions, advised_mask: actions, weights: 8 * actions,
      returns: 8 * players, forced: 8, draws: 8, pending: 1, opponent_action: 8,
      seat: 8, leaf_mask: actions, observation, partial_returns: 8 * players,
    };
    const names = Object.keys(bytes), places = {};
    let end = this.start;
    const room = (size) => { const at = (end + 15) & ~15; end = at + size; return at; };
    const answer = room(16), table = room(8 * (NUMBERS + names.length)), components = room(this.components.length);
    for (const name of names) places[name] = room(bytes[name]);
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));

    const { buffer } = this.memory;
    new Uint8Array(buffer, answer, end - answer).fill(0);
    new Uint8Array(buffer, components, this.components.length).set(this.components);
    new BigInt64Array(buffer, table).set([nodes, rows, columns, kinds, ...names.map((name) => places[name])].map(BigInt));
    new Float64Array(buffer, places.parameters).set(settings.parameters);
    new BigInt64Array(buffer, places.kinds).set(settings.kinds.map(BigInt));
    new Float64Array(buffer, places.scales).set(settings.scales);
    new BigInt64Array(buffer, places.forced)[0] = NO_ACTION;
    new BigInt64Array(buffer, places.opponent_action)[0] = NO_ACTION;
    Object.assign(this, { answer, table, componentsAt: components, places, view: new DataView(buffer), buffer });
  }

  run(task, repeat = 1) {
    const words = [task, this.table, this.componentsAt, repeat, 0, 0, 0].map(BigInt);
    const status = this.call(this.answer, this.answer + 8, ...words);
    if (status !== 0 || this.view.getBigInt64(this.answer, true) !== 0n) throw new Error("a rule of the game is at fault in a simulation: please report");
  }

  array(Kind, name, length) { return new Kind(this.buffer, this.places[name], length); }

  // Begin the tree of a position, from a key of 32 bits; `nodes` at most.
  begin(record, key, nodes) {
    this.lay(nodes);
    this.array(Uint8Array, "states", record.length).set(record);
    this.array(BigInt64Array, "keys", 1)[0] = BigInt(key);
    this.run(EMPTY);
  }

  simulate(times) {
    if (!this.network) return this.run(SIMULATE, times);
    for (let k = 0; k < times; k++) {
      this.run(DESCEND);
      this.judge();
      this.run(BACK_UP);
    }
  }

  // Priors and returns of the leaf that a descent has come to.
  judge() {
    const { description: { players, actions, observation }, settings } = this;
    const seat = Number(this.array(BigInt64Array, "seat", 1)[0]);
    if (seat === NO_LEAF) return;
    const mask = this.array(Uint8Array, "leaf_mask", actions), count = mask.reduce((sum, one) => sum + one, 0);
    const { logits, value } = this.network.evaluate(this.array(Int8Array, "observation", observation));
    const policy = shares(logits, mask), share = settings.prior_weight;
    const length = this.array(Int32Array, "length", 1)[0], leaf = this.array(Int32Array, "path", length)[length - 1];
    const priors = new Float32Array(this.buffer, this.places.priors + 4 * actions * leaf, actions);
    for (let a = 0; a < actions; a++) priors[a] = share * (mask[a] ? policy[a] : 1 / count) + (1 - share) / count;

    const returns = this.array(Float64Array, "returns", players), partial = this.array(Float64Array, "partial_returns", players);
    for (let p = 0; p < players; p++) {
      const future = p === seat ? value : -value / Math.max(1, players - 1);
      returns[p] = settings.rollout_mix * returns[p] + (1 - settings.rollout_mix) * (partial[p] + future);
    }
  }

  // Of each action of the root: visits and mean return for a seat.
  statistics(seat) {
    const { players, actions } = this.description, { node_bytes: size } = this.settings, { nodes, totals } = this.places;
    const visits = new Int32Array(actions), values = new Float64Array(actions);
    const entry = (node, field) => this.view.getInt32(nodes + node * size + 4 * field, true);
    for (let child = entry(0, 1); child !== NO_CHILD; child = entry(child, 2)) {
      const action = entry(child, 0);
      visits[action] = entry(child, 3);
      values[action] = this.view.getFloat64(totals + 8 * (child * players + seat), true) / visits[action];
    }
    return { visits, values, value: this.view.getFloat64(totals + 8 * seat, true) / entry(0, 3) };
  }
}

// The action that was tried most, the better one of equals.
export function mostTried({ visits, values }, mask) {
  let action = -1, most = -Infinity;
  for (let a = 0; a < mask.length; a++) {
    const score = visits[a] + values[a] / 4;
    if (mask[a] && score > most) [action, most] = [a, score];
  }
  return action;
}

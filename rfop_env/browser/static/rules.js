// The rules of a game, as its WebAssembly module has them (rfop_env/browser/module.py says what each task does).

const BEGIN = 0, SETTLE = 1, STEP = 2, LEGAL = 3, OBSERVE = 4, PAYOFF = 5, DETERMINIZE = 6, ADVISE = 7, RANDOM = 8;
const READERS = { i1: "getInt8", u1: "getUint8", i2: "getInt16", i4: "getInt32", u4: "getUint32", i8: "getBigInt64" };
const WORD = 0xffffffffn;

export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let k = 0; k < bytes.length; k++) bytes[k] = parseInt(text.slice(2 * k, 2 * k + 2), 16);
  return bytes;
}

// A game in play. `description` is that of rfop_env/browser/description.py; `module` a WebAssembly.Module of its rules: an
// Error for one of other sources, whose records may be laid out otherwise.
export class Rules {
  constructor(description, module) {
    const [sources] = WebAssembly.Module.customSections(module, "sources");
    if (!sources || new TextDecoder().decode(sources) !== description.sources) {
      throw new Error("these rules and their description are of different sources: build both again with 'rfop build wasm'");
    }
    this.description = description;
    const { memory, call, __heap_base: start } = new WebAssembly.Instance(module, {}).exports;
    this.call = call;
    this.view = new DataView(memory.buffer);
    let end = start.value;
    const room = (size) => { const at = (end + 15) & ~15; end = at + size; return new Uint8Array(memory.buffer, at, size); };
    this.answer = room(16);
    this.state = room(description.record_bytes);
    this.mask = room(description.actions);
    this.observation = new Int8Array(memory.buffer, room(description.observation).byteOffset, description.observation);
    this.options = new BigInt64Array(memory.buffer, room(8 * description.options.length).byteOffset, description.options.length);
    this.components = room(description.component_bytes);
    this.components.set(bytesOf(description.components));
  }

  run(task, a = 0, b = 0, array = null) {
    const words = [task, this.state.byteOffset, this.components.byteOffset, a, b, array?.byteOffset ?? 0, array?.length ?? 0];
    const status = this.call(this.answer.byteOffset, this.answer.byteOffset + 8, ...words.map(BigInt));
    if (status !== 0) throw new Error(`the rules stopped with status ${status}`);
    return Number(this.view.getBigInt64(this.answer.byteOffset, true));
  }

  // An entry of a field of the record.
  field(name, index = 0) {
    const { type, offset } = this.description.fields[name];
    return Number(this.view[READERS[type]](this.state.byteOffset + offset + index * Number(type[1]), true));
  }

  setField(name, value, index = 0) {
    const { type, offset } = this.description.fields[name], at = this.state.byteOffset + offset + index * Number(type[1]);
    if (type === "i8") this.view.setBigInt64(at, BigInt(value), true);
    else this.view[READERS[type].replace("get", "set")](at, Number(value), true);
  }

  get over() { return this.field("over") === 1; }
  get player() { return this.field("player"); }

  // A copy of the record; and back to one that was taken.
  record() { return this.state.slice(); }
  restore(record) { this.state.set(record); }

  // How many actions are legal now, which `mask` holds; 0 at the end.
  counted(count) {
    if (count < 0) throw new Error("a rule of the game is at fault: please report this game and its seed");
    return count;
  }

  // A new game; the seed is an integer of 64 bits, the episode counts the games of a seed.
  begin(seed, episode = 0) {
    this.state.fill(0);
    this.setField("episode", episode);
    this.setField("seed", BigInt(seed) & WORD, 0);
    this.setField("seed", (BigInt(seed) >> 32n) & WORD, 1);
    this.options.set(this.description.options.map(BigInt));
    this.run(BEGIN, 0, 0, this.options);
    return this.counted(this.run(SETTLE, 0, 0, this.mask));
  }

  step(action) {
    if (!this.mask[action]) throw new Error(`action ${action} is not legal`);
    return this.counted(this.run(STEP, action, 0, this.mask));
  }

  legal() {
    const count = this.counted(this.run(LEGAL, 0, 0, this.mask));
    const actions = [];
    for (let action = 0; actions.length < count; action++) if (this.mask[action]) actions.push(action);
    return actions;
  }

  observe(seat) {
    this.run(OBSERVE, seat, 0, this.observation);
    return this.observation;
  }

  payoff(seat, kind = 0) { return this.run(PAYOFF, seat, kind); }
  determinize(seat, key) { this.run(DETERMINIZE, seat, key); }
  advise(player) { return this.run(ADVISE, player, 0, this.mask); }
  random(stream = 3) { return this.run(RANDOM, stream, 0, this.mask); }
}

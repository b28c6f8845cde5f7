// A trained network in plain JavaScript, from the bytes of its safetensors file (rfop_agents/network.py reads the same).

const READERS = { F32: Float32Array, I32: Int32Array, I64: BigInt64Array };
const LONGEST_HEADER = 1 << 20;

// The arrays of a safetensors file by name, {shape, data}, and its metadata; an Error for what is none.
export function readTensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < 8 ? Infinity : Number(view.getBigUint64(0, true));
  if (length > Math.min(LONGEST_HEADER, bytes.length - 8)) throw new Error("this is no safetensors file");
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const tensors = {}, start = 8 + length;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const [from, to] = data_offsets, size = shape.reduce((product, n) => product * n, 1);
    const data = dtype === "F16" ? halves(bytes, start + from, start + to) : numbers(bytes, start + from, start + to, dtype);
    if (data.length !== size) throw new Error(`${name} is damaged: copy the file anew`);
    tensors[name] = { shape, data };
  }
  return { tensors, metadata: JSON.parse(header.__metadata__?.rfop ?? "{}") };
}

function numbers(bytes, from, to, dtype) {
  if (!(dtype in READERS)) throw new Error(`weights are float32 or float16, found ${dtype}`);
  const Kind = READERS[dtype], copy = bytes.slice(from, to);
  if (copy.length % Kind.BYTES_PER_ELEMENT) throw new Error("the file is damaged: copy it anew");
  const read = new Kind(copy.buffer);
  return dtype === "I64" ? Int32Array.from(read, Number) : read;
}

function halves(bytes, from, to) {
  const read = new Uint16Array(bytes.slice(from, to).buffer);
  return Float32Array.from(read, (word) => {
    const sign = word & 0x8000 ? -1 : 1, exponent = (word >> 10) & 31, fraction = word & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  });
}

// The network of a file for a game of such a description. `evaluate` gives logits of all actions and the value of the
// seat whose observation it is.
export function makeNetwork(bytes, { id, rules, version, observation, actions, digest }) {
  const { tensors, metadata } = readTensors(bytes);
  const expected = { rules, version, observation, actions, components: digest };
  for (const [name, value] of Object.entries(expected)) {
    if (metadata[name] !== value) throw new Error(`this network is not for ${id}: ${name} ${metadata[name]} instead of ${value}`);
  }
  for (const [name, { data }] of Object.entries(tensors)) {
    if (!data.every(Number.isFinite)) throw new Error(`${name} is not all finite numbers: copy the file anew`);
  }
  return { ...("space_entries" in tensors ? boardNetwork(tensors) : denseNetwork(tensors)), metadata };
}

// -- layers over the whole observation -----------------------------------------------------------------------------

function denseNetwork(tensors) {
  const first = columns(tensors["layers.0.weight"], tensors.scale.data), layers = [];
  for (let k = 1; `layers.${k}.weight` in tensors; k++) layers.push(layer(tensors, `layers.${k}`));
  const firstBias = tensors["layers.0.bias"].data, policy = layer(tensors, "policy"), value = layer(tensors, "value");

  return {
    evaluate(observation) {
      let x = relu(sparse(first, observation, firstBias));
      for (const { weight, bias } of layers) x = relu(product(weight, x, bias));
      return { logits: product(policy.weight, x, policy.bias), value: product(value.weight, x, value.bias)[0] };
    },
  };
}

const layer = (tensors, name) => ({ weight: tensors[`${name}.weight`], bias: tensors[`${name}.bias`].data });

// A weight [units, inputs] as its columns one after the other, each times the scale of its input.
function columns({ shape: [units, inputs], data }, scale) {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < inputs; i++) for (let j = 0; j < units; j++) turned[i * units + j] = data[j * inputs + i] * scale[i];
  return turned;
}

// The product of columns and an int8 input, most of whose entries are 0, plus a bias.
function sparse(turned, input, bias) {
  const units = bias.length, sum = Float64Array.from(bias);
  for (let i = 0; i < input.length; i++) {
    const entry = input[i];
    if (entry !== 0) for (let j = 0, at = i * units; j < units; j++) sum[j] += entry * turned[at + j];
  }
  return sum;
}

// The product of a weight [units, inputs] and an input, plus a bias.
function product(weight, input, bias) {
  const sum = Float64Array.from(bias);
  add(weight, input, 0, sum, 0);
  return sum;
}

// Add the product of a weight [units, inputs] and the entries of an input from `from` on to a sum from `to` on.
function add({ shape: [units, inputs], data }, input, from, sum, to) {
  for (let j = 0, at = 0; j < units; j++) {
    let total = 0;
    for (let i = 0; i < inputs; i++) total += data[at++] * input[from + i];
    sum[to + j] += total;
  }
}

function relu(x) {
  for (let i = 0; i < x.length; i++) if (x[i] < 0) x[i] = 0;
  return x;
}

// -- layers over the spaces of a board (rfop_agents/board_network.py) -----------------------------------------------

function boardNetwork(tensors) {
  const { space_entries: entries, space_actions: { data: places }, scale: { data: scale }, neighbours } = tensors;
  const [spaces, each] = entries.shape, actions = spaces + tensors["policy.bias"].data.length;
  const others = without(scale.length, entries.data), otherActions = without(actions, places);
  const layers = [];
  for (let k = 0; `spaces.${k}.own.weight` in tensors; k++) {
    const part = (name) => tensors[`spaces.${k}.${name}.weight`];
    layers.push({ own: part("own"), near: part("near"), mean: part("mean"), bias: tensors[`spaces.${k}.own.bias`].data });
  }
  const inputs = layer(tensors, "inputs"), shared = tensors["others.weight"], pool = layer(tensors, "pool");
  const space = tensors["space.weight"].data, policy = layer(tensors, "policy"), value = layer(tensors, "value");
  const units = inputs.bias.length, width = pool.bias.length / 2;

  // What a layer adds to the features of a space is made of its own and of its neighbours', which each have so many.
  const near = Array.from({ length: spaces }, (_, s) => {
    const factors = [...neighbours.data.subarray(s * spaces, (s + 1) * spaces)].map((factor, other) => [other, factor]);
    return factors.filter(([, factor]) => factor !== 0);
  });

  function features(observation) {
    const scaled = Float64Array.from(observation, (entry, k) => entry * scale[k]);
    const general = product(shared, Float64Array.from(others, (entry) => scaled[entry]), inputs.bias);
    const own = Float64Array.from(entries.data, (entry) => scaled[entry]), x = new Float64Array(spaces * units);
    for (let s = 0; s < spaces; s++) {
      x.set(general, s * units);
      add(inputs.weight, own, s * each, x, s * units);
    }
    relu(x);
    for (const part of layers) {
      const around = new Float64Array(spaces * units), change = new Float64Array(spaces * units);
      const all = product(part.mean, average(x, units), part.bias);
      for (let s = 0; s < spaces; s++) {
        for (const [other, factor] of near[s]) {
          for (let j = 0; j < units; j++) around[s * units + j] += factor * x[other * units + j];
        }
        change.set(all, s * units);
        add(part.own, x, s * units, change, s * units);
        add(part.near, around, s * units, change, s * units);
      }
      relu(change);
      for (let k = 0; k < x.length; k++) x[k] += change[k];
    }
    return x;
  }

  return {
    evaluate(observation) {
      const x = features(observation), logits = new Float64Array(actions), one = { shape: [1, units], data: space };
      const pooled = relu(product(pool.weight, Float64Array.of(...average(x, units), ...highest(x, units)), pool.bias));
      const rest = product(policy.weight, pooled.subarray(0, width), policy.bias);
      places.forEach((action, s) => add(one, x, s * units, logits, action));
      otherActions.forEach((action, k) => { logits[action] = rest[k]; });
      return { logits, value: product(value.weight, pooled.subarray(width), value.bias)[0] };
    },
  };
}

function without(size, numbers) {
  const taken = new Set(numbers);
  return Array.from({ length: size }, (_, n) => n).filter((n) => !taken.has(n));
}

// The mean, and the maximum, of the features of all spaces, which lie one after the other.
function average(x, units) {
  const sum = new Float64Array(units);
  for (let k = 0; k < x.length; k++) sum[k % units] += x[k];
  return sum.map((total) => total * units / x.length);
}

function highest(x, units) {
  const most = new Float64Array(units).fill(-Infinity);
  for (let k = 0; k < x.length; k++) most[k % units] = Math.max(most[k % units], x[k]);
  return most;
}

// -- policies ------------------------------------------------------------------------------------------------------

// The probabilities of the legal actions, 0 for all others.
export function shares(logits, mask) {
  let most = -Infinity, total = 0;
  for (let a = 0; a < mask.length; a++) if (mask[a] && logits[a] > most) most = logits[a];
  const policy = Float64Array.from(logits, (logit, a) => (mask[a] ? Math.exp(logit - most) : 0));
  for (const weight of policy) total += weight;
  return policy.map((weight) => weight / total);
}

// The most probable action.
export function best(policy) {
  return policy.reduce((action, share, a) => (share > policy[action] ? a : action), 0);
}

// A tiny network that learns a game for two by playing against itself: a policy gradient with a baseline (Williams 1992),
// on one hidden layer, with Adam (Kingma and Ba 2015). It runs in a worker, on the rules as WebAssembly.
import { shares } from "./network.js";
import { Rules } from "./rules.js";

const UNITS = 64, GAMES = 64; // of the hidden layer; in a step of learning
const RATE = 0.002, EXPLORATION = 0.05, VALUE_WEIGHT = 0.5; // of Adam; weight of the entropy; of the value's error
const TESTED = 200, EVERY = 15; // games of a test against each opponent; steps of learning between two tests
const FIRST_MOMENT = 0.9, SECOND_MOMENT = 0.999, SMALL = 1e-8;
const POLICY = 3; // the random stream of random play

// Numbers in [0, 1) from a seed: the shift-register generator of 32 bits of Marsaglia (2003).
function uniform(seed) {
  let state = (seed ^ 0x9e3779b9) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

// An array of weights, its gradient, and Adam's moments.
class Weights {
  constructor(size, begin = () => 0) {
    this.values = Float64Array.from({ length: size }, begin);
    this.gradient = new Float64Array(size);
    this.first = new Float64Array(size);
    this.second = new Float64Array(size);
  }

  step(count) {
    const scale = RATE * Math.sqrt(1 - SECOND_MOMENT ** count) / (1 - FIRST_MOMENT ** count);
    for (let k = 0; k < this.values.length; k++) {
      const slope = this.gradient[k];
      this.first[k] = FIRST_MOMENT * this.first[k] + (1 - FIRST_MOMENT) * slope;
      this.second[k] = SECOND_MOMENT * this.second[k] + (1 - SECOND_MOMENT) * slope * slope;
      this.values[k] -= scale * this.first[k] / (Math.sqrt(this.second[k]) + SMALL);
    }
    this.gradient.fill(0);
  }
}

// Logits of all actions and the value of the seat that sees the observation; the value is the last output.
export class TinyNetwork {
  constructor(inputs, actions, random) {
    this.outputs = actions + 1;
    const begin = () => 0.05 * (2 * random() - 1);
    this.first = new Weights(inputs * UNITS, begin);
    this.firstBias = new Weights(UNITS);
    this.last = new Weights(UNITS * this.outputs, begin);
    this.lastBias = new Weights(this.outputs);
    this.steps = 0;
  }

  // The entries that are not 0, the hidden units, the outputs.
  forward(observation) {
    const entries = [], hidden = Float64Array.from(this.firstBias.values), output = Float64Array.from(this.lastBias.values);
    observation.forEach((entry, k) => { if (entry !== 0) entries.push([k, entry / 8]); });
    for (const [k, entry] of entries) for (let j = 0; j < UNITS; j++) hidden[j] += entry * this.first.values[k * UNITS + j];
    for (let j = 0; j < UNITS; j++) {
      hidden[j] = Math.tanh(hidden[j]);
      for (let a = 0; a < this.outputs; a++) output[a] += hidden[j] * this.last.values[j * this.outputs + a];
    }
    return { entries, hidden, output };
  }

  // Add the gradient of a loss from what it is by each output.
  backward({ entries, hidden }, slopes) {
    for (let a = 0; a < this.outputs; a++) this.lastBias.gradient[a] += slopes[a];
    for (let j = 0; j < UNITS; j++) {
      let slope = 0;
      for (let a = 0; a < this.outputs; a++) {
        this.last.gradient[j * this.outputs + a] += hidden[j] * slopes[a];
        slope += this.last.values[j * this.outputs + a] * slopes[a];
      }
      slope *= 1 - hidden[j] * hidden[j];
      this.firstBias.gradient[j] += slope;
      for (const [k, entry] of entries) this.first.gradient[k * UNITS + j] += entry * slope;
    }
  }

  step() {
    this.steps++;
    for (const weights of [this.first, this.firstBias, this.last, this.lastBias]) weights.step(this.steps);
  }
}

function draw(policy, random) {
  let share = random();
  const action = policy.findIndex((part) => (share -= part) < 0);
  return action < 0 ? policy.findLastIndex((part) => part > 0) : action;
}

export class Learner {
  constructor(description, module, seed) {
    this.rules = new Rules(description, module);
    this.random = uniform(seed);
    this.network = new TinyNetwork(description.observation, description.actions, this.random);
    this.actions = description.actions;
    this.games = 0;
    this.decisions = 0;
  }

  begin() {
    this.rules.begin(Math.floor(this.random() * 2 ** 32));
  }

  // A step of learning: games against itself, and the gradient of all their decisions.
  learn() {
    const { rules, network } = this, decisions = [];
    for (let game = 0; game < GAMES; game++) {
      const own = [];
      this.begin();
      while (!rules.over) {
        const seat = rules.player, seen = network.forward(rules.observe(seat)), policy = shares(seen.output.subarray(0, this.actions), rules.mask);
        const action = draw(policy, this.random);
        own.push({ seat, seen, policy, action });
        rules.step(action);
      }
      for (const decision of own) decisions.push({ ...decision, result: rules.payoff(decision.seat) });
    }
    for (const { seen, policy, action, result } of decisions) this.follow(seen, policy, action, result, decisions.length);
    network.step();
    this.games += GAMES;
    this.decisions += decisions.length;
  }

  // The slopes of the loss of one decision: - advantage * log(probability) - exploration * entropy + the value's error.
  follow(seen, policy, action, result, count) {
    const slopes = new Float64Array(this.actions + 1), value = seen.output[this.actions], advantage = result - value;
    const entropy = policy.reduce((sum, part) => (part > 0 ? sum - part * Math.log(part) : sum), 0);
    policy.forEach((part, a) => {
      if (part > 0) slopes[a] = (advantage * (part - (a === action)) + EXPLORATION * part * (Math.log(part) + entropy)) / count;
    });
    slopes[this.actions] = -VALUE_WEIGHT * advantage / count;
    this.network.backward(seen, slopes);
  }

  // The share of games that it wins with its most probable actions, in both seats; a draw counts as half.
  test(opponent) {
    const { rules, network } = this;
    let wins = 0;
    for (let game = 0; game < TESTED; game++) {
      const seat = game % 2;
      this.begin();
      rules.setField("draws", Math.floor(this.random() * 2 ** 30), POLICY);
      while (!rules.over) {
        if (rules.player !== seat) rules.step(opponent === "random" ? rules.random(POLICY) : rules.advise(0));
        else {
          const policy = shares(network.forward(rules.observe(seat)).output.subarray(0, this.actions), rules.mask);
          rules.step(policy.indexOf(Math.max(...policy)));
        }
      }
      wins += (rules.payoff(seat) + 1) / 2;
    }
    return wins / TESTED;
  }
}

// In a worker: `parts` and `seed` begin, `run` goes on or pauses. Each test is reported with the games so far.
let learner = null, running = false;
onmessage = async ({ data: { parts, seed, run } }) => {
  if (parts) {
    const description = JSON.parse(new TextDecoder().decode(parts["content.json"]));
    learner = new Learner(description, await WebAssembly.compile(parts["rules.wasm"]), seed);
    report();
  }
  if (run === undefined || run === running) return;
  running = run;
  for (let step = 1; running; step++) {
    learner.learn();
    if (step % EVERY === 0) report();
    if (step % 3 === 0) await new Promise((go) => setTimeout(go));
  }
};

function report() {
  const { games, decisions } = learner;
  postMessage({ games, decisions, random: learner.test("random"), scripted: learner.test("scripted") });
}

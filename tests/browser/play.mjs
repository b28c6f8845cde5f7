// Plays the games of a JSON file by the WebAssembly rules, and prints how many decisions differ: node play.mjs FILE.
// Each decision is a line: action, and the SHA-1 of the record, the mask and the observation before it.
import crypto from "node:crypto";
import fs from "node:fs";
import { Rules, bytesOf } from "../../rfop_env/browser/static/rules.js";

const { description, module, games } = JSON.parse(fs.readFileSync(process.argv[2]));
const rules = new Rules(description, new WebAssembly.Module(bytesOf(module)));
const digest = (...parts) => parts.reduce((hash, part) => hash.update(part), crypto.createHash("sha1")).digest("hex");
const looked = () => digest(rules.state, rules.mask, rules.observe(rules.player));
const different = { positions: 0, payoffs: 0, advice: 0, redraws: 0 };
let decisions = 0;

for (const { seed, actions, digests, advice, redraws, payoffs } of games) {
  rules.begin(seed);
  actions.forEach((action, k) => {
    decisions++;
    if (looked() !== digests[k]) different.positions++;
    const record = rules.record(), mask = rules.mask.slice();
    for (const [player, expected] of Object.entries(advice[k] ?? {})) {
      if (rules.advise(Number(player)) !== expected) different.advice++;
      rules.restore(record);
      rules.mask.set(mask);
    }
    if (k in redraws) {
      rules.determinize(rules.player, k);
      if (digest(rules.state) !== redraws[k]) different.redraws++;
      rules.restore(record);
      rules.mask.set(mask);
    }
    rules.step(action);
  });
  payoffs.forEach((row, seat) => row.forEach((payoff, kind) => { different.payoffs += rules.payoff(seat, kind) !== payoff; }));
}
console.log(JSON.stringify({ decisions, different }));

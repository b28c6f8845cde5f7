// Networks and searches of a page over the positions of a JSON file: node judge.mjs FILE prints choices, and visits.
import fs from "node:fs";
import { makeNetwork } from "../../rfop_env/browser/static/network.js";
import { bytesOf } from "../../rfop_env/browser/static/rules.js";
import { Search } from "../../rfop_env/browser/static/search.js";

const { description, network, module, searches, positions, searched } = JSON.parse(fs.readFileSync(process.argv[2]));
const judge = makeNetwork(bytesOf(network), description), components = bytesOf(description.components);
const judged = positions.map(({ observation }) => {
  const { logits, value } = judge.evaluate(new Int8Array(bytesOf(observation).buffer));
  return { logits: [...logits], value };
});
const visits = searches.map(({ search, guided }) => {
  const made = new Search(description, search, new WebAssembly.Module(bytesOf(module)), components, guided ? judge : null);
  return positions.slice(0, searched).map(({ record, seat, key }) => {
    made.begin(bytesOf(record), key, search.simulations);
    made.simulate(search.simulations);
    return [...made.statistics(seat).visits];
  });
});
console.log(JSON.stringify({ judged, visits }));

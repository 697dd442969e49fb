// Draws a second of each law, and reports a second: what a device does. Build first.
import { readFileSync } from 'node:fs';

import { Campaign, perturb } from '../dist/privge.js';

const vectors = JSON.parse(readFileSync(new URL('../../../spec/vectors/short.json', import.meta.url), 'utf8')).vectors;
const words = new Float64Array(200_000);
const raw = new Uint32Array(2 * 8192);
for (let i = 0; i < words.length; i++) {
  if (i % 8192 === 0) crypto.getRandomValues(raw);
  const place = 2 * (i % 8192);
  words[i] = raw[place + 1] * 2 ** 21 + (raw[place] >>> 11);
}

/** Return how often a second something can be done, measured for half a second. */
function rate(once, each) {
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < 500) {
    once();
    count += each;
  }
  return Math.round((1000 * count) / (performance.now() - begin));
}

for (const mechanism of ['hds', 'piecewise', 'multibit', 'laplace', 'choice']) {
  const { document } = vectors.find(({ name }) => name === `${mechanism}, epsilon 1, 1025 levels`);
  const { law } = (await Campaign.read(document)).shortForm;
  const counts = new Float64Array(law.outputs); // so that no draw is left out
  const draws = rate(() => {
    for (const word of words) counts[law.code(word % law.levels, word)] += 1;
  }, words.length);
  console.log(`${mechanism.padEnd(10)} ${draws.toLocaleString('en')} draws a second`);
}
const many = await Campaign.read(vectors.find(({ name }) => name === 'many features, words and times').document);
const features = Array.from({ length: many.rawWidth }, (_, i) => i / many.rawWidth);
const reports = rate(() => perturb(many, features, { node: 'alice' }), 1);
const draws = (reports * many.k).toLocaleString('en');
console.log(`perturb    ${draws} draws a second, in ${reports.toLocaleString('en')} whole reports of ${many.k} (randomness, indices and hash included)`);

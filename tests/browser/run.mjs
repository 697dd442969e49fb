// Plays scenarios, one after the other in one browser: each line of stdin is the name of one and what it needs, as JSON;
// each line of stdout is what it saw, or why it failed.
import { createInterface } from 'node:readline';

import { closed, tidy } from './browser.mjs';
import * as contribution from './contribution.mjs';
import * as pages from './pages.mjs';
import * as room from './room.mjs';
import * as trouble from './trouble.mjs';
import * as truth from './truth.mjs';

const scenarios = { ...contribution, ...pages, ...room, ...trouble, ...truth };
for await (const line of createInterface({ input: process.stdin })) {
  const [scenario, given] = JSON.parse(line);
  let answer;
  try {
    answer = { seen: await scenarios[scenario](given) };
  } catch (error) {
    answer = { failed: error.stack };
    await tidy();
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await closed();

// Runs one scenario: its name is the argument, what it needs comes as JSON on stdin, what it saw goes to stdout as JSON.
import { readFileSync } from 'node:fs';

import * as contribution from './contribution.mjs';
import * as pages from './pages.mjs';
import * as room from './room.mjs';
import * as trouble from './trouble.mjs';
import * as truth from './truth.mjs';

const scenarios = { ...contribution, ...pages, ...room, ...trouble, ...truth };
const result = await scenarios[process.argv[2]](JSON.parse(readFileSync(0, 'utf8')));
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));

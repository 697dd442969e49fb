// Builds dist/privge.js (one ES module) and its types, and prints its size and integrity. Fails above the budget.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const BUDGET = 12_000; // bytes, compressed
const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
await build({
  entryPoints: [`${root}src/index.ts`],
  outfile: `${root}dist/privge.js`,
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
});
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
const code = readFileSync(`${root}dist/privge.js`);
const size = gzipSync(code, { level: 9 }).length;
const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;
console.log(`dist/privge.js  ${code.length} bytes, ${size} compressed`);
console.log(`integrity       ${integrity}`);
if (size > BUDGET) {
  console.error(`the budget is ${BUDGET} bytes compressed`);
  process.exitCode = 1;
}

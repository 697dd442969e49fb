// Builds dist/privge.js (one ES module) and its types, and prints its size and integrity. Fails above the budget.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { minify } from 'terser';

const BUDGET = 13_500; // bytes, compressed: a guard against growth
const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
const bundle = await build({
  entryPoints: [`${root}src/index.ts`],
  write: false,
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
});
const { code } = await minify(bundle.outputFiles[0].text, {
  module: true,
  ecma: 2022,
  compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true },
});
mkdirSync(`${root}dist`);
writeFileSync(`${root}dist/privge.js`, code);
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
const size = gzipSync(code, { level: 9 }).length;
const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;
console.log(`dist/privge.js  ${code.length} bytes, ${size} compressed`);
console.log(`integrity       ${integrity}`);
if (size > BUDGET) {
  console.error(`the budget is ${BUDGET} bytes compressed`);
  process.exitCode = 1;
}

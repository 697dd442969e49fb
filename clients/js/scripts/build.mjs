// Builds dist/privge.js and dist/taught.js (ES modules) and their types, prints sizes and integrity. Fails above the budget.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { minify } from 'terser';

const BUDGET = { privge: 12_000, taught: 6_500 }; // bytes, compressed
const root = fileURLToPath(new URL('..', import.meta.url));

/** What few campaigns need stays outside of the module that all of them need. */
const apart = {
  name: 'apart',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\/taught\.ts$/ }, () => ({ path: './taught.js', external: true })),
};

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [`${root}src/${entry}.ts`],
    write: false,
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    plugins: [apart],
  });
  const { code } = await minify(outputFiles[0].text, {
    module: true,
    ecma: 2022,
    compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true },
  });
  return code;
}

rmSync(`${root}dist`, { recursive: true, force: true });
mkdirSync(`${root}dist`);
for (const [name, entry] of [['privge', 'index'], ['taught', 'taught']]) {
  const code = await bundled(entry);
  writeFileSync(`${root}dist/${name}.js`, code);
  const size = gzipSync(code, { level: 9 }).length;
  console.log(`dist/${name}.js  ${code.length} bytes, ${size} compressed`);
  console.log(`integrity       sha384-${createHash('sha384').update(code).digest('base64')}`);
  if (size >= BUDGET[name]) {
    console.error(`dist/${name}.js must stay below ${BUDGET[name]} bytes compressed`);
    process.exitCode = 1;
  }
}
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});

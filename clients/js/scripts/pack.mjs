// Checks what would be published: the modules, their types and the README; no dependency, no source, no secret. Build first.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }));
const described = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const files = packed.files.map(({ path }) => path);
const strange = files.filter((path) => !/^(dist\/(privge|taught)\.js|dist\/types\/[a-z_0-9]+\.d\.ts|README\.md|package\.json)$/.test(path));
const entry = described.exports['.'];
const modules = ['./dist/privge.js', './dist/taught.js']; // the second is fetched by the first
const absent = [...modules, entry.default, entry.types].filter((path) => !existsSync(root + path) || !files.includes(path.slice(2)));
const problems = [
  ...strange.map((path) => `${path} does not belong into the package`),
  ...absent.map((path) => `${path} is missing`),
  ...(described.dependencies ? ['the package must have no dependency'] : []),
  ...modules.filter((path) => readFileSync(root + path, 'utf8').includes('Math.random')).map((path) => `${path}: Math.random is not private`),
];
for (const problem of problems) console.error(problem);
console.log(`npm pack        ${files.length} files, ${packed.size} bytes`);
process.exitCode = problems.length ? 1 : 0;

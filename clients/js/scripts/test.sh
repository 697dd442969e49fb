#!/usr/bin/env bash
# Lint, build and test the client where Node is there; otherwise say in one line what was left out and how to get it.
# PRIVGE_REQUIRE_BROWSER=1 makes what is absent an error.
set -euo pipefail
cd "$(dirname "$0")/.."

leave_out() {
  echo "== left out: $1"
  [ "${PRIVGE_REQUIRE_BROWSER:-0}" != 1 ]
  exit
}

if ! command -v npm >/dev/null || ! node -e 'process.exitCode = +(parseInt(process.versions.node) < 20)' 2>/dev/null; then
  leave_out 'the JavaScript tests, which need Node 20 or newer (apt-get install nodejs npm; then make test-js)'
fi
# Tests of the Python package that need Node may be fetching the packages just now (tests/browser/chromium.py).
exec 9<package.json
if command -v flock >/dev/null; then flock 9; fi
if [ package-lock.json -nt node_modules/.installed ]; then
  npm ci --no-progress --loglevel=error >/dev/null ||
    leave_out 'the JavaScript tests, whose packages could not be fetched (npm ci in clients/js; then make test-js)'
  touch node_modules/.installed
fi
exec 9<&-
npm run --silent check
npm run --silent build
node scripts/pack.mjs
npm test --silent
[ -x "${PRIVGE_CHROMIUM:-/usr/bin/chromium}" ] ||
  leave_out 'the browser tests, which need Chromium (apt-get install chromium; then make test-js)'

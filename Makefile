# Every target makes or refreshes .venv by itself and can be run again at any time.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq

# The tests start hundreds of processes; where bytecode may not be kept, each of them compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install demo test test-beside test-alone test-js check format bench load chaos commands client pictures vectors docs clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "privge needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@echo "== making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

comma := ,
# One stamp for each set of extras, several with commas between them: installed anew when pyproject.toml or
# constraints.txt changes.
$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/python
	@echo "== installing privge[$*] (a minute or two the first time)"
	@$(PIP) install -c constraints.txt -e '.[$*]'
	@touch $@ $(patsubst %,$(VENV)/.installed-%,$(subst $(comma), ,$*))

install: $(VENV)/.installed-test ## Install privge into .venv
	@echo "privge $$($(BIN)/privge --version | cut -d' ' -f3) is in $(VENV); try: $(BIN)/privge --help"

demo: $(VENV)/.installed-demo ## The whole way on a made-up network, ending in demo/report.html
	@$(BIN)/privge demo -o demo/report.html

# What measures time or load waits for a quiet machine.
test: ## Run the tests
	@$(MAKE) --no-print-directory --jobs=2 test-beside test-js
	@$(MAKE) --no-print-directory test-alone

# One process more than there are processors (tests/conftest.py): each begins with its share of the files, in order, and
# takes over what others have left once it is done.
test-beside: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m 'not alone' --numprocesses auto --dist worksteal --durations=40 --durations-min=5

# Only the files that hold such tests are read again for them.
test-alone: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m alone $$(grep -rl --include='test_*.py' 'mark\.alone' tests)

# Where Node is absent this says so in one line and passes; PRIVGE_REQUIRE_BROWSER=1 requires Node and Chromium.
test-js: ## Run the tests of the browser client
	@clients/js/scripts/test.sh

check: $(VENV)/.installed-check ## Lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.installed-check ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.installed-bench ## Measure speed and memory against other libraries (on an idle machine)
	$(BIN)/python benchmarks/perturbation.py
	$(BIN)/python benchmarks/million_users.py
	$(BIN)/python benchmarks/propagation.py
	$(BIN)/python benchmarks/kernel.py --only parts --nodes 22470 1000000
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/stores.py
	$(BIN)/python benchmarks/service.py
	$(BIN)/python benchmarks/several.py
	$(BIN)/python benchmarks/scale.py compare 1000000 10000000 64

load: $(VENV)/.installed-chaos ## Is the service fast enough? (8 minutes on an idle machine)
	$(BIN)/python -m reliability.load

chaos: $(VENV)/.installed-chaos ## Does it keep its promises while things break? (20 minutes)
	$(BIN)/python -m reliability.chaos

commands: $(VENV)/.installed-test ## Do 1,000 erroneous commands end as they should? (30 minutes)
	$(BIN)/python -m reliability.commands

client: ## Build the client of browsers into the package (needs Node)
	cd clients/js && npm ci && npm run build
	cp clients/js/dist/privge.js clients/js/dist/taught.js src/privge/pages/assets

pictures: $(VENV)/.installed-test ## Make the pictures of the pages for docs/ (needs Node and Chromium)
	$(BIN)/python docs/generate/page_pictures.py

vectors: $(VENV)/.installed-test ## Make the test vectors of the protocol anew
	$(BIN)/python -m spec.make

docs: $(VENV)/.installed-docs ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean: ## Remove everything that was made
	rm -rf $(VENV) site dist demo clients/js/node_modules clients/js/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks spec -name __pycache__ -prune -exec rm -rf {} +

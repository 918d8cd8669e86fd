# Everything a bare clone needs; `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= $(or $(CROWDSEQ_DATA),../shared/data)
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
TORCH := $(shell sed -n 's/^torch==//p' constraints.txt)
CODE := src tests scripts research

# What is installed and what builds it (hatchling) are those of constraints.txt; newer pips want the second name too.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt

.PHONY: help demo test test-neural check fix bench docs reproduce fuzz chromium wheel-test clean
help: ## what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "crowdseq needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install -e .
	@touch $@

$(VENV)/.test: $(VENV)/.base research/pyproject.toml
	$(PIP) install -e '.[test]' -e './research[test]'
	@touch $@

demo: $(VENV)/.base ## the whole job on the corpus that ships with the package
	$(BIN)/crowdseq demo --out crowdseq-demo --force

check: $(VENV)/.test ## format, lint, types, import contracts
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check chromium wheel-test ## every check and every test
	$(BIN)/pytest -q -n 2 --dist loadscope

# Where an index has a build of torch without CUDA, which is gigabytes smaller, that one is taken.
$(VENV)/.neural: $(VENV)/.test
	$(PIP) install 'torch==$(TORCH)+cpu' || $(PIP) install 'torch==$(TORCH)'
	$(PIP) install -e '.[neural]'
	@touch $@

test-neural: $(VENV)/.neural ## the tests of language models: installs torch, and fails without it
	$(BIN)/pytest -q -n 2 tests/neural

chromium: ## Chromium for the tests in a browser, where it is missing and may be installed (CHROMIUM=install: by sudo)
	@CHROMIUM='$(CHROMIUM)' sh scripts/install_chromium.sh

wheel-test: $(VENV)/.test ## the wheel alone in an empty environment: does the product work without its research
	$(BIN)/python scripts/check_wheel.py

fix: $(VENV)/.test ## format, and mend what can be mended by itself
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

$(VENV)/.bench: $(VENV)/.test
	$(PIP) install -e './research[bench]'
	@touch $@

bench: $(VENV)/.bench ## speed beside the rivals, into results/
	@mkdir -p results
	$(BIN)/crowdseq bench --data $(DATA) -o results/bench.json --page docs/benchmarks.md --force

docs: $(VENV)/.test ## write the generated pages anew
	$(BIN)/python scripts/make_reference.py

reproduce: $(VENV)/.test ## the experiments of the paper as far as they are missing, and their page
	$(BIN)/crowdseq reproduce all --data $(DATA) -o results --jobs 2
	$(BIN)/crowdseq reproduce page -o results

fuzz: $(VENV)/.test ## many more examples for every property test
	CROWDSEQ_SEARCH=deep $(BIN)/pytest -q -n 2 tests/core tests/evaluation tests/formats
	$(BIN)/python scripts/attack_files.py

clean: ## forget the environment and what was built
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis crowdseq-demo

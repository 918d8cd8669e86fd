# Everything a bare clone needs; `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= $(or $(CROWDSEQ_DATA),../shared/data)

.PHONY: help demo test check fix bench docs reproduce fuzz clean
help: ## what there is to make
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "crowdseq needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

demo: $(VENV)/.base ## the whole job on the corpus that ships with the package
	$(BIN)/crowdseq demo --out crowdseq-demo --force

check: $(VENV)/.test ## format, lint, types, import contracts
	$(BIN)/ruff format --check src tests scripts
	$(BIN)/ruff check src tests scripts
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check ## every check and every test
	$(BIN)/pytest -q -n 2 --dist loadscope

fix: $(VENV)/.test ## format, and mend what can be mended by itself
	$(BIN)/ruff format src tests scripts
	$(BIN)/ruff check --fix src tests scripts

$(VENV)/.bench: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
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

clean: ## forget the environment and what was built
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis crowdseq-demo

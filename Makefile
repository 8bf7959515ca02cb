# `make demo` and `make test` need nothing but make and a python3 that is 3.11 or newer.
# PYTHON=... chooses another interpreter; VENV=... another folder for the environment.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.relaygen-installed
INSTALLED_DEV := $(VENV)/.relaygen-installed-dev

export PIP_DISABLE_PIP_VERSION_CHECK = 1

# The checks of `make test` build on each other's results, also under -j.
.NOTPARALLEL:
.PHONY: help demo test bench lint types contracts unit coverage format docs wheel clean

help: ## Say what there is
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

demo: $(INSTALLED) ## Stream an answer of the embedded pair, then what it took
	$(BIN)/relaygen demo

test: lint types contracts unit coverage ## Everything that a change has to pass

bench: $(INSTALLED) ## Measure every arm on the embedded pair, interleaved
	$(BIN)/relaygen bench --demo

lint: $(INSTALLED_DEV) ## ruff: rules and layout
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED_DEV) ## mypy --strict
	$(BIN)/mypy

contracts: $(INSTALLED_DEV) ## Who may import whom
	$(BIN)/lint-imports

unit: $(INSTALLED_DEV) ## pytest, with branch coverage recorded
	$(BIN)/coverage erase
	$(BIN)/pytest --cov --cov-report=

# The rooms whose mistakes would be silent are held to every branch, the rest to nine in ten.
STRICT_ROOMS := relaygen_runtime/policy/*,relaygen_runtime/cues/*,relaygen_runtime/ledger/*,relaygen_runtime/speculative/*

coverage: ## The floors of the last test run
	$(BIN)/coverage report --skip-covered --show-missing --include='$(STRICT_ROOMS)' --fail-under=100
	$(BIN)/coverage report --skip-covered --omit='$(STRICT_ROOMS)' --fail-under=90

format: $(INSTALLED_DEV) ## Lay the code out and mend what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(INSTALLED_DEV) ## Write the generated parts of docs/ anew
	$(BIN)/python -m tests.docs.regenerate

wheel: $(INSTALLED_DEV) ## Build the wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean: ## Remove what make and the tests made
	rm -rf $(VENV) dist build *.egg-info .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A test environment is a demo environment with more in it, so the second stamp rests on the first.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "relaygen needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Give another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[torch]'
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[torch,langchain,llama-index]' --group dev
	@touch $@

# One entry point for everything. Needs python3 (3.11 or later) and make; uses uv where it is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help learn demo test e2e check docs plugins bench backtest clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

learn: $(STAMP)  ## read this machine's own logs
	@$(BIN)/afterwit learn

demo: $(STAMP)  ## show what it does, on invented logs
	@$(BIN)/afterwit demo

test: $(STAMP)  ## run all tests
	@$(BIN)/python -m pytest -n auto -q

e2e: $(STAMP)  ## run real clients of eleven agents, and read what they wrote
	@$(BIN)/python -m tests.e2e

check: $(STAMP)  ## check style, types, layers and reference pages
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate.py --check
	@$(BIN)/python -m afterwit.agents.plugins --check

docs: $(STAMP)  ## write the reference pages
	@$(BIN)/python docs/generate.py

plugins: $(STAMP)  ## write the plugins for Claude Code, Codex and Gemini
	@$(BIN)/python -m afterwit.agents.plugins

bench: $(STAMP)  ## print the tables of figures
	@$(BIN)/python -m bench

backtest: $(STAMP)  ## replay a home; needs AFTERWIT_JUDGE and AFTERWIT_CORPUS
	@$(BIN)/python -m bench.backtest

clean:  ## remove the virtual environment and the caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "afterwit needs Python 3.11 or later; $(PYTHON) --version says: $$($(PYTHON) --version 2>&1 | tail -n 1)" >&2; \
	  echo "Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing into $(VENV) ..." >&2
ifdef UV
	@test -d $(VENV) || uv venv -q --python $(PYTHON) $(VENV)
	@uv pip install -q --python $(BIN)/python -e . --group dev --group bench
else
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e . --group dev --group bench
endif
	@touch $@

# One entry point for everything. Needs python3 and make; uses uv where it is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UV := $(shell command -v uv 2>/dev/null)

.PHONY: learn test check docs bench clean

learn: $(STAMP)  ## read this machine's own logs
	@$(BIN)/afterwit learn

test: $(STAMP)  ## all tests
	@$(BIN)/python -m pytest -n auto -q

check: $(STAMP)  ## style, types, layers, docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate.py --check

docs: $(STAMP)  ## write the reference pages of the commands
	@$(BIN)/python docs/generate.py

bench: $(STAMP)  ## print the tables of figures
	@$(BIN)/python -m bench

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml
ifdef UV
	@test -d $(VENV) || uv venv -q --python $(PYTHON) $(VENV)
	@uv pip install -q --python $(BIN)/python -e . --group dev --group bench
else
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e . --group dev --group bench
endif
	@touch $@

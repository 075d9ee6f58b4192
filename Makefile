# Needs python3 (3.11 or newer, with venv), git and make; everything else is installed into .venv.
#
#   make test    the tests                       make test PYTEST_ARGS='-x -k redact'
#   make fuzz    20,000 damaged recordings through the search for secrets     make fuzz FUZZ_INPUTS=100000 FUZZ_SEED=7
#   make test-previous-sdks    the live providers with the major versions of the SDKs before the current ones
#   make lint    ruff and mypy
#   make bench   the tables of speed                 make bench BENCH_ARGS=recall
#   make mutants    faults put into fingerprint, redact, cassette and playback, one at a time: which of them no test notices
#   make demo    record, replay, edit a prompt, see what became stale; no key, no network
#   make site    the documentation as a site, in site/
#   make hooks   this repository's own commit hooks, over all its files
#   make build   the wheel and the source archive, in dist/
#   make version-is TAG=v1.2.3    fails if that is not the version
#   make lock    bring requirements/ in line with pyproject.toml     make lock LOCK_ARGS=--upgrade

PYTHON := .venv/bin/python
READY := .venv/.ready
PYTEST_ARGS ?= -n 2
FUZZ_INPUTS ?= 20000
FUZZ_SEED ?= 1
LOCK_ARGS ?=
BENCH_ARGS ?=
MUTANTS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH

.PHONY: build demo fuzz hooks test test-previous-sdks lint site lock version-is bench mutants

demo: $(READY)
	@$(PYTHON) examples/demo.py

test: $(READY)
	@$(PYTHON) -m pytest $(PYTEST_ARGS)

fuzz: $(READY)
	@DRYFIRE_FUZZ_INPUTS=$(FUZZ_INPUTS) DRYFIRE_FUZZ_SEED=$(FUZZ_SEED) $(PYTHON) -m pytest $(PYTEST_ARGS) tests/test_recordings_fuzz.py

# They stand before the current ones on the path; everything else is that of .venv.
PREVIOUS := .venv/previous-sdks
test-previous-sdks: $(PREVIOUS)/.ready
	@PYTHONPATH=$(PREVIOUS) $(PYTHON) -m pytest $(PYTEST_ARGS) tests/providers tests/test_http_transport.py \
		tests/integration/test_live_recording.py tests/integration/test_faults.py tests/integration/test_request_parts.py

$(PREVIOUS)/.ready: $(READY) requirements/previous-sdks.txt
	@rm -rf $(PREVIOUS)
	@$(PYTHON) -m pip install -qq --require-hashes --target $(PREVIOUS) -r requirements/previous-sdks.txt
	@touch $@

# The scanners that the redaction hook is measured against have dependencies of their own.
SCANNERS := .venv/scanners
bench: $(SCANNERS)/.ready
	@$(PYTHON) -m benchmarks $(BENCH_ARGS)

$(SCANNERS)/.ready: $(READY) requirements/bench.txt
	@rm -rf $(SCANNERS)
	@$(PYTHON) -m pip install -qq --require-hashes --target $(SCANNERS) -r requirements/bench.txt
	@touch $@

MUTATION := .venv/mutation
mutants: $(MUTATION)/.ready
	@PYTHONPATH=$(MUTATION) $(PYTHON) -m mutmut run $(MUTANTS)
	@PYTHONPATH=$(MUTATION) $(PYTHON) -m mutmut results

$(MUTATION)/.ready: $(READY) requirements/mutation.txt
	@rm -rf $(MUTATION)
	@$(PYTHON) -m pip install -qq --require-hashes --target $(MUTATION) -r requirements/mutation.txt
	@touch $@

lint: $(READY)
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy

hooks: $(READY)
	@$(PYTHON) -m pre_commit run --all-files

build: $(READY)
	@$(PYTHON) -m hatchling build --directory dist

version-is: $(READY)
	@$(PYTHON) -c 'import sys; from dryfire_action import __version__ as version; sys.exit(f"the version is {version}, the tag is $(TAG)" if "$(TAG)" != f"v{version}" else 0)'

site: $(READY)
	@$(PYTHON) -m mkdocs build --quiet

# The development pins are constrained by the run-time ones: what is tested is what the action installs.
LOCK := $(PYTHON) -m uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links
lock: $(READY)
	@$(LOCK) $(LOCK_ARGS) -o requirements/run.txt
	@$(LOCK) $(LOCK_ARGS) --group dev -c requirements/run.txt -o requirements/dev.txt
	@$(subst compile pyproject.toml,compile,$(LOCK)) $(LOCK_ARGS) --group pyproject.toml:previous-sdks -o requirements/previous-sdks.txt
	@$(subst compile pyproject.toml,compile,$(LOCK)) $(LOCK_ARGS) --group pyproject.toml:bench -o requirements/bench.txt
	@$(subst compile pyproject.toml,compile,$(LOCK)) $(LOCK_ARGS) --group pyproject.toml:mutation -c requirements/dev.txt -o requirements/mutation.txt

# -qq: errors only. Without build isolation nothing is installed that has no hash in requirements/dev.txt.
$(READY): requirements/dev.txt pyproject.toml src/dryfire_action/version.py
	@if ! $(PYTHON) -c '' 2>/dev/null; then \
		for candidate in python3 python3.13 python3.12 python3.11; do \
			if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
				found=$$candidate; break; \
			fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo 'make: no Python 3.11 or newer found (looked for python3, python3.13, python3.12, python3.11)' >&2; \
			exit 1; \
		fi; \
		echo "setting up .venv with $$($$found --version)"; \
		$$found -m venv --clear .venv || { \
			echo "make: $$found could not create .venv; on Debian and Ubuntu its venv module is a package of its own, python3-venv" >&2; \
			exit 1; \
		}; \
	fi
	@$(PYTHON) -m pip install -qq --require-hashes -r requirements/dev.txt
	@$(PYTHON) -m pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@

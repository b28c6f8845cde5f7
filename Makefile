# Two commands: `make demo` (train an agent and watch it learn) and `make test` (every check). Both set up .venv first.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
WORKERS ?= 2
PLAIN := -m "not slow and not many_games" tests/core tests/games tests/goldens
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export OMP_NUM_THREADS ?= 1

.PHONY: demo test slow-test setup lint types fast-test bench curves docs clean

demo: setup
	$(BIN)/python -m training.demo

test: setup lint types
	RFOP_JIT=0 $(BIN)/python -m pytest -q -n $(WORKERS) $(PLAIN)
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not slow" tests

slow-test: setup
	$(BIN)/python -m pytest -q -m slow tests

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 to 3.13 is needed: make PYTHON=python3.12 ...'"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q torch==2.13.0
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[test]"
	touch $(STAMP)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

fast-test: setup
	RFOP_JIT=0 $(BIN)/python -m pytest -q -x -n $(WORKERS) $(PLAIN)

bench: setup
	$(BIN)/rfop bench

curves: setup
	$(BIN)/python -m training.reproduce

docs: setup
	$(BIN)/python -m rfop_env.testing.documentation
	$(BIN)/python -m training.pages
	$(BIN)/python -m tests.mutation --table

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache build dist *.egg-info

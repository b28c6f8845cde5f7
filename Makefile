# `make help` lists the targets. Each sets up .venv first.
PYTHON ?= python3
BIN := .venv/bin
TRAIN := .venv/.train
STAMP := .venv/.ready
LIBRARIES := .venv-libraries
RAY := .venv-ray
WORKERS ?= 2
SIDE_BY_SIDE := -n $(WORKERS) --dist worksteal --times
COMPILED := -m "not slow and not plain and not browser and not libraries and not ray and not wheel" tests
ROUNDED := $(addprefix tests/training/test_,agents.py baselines.py board_network.py calibration.py \
	leaderboard.py network.py networks.py replay.py shipped_baselines.py) tests/search
OTHER_ROUNDING := OPENBLAS_CORETYPE=PRESCOTT ATEN_CPU_CAPABILITY=default
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test slow-test rounding-test browser-test libraries-test ray-test wheel-test setup lint types fast-test bench curves docs notebooks site clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 12

demo: $(TRAIN)  ## train an agent for five minutes and watch it learn
	$(BIN)/rfop demo

test: setup lint types  ## every check that has to pass
	$(BIN)/python -m pytest -q $(SIDE_BY_SIDE)
	$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) $(COMPILED)

slow-test: setup  ## what takes hours
	$(BIN)/python -m pytest -q -m slow tests

rounding-test: setup  ## what networks compute, as a processor without AVX does: sums are rounded otherwise there
	$(OTHER_ROUNDING) $(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -m "not slow" $(ROUNDED)

browser-test: setup  ## play in a headless Chromium and Firefox, which are installed first
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[browser]"
	$(BIN)/python -m tests.web.browsers
	$(BIN)/python -m pytest -q -m browser tests/browser tests/web tests/replays tests/notebook
	RFOP_BROWSER=firefox $(BIN)/python -m pytest -q -m browser tests/browser/test_page.py

libraries-test: $(LIBRARIES)/.ready  ## the adapters for other libraries, beside those libraries
	$(LIBRARIES)/bin/python -m pytest -q -m libraries tests/libraries

$(LIBRARIES)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(LIBRARIES)
	$(LIBRARIES)/bin/python -m pip install -q torch==2.13.0
	$(LIBRARIES)/bin/python -m pip install -q -c constraints.txt -e ".[libraries]"
	touch $(LIBRARIES)/.ready

ray-test: $(RAY)/.ready  ## training and evaluation over Ray, on a cluster of two nodes on this machine
	@# Processes of their own: Ray can lose the actors of a process that has connected many times.
	$(RAY)/bin/python -m pytest -q -m ray tests/cluster/test_evaluation.py
	$(RAY)/bin/python -m pytest -q -m ray tests/cluster/test_expert_iteration.py
	$(RAY)/bin/python -m pytest -q -m ray tests/cluster/test_rllib.py

$(RAY)/.ready: pyproject.toml constraints-ray.txt
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python -m pip install -q torch==2.13.0
	$(RAY)/bin/python -m pip install -q -c constraints-ray.txt -e ".[ray]" pytest
	touch $(RAY)/.ready

wheel-test: setup  ## build wheel and sdist, install them elsewhere, and use them there
	$(BIN)/python -m pytest -q -m wheel --times tests/packaging

setup: $(STAMP)  ## make .venv

$(TRAIN): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 to 3.13 is needed: make PYTHON=python3.12 ...'"
	rm -rf *.egg-info  # of an older install: it would hide the entry points of this one
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install torch==2.13.0
	$(BIN)/python -m pip install -c constraints.txt -e ".[train]"
	touch $(TRAIN)

$(STAMP): $(TRAIN)
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[test]"
	touch $(STAMP)

lint: setup  ## linter, formatter, and rules of names and tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m training.research house --check

types: setup  ## type checker
	$(BIN)/mypy

fast-test: setup  ## core and rules without the compiler, to the first failure
	$(BIN)/python -m pytest -q -x $(SIDE_BY_SIDE)

bench: setup  ## decisions per second of every environment
	$(BIN)/rfop bench

curves: setup  ## train the beginning of each published curve again, and say whether it agrees
	$(BIN)/python -m training.research reproduce

docs: setup  ## write generated tables and pictures anew
	$(BIN)/python -m training.research docs

site: setup  ## the documentation as pages to read offline, in build/site
	$(BIN)/python -m training.research site

notebooks: setup  ## run all notebooks and store their outputs
	$(BIN)/python -m training.research notebooks

clean:  ## remove .venv, caches and builds
	rm -rf .venv $(LIBRARIES) $(RAY) .pytest_cache .mypy_cache .ruff_cache build dist *.egg-info

# Two commands on a fresh machine with Python >= 3.11 and pip: `make learn` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
JOBS   ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")

# $(call install,<arguments>): into the virtual environment, with uv where there is one.
ifdef UV
  install = $(UV) pip install --quiet --python $(BIN)/python $(1)
else
  install = $(BIN)/python -m pip install --quiet --disable-pip-version-check $(1)
endif

.PHONY: help learn test check compat bench docs syllabus coverage cpu wheel fresh clean
help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

learn: $(VENV)/.base  ## set up, then run the main job on embedded data
	$(BIN)/learnable learn

test: $(VENV)/.test  ## set up, then run every test
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(VENV)/.test  ## style, types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

compat: $(VENV)/.test  ## scikit-learn's own tests with our classes in place; prints the pass rate per class
	$(BIN)/python -m compat -n $(JOBS)

bench: $(VENV)/.bench  ## race the rivals; prints one table (ARGS="race --quick" for minutes instead of hours)
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/.docs  ## draw the pictures of the README anew, build the documentation; warnings are errors
	$(BIN)/python docs/make_picture.py
	$(BIN)/python docs/make_ideas.py
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

syllabus: $(VENV)/.test  ## rows of the syllabus done and left (ARGS="--alter all": does each row's test notice an altered formula?)
	$(BIN)/python docs/syllabus.py $(ARGS)

coverage: $(VENV)/.test  ## run every test and print the share of lines that ran, room by room
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=
	$(BIN)/python scripts/coverage_by_room.py

cpu: $(VENV)/.test  ## run every test and print its processor time, folder by folder
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -p scripts.processor_time

wheel: $(VENV)/.test  ## build dist/*.whl with compiled kernels for this Python on this kind of machine (minutes)
	rm -rf src/learnable/_jit/ready
	$(BIN)/learnable prepare --into src/learnable/_jit/ready
	$(BIN)/python -m hatchling build -t wheel
	rm -rf src/learnable/_jit/ready

fresh:  ## try every command in a fresh clone of HEAD (ARGS="docs check" for some)
	sh scripts/fresh.sh $(ARGS)

clean:  ## remove the environment and everything built
	rm -rf $(VENV) .coverage build dist src/learnable/_jit/ready docs/_build docs/gallery docs/api/generated

$(VENV)/bin/python:
ifdef UV
	$(UV) venv --quiet --python $(PYTHON) $(VENV)
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip   # older pips lack --group
endif

$(VENV)/.base: $(VENV)/bin/python pyproject.toml
	$(call install,--editable .)
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(call install,--editable . --group test)
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	$(call install,--group bench)
	@touch $@

$(VENV)/.docs: $(VENV)/.base
	$(call install,--editable ".[all]" --group docs)   # pages and examples use whatever a user may have
	@touch $@

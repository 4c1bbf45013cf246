# All set-up happens here: nothing but Python ≥ 3.11 is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: demo test lint check slow bench soak reproduce clean clean-kernels

demo: $(READY)
	$(BIN)/python examples/demo.py

test: lint check

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile

slow: $(READY)
	$(BIN)/python -m pytest -m slow

reproduce: $(READY)
	$(BIN)/wt reproduce

bench: $(READY)
	$(BIN)/python -m benchmarks

soak: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/soak.py 600

$(READY): pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed: make PYTHON=python3.11')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(READY)

clean-kernels:
	rm -rf src/wasserstein_transform/kernels/__pycache__

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

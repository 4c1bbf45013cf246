# All set-up happens here: nothing but Python ≥ 3.11 is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PLAIN := $(VENV)/plain
READY := $(VENV)/ready
LOWEST := $(VENV)/lowest
QUALITY := $(VENV)/quality
INSTALL := -m pip install --quiet --disable-pip-version-check

# tests start many processes: without bytecode on disk each would compile all it imports
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test warm lint check gpu release-check slow other-cpu uninitialized lowest coverage bench bench-quality docs docs-code docs-site soak fuzz reproduce clean clean-kernels

demo: $(PLAIN)
	$(BIN)/python examples/demo.py
	$(MAKE) warm

# Kernels are compiled while the linters and what tests need are installed. What is compiled first is compiled once: two
# workers that begin together would both do it.
test: $(PLAIN)
	$(MAKE) -j 2 warm lint
	$(MAKE) check

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# from the sources: the installation of the package may be under way
warm: $(PLAIN)
	PYTHONPATH=src $(BIN)/python -c "from wasserstein_transform.cli import main; main()" warmup

check: $(READY) warm
	$(BIN)/python -m pytest -n 2 --dist worksteal
	@$(BIN)/python tests/gpu/record.py

# What a GPU computes, on this machine's; the record says what was tried, where and of which code. CuPy must be there.
gpu:
	WT_GPU_RECORD=tests/gpu/record.json PYTHONPATH="src:tests:.:$$PYTHONPATH" $(PYTHON) -m pytest tests/gpu -m gpu -p no:cacheprovider
	$(PYTHON) tests/gpu/record.py --write

# Everything a release needs: a record of the GPU that is of this code, versions that agree, a wheel and an sdist that
# install and run, tests of the sdist by its own `make test`. The packages are left in dist.
release-check: $(VENV)/release warm
	$(BIN)/python tests/gpu/record.py --check
	$(BIN)/python tests/release.py $(TAG)

# Everything: what `make test` and `make docs` run, and what they leave out.
slow: $(VENV)/docs
	$(BIN)/python -m pytest tests src paper docs/tests -n 2 --dist worksteal -m "slow or not slow"

# The tests as on other processors: kernels without instructions beyond the baseline (on x86-64: without fused operations),
# and BLAS with the kernels of other processors. Those with AVX-512 run where the processor has it.
ifneq ($(filter aarch64 arm64,$(shell uname -m)),)
BLAS ?= ARMV8 NEOVERSEN1
else
BLAS ?= Nehalem Haswell $(shell grep -qs avx512f /proc/cpuinfo && echo SkylakeX)
endif
other-cpu: $(READY)
	for blas in $(BLAS); do \
		echo "kernels for any processor, BLAS for $$blas"; \
		NUMBA_CPU_NAME=generic NUMBA_CPU_FEATURES= OPENBLAS_CORETYPE=$$blas $(BIN)/python -m pytest -n 2 --dist worksteal || exit 1; \
	done

# Arrays that are read before they are written: new arrays hold NaN, and memory from the system a pattern.
uninitialized: $(READY)
	MALLOC_PERTURB_=165 PYTHONPATH=tests $(BIN)/python -m pytest -p poison -n 2 --dist worksteal

# The oldest versions of what is needed. They know nothing of what came after them, so deprecations are no errors.
lowest: $(LOWEST)/ready
	$(LOWEST)/bin/python -m pytest -n 2 --dist worksteal -W ignore::DeprecationWarning

# Compiled code is not seen: what is left of kernels is measured as Python, on a small computation of every kind.
coverage: $(VENV)/coverage
	$(BIN)/python -m coverage run -m pytest
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --append tests/everyday.py $(VENV)/everyday.npz
	$(BIN)/python -m coverage report

# changed files at every function that reads one: ten minutes, other ones every time
fuzz: $(READY)
	WT_FUZZ_SECONDS=600 $(BIN)/python -m pytest tests/fuzz -m "slow or not slow"

reproduce: $(READY)
	$(BIN)/python -m wt_paper

bench: $(VENV)/bench
	$(BIN)/python -m benchmarks

# Clusters against peers, in an environment of its own: make bench-quality SETS=FOLDER, and options as --jobs 2 after it.
bench-quality: $(QUALITY)/ready
	$(QUALITY)/bin/python -m benchmarks.quality $(SETS)

# The site, in build/docs, and the tests of pages, figures and benchmarks. Warnings are errors. Spelling, code on pages, links
# and public docstrings are checked.
docs: $(VENV)/docs warm
	$(MAKE) -j 2 docs-code docs-site
	PYTHONPATH=docs $(BIN)/python -m building.complete build/docs
	@echo "the site is build/docs/index.html"

docs-code: $(VENV)/docs
	PYTHONPATH=docs $(BIN)/python -m building.spelling
	PYTHONPATH=docs $(BIN)/python -m building.snippets
	$(BIN)/python -m pytest docs/tests

docs-site: $(VENV)/docs
	PYTHONPATH=docs $(BIN)/python -m sphinx -j auto -E -W --keep-going -q -b html -d build/doctrees docs build/docs

soak: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/soak.py 600

# no bytecode ahead: most files are never imported
$(PLAIN): pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed: make PYTHON=python3.11')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --no-compile --editable ".[plot]"
	touch $(PLAIN)

$(READY): $(PLAIN)
	$(BIN)/python $(INSTALL) --no-compile --editable ".[dev]"
	touch $(READY)

$(VENV)/bench: $(READY)
	$(BIN)/python $(INSTALL) --editable ".[bench]"
	touch $(VENV)/bench

$(VENV)/release: $(READY)
	$(BIN)/python $(INSTALL) --editable ".[release]"
	touch $(VENV)/release

$(VENV)/coverage: $(READY)
	$(BIN)/python $(INSTALL) --editable ".[coverage]"
	touch $(VENV)/coverage

$(LOWEST)/ready: pyproject.toml tests/lowest.txt
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python $(INSTALL) --constraint tests/lowest.txt --editable ".[all,test]"
	touch $(LOWEST)/ready

$(VENV)/docs: $(READY)
	$(BIN)/python $(INSTALL) --no-compile --editable ".[docs]"
	touch $(VENV)/docs

# a peer that cannot be installed is named in the table
$(QUALITY)/ready: pyproject.toml benchmarks/quality/peers.txt
	$(PYTHON) -m venv --clear $(QUALITY)
	$(QUALITY)/bin/python $(INSTALL) --editable .
	grep -v '^#' benchmarks/quality/peers.txt | while read -r peer; do \
		$(QUALITY)/bin/python $(INSTALL) "$$peer" || echo "$$peer could not be installed"; \
	done
	touch $(QUALITY)/ready

clean-kernels:
	rm -rf src/wasserstein_transform/compute/__pycache__/compiled

clean:
	rm -rf $(VENV) build dist docs/drawn docs/gallery docs/project docs/reference .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything runs in .venv, which is made on first use. PYTHON chooses the interpreter that makes it.
PYTHON ?= python3
BIN := .venv/bin
# One exact version, the newest that the tests were run with. They need no GPU: where pip would bring a build with CUDA,
# name PyTorch's index of CPU builds in PIP_EXTRA_INDEX_URL, or make TORCH=torch==2.13.0+cpu.
TORCH ?= torch==2.13.0

# TensorFlow says much when it starts, none of it about the demo.
HUSH := TF_CPP_MIN_LOG_LEVEL=3 TF_ENABLE_ONEDNN_OPTS=0

.PHONY: demo test lint site bench docs clean

demo: .venv/installed
	@echo "traceonce run examples/train_variable_length.py"
	@$(HUSH) $(BIN)/traceonce run examples/train_variable_length.py
	@echo
	@echo "traceonce run --quiet --max-traces train_step=3 examples/train_variable_length.py"
	@$(HUSH) $(BIN)/traceonce run --quiet --max-traces train_step=3 examples/train_variable_length.py || true
	@echo
	@echo "traceonce fix --html traceonce-report.html examples/train_variable_length.py"
	@$(HUSH) $(BIN)/traceonce fix --html traceonce-report.html examples/train_variable_length.py
	@echo
	@echo "JAX and PyTorch: $(BIN)/traceonce run examples/train_jax.py; $(BIN)/traceonce run examples/train_torch.py"
	@echo "The page, with the proved fix; open it in a browser: $(CURDIR)/traceonce-report.html"

test: .venv/installed lint site
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/installed
	$(BIN)/ruff check src tests bench examples docs/generate.py docs/generators
	$(BIN)/ruff format --check src tests bench examples docs/generate.py docs/generators
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/oxlint --deny-warnings src/traceonce

# bench/peers.py compares with other tools, which need an environment of their own: it says how to make it.
# bench/wild.py makes environments with public libraries, about 5 GB, and is run by itself.
bench: .venv/installed
	$(BIN)/python bench/observe.py
	$(BIN)/python bench/backends.py
	$(BIN)/python bench/guard.py
	$(BIN)/python bench/match.py
	$(BIN)/python bench/fix.py
	$(BIN)/python bench/bounded_traces.py
	$(BIN)/python bench/bounded.py
	$(BIN)/python bench/page.py
	$(BIN)/python bench/serve.py

# A link that leads nowhere fails it. The theme's notice about its successor is not ours to act on.
site: .venv/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

docs: .venv/installed
	$(BIN)/python docs/generate.py

.venv/installed: pyproject.toml
	@echo "Setting up .venv, once: 1 of 3, an environment of $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@echo "2 of 3, traceonce with TensorFlow, JAX and the tools for its checks: some minutes"
	@$(BIN)/python -m pip install --disable-pip-version-check --editable ".[tensorflow,jax,dev]"
	@echo "3 of 3, PyTorch: some minutes"
	@$(BIN)/python -m pip install --disable-pip-version-check "$(TORCH)"
	@touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

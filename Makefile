# Everything runs in .venv, which is made on first use. PYTHON chooses the interpreter that makes it.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench docs clean

demo: .venv/installed
	@echo "traceonce run examples/train_variable_length.py"
	@TF_CPP_MIN_LOG_LEVEL=3 $(BIN)/traceonce run examples/train_variable_length.py
	@echo
	@echo "traceonce run --quiet --max-traces train_step=3 examples/train_variable_length.py"
	@TF_CPP_MIN_LOG_LEVEL=3 $(BIN)/traceonce run --quiet --max-traces train_step=3 examples/train_variable_length.py || true
	@echo
	@echo "traceonce fix --html traceonce-report.html examples/train_variable_length.py"
	@TF_CPP_MIN_LOG_LEVEL=3 $(BIN)/traceonce fix --html traceonce-report.html examples/train_variable_length.py

test: .venv/installed lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/installed
	$(BIN)/ruff check src tests bench examples docs/generate.py
	$(BIN)/ruff format --check src tests bench examples docs/generate.py
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed
	$(BIN)/python bench/observe.py
	$(BIN)/python bench/guard.py
	$(BIN)/python bench/match.py
	$(BIN)/python bench/fix.py
	$(BIN)/python bench/bounded_traces.py
	$(BIN)/python bench/bounded.py
	$(BIN)/python bench/page.py
	$(BIN)/python bench/serve.py

docs: .venv/installed
	$(BIN)/python docs/generate.py

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[tensorflow,dev]"
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

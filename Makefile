# Maintainers' chores. Users need only `python3 manage.py run` and `python3 manage.py test`.
PYTHON ?= .venv/bin/python
UV ?= uv
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--only-binary :all: --no-emit-index-url --no-header --no-annotate

.PHONY: lint format lock bench crash hammer races

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

format:
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

lock:
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --extra test -c requirements.lock -o requirements-test.lock

bench:
	$(PYTHON) -m bench.publish
	$(PYTHON) -m bench.git_floor
	$(PYTHON) -m bench.dedup
	$(PYTHON) -m bench.start

crash:
	$(PYTHON) -m pytest tests/crash

# The same tests as in the suite, for a minute and for 500 rounds.
hammer:
	HAMMER_SECONDS=60 $(PYTHON) -m pytest -s tests/cases/test_busy_database.py

races:
	RACE_ROUNDS=500 $(PYTHON) -m pytest -s tests/races

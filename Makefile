# Maintainers' chores. Users need only `python3 manage.py run` and `python3 manage.py test`.
PYTHON ?= .venv/bin/python
UV ?= uv
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--only-binary :all: --no-emit-index-url --no-header --no-annotate

CRASH_SEED ?= 1
CRASH_MINUTES ?= 20

.PHONY: lint format lock bench crash races soak

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

# The suite's crash tests with every drill and its planted twin, then the matrix for CRASH_MINUTES.
crash:
	CRASH_ALL=1 $(PYTHON) -m pytest tests/crash tests/processes/test_drill.py
	DJANGO_SETTINGS_MODULE=tests.support.settings $(PYTHON) -m tests.support.sweep \
		--seed $(CRASH_SEED) --minutes $(CRASH_MINUTES)

soak:
	SOAK_KILLS=200 $(PYTHON) -m pytest -s tests/crash/test_soak.py

# As many rounds on PostgreSQL as the suite plays on SQLite.
races:
	RACE_ROUNDS=500 $(PYTHON) -m pytest -s tests/races

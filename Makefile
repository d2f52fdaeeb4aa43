# Maintainers' chores. Users need only `python3 manage.py run` and `python3 manage.py test`.
PYTHON ?= .venv/bin/python
UV ?= uv
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--only-binary :all: --no-emit-index-url --no-header --no-annotate

CRASH_SEED ?= 1
CRASH_MINUTES ?= 0

.PHONY: lint format lock bench both crash hammer races routes soak

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

# The suite's crash tests with every drill and its planted twin, then all of the matrix, which takes
# hours; CRASH_MINUTES ends it before.
crash:
	CRASH_ALL=1 $(PYTHON) -m pytest tests/crash tests/processes/test_drill.py
	DJANGO_SETTINGS_MODULE=tests.support.settings $(PYTHON) -m tests.support.sweep \
		--seed $(CRASH_SEED) --minutes $(CRASH_MINUTES)

# The suite, and on PostgreSQL what it otherwise runs on SQLite alone too.
both:
	SUITE_TWICE=1 $(PYTHON) -m tests

soak:
	SOAK_KILLS=200 $(PYTHON) -m pytest -s tests/crash/test_soak.py

# As long as case 77 asks for, and held to the time that it allows an answer: on an idle machine with
# a core for each of the ten processes.
hammer:
	HAMMER_SECONDS=60 $(PYTHON) -m pytest -s tests/cases/test_busy_database.py

# Each race of people and of workers, in as many rounds as case 65 asks for; the suite plays fewer.
races:
	RACE_ROUNDS=500 $(PYTHON) -m pytest -s tests/races

# What each address answers to each role, written anew for a reader to compare.
routes:
	ROUTES=write $(PYTHON) -m pytest -q tests/reviews/test_route_matrix.py

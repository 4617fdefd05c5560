# make demo and make test are all a newcomer needs; both create the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASELINES := .venv-baselines
PEERS := .venv-peers
LOCK := .venv-lock
FLOORS := .venv-floors
PIP := -m pip install --quiet --disable-pip-version-check
comma := ,
EVERYTHING := dev,proofs,pld,pm4py,serve,spark
# LOCKED=0 installs whatever versions fit pyproject.toml, where no pinned file fits the system.
LOCKED ?= 1
# Tests of a file stay in one process: they share what takes time to make. More processes than four would fill the memory.
PYTEST := -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

.PHONY: demo test test-rest test-all test-floors check pins lock lock-upgrade format bench bench-quick results audit torture clean help

help:
	@echo "make demo    install, anonymise the example log, say where the results are"
	@echo "make test    install with test tools, run the core of the tests"
	@echo "make test-all  all tests: Spark, kills, races, browsers, long statistics as well; takes long"
	@echo "make test-floors  the core of the tests with the lowest versions that are supported"
	@echo "make check   lint, types, import rules, passages that are alike, and whether what is installed is what is pinned"
	@echo "make lock    pin the requirements again after a change of pyproject.toml (make lock-upgrade: newest versions)"
	@echo "make bench   time and memory, ours and others' (AMUN_DP_LOGS names a folder of real logs, if there is one)"
	@echo "make bench-quick  the same on one small log, under two minutes; printed"
	@echo "make results the article's tables, ours and theirs: hours, and goes on where it was stopped (needs AMUN_DP_LOGS)"
	@echo "make audit   attack the certified method many times: hours (with AMUN_DP_LOGS on real logs, too)"
	@echo "make torture kills, races, mutated files, forgeries, floods, memory, streams: hours (needs strace)"
	@echo "make format  format the code"
	@echo "make clean   remove the environments and the demo release"

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "amun-dp needs Python 3.11 or newer; set PYTHON=/path/to/it" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Pinned versions with hashes first; the project itself then without dependencies, built by what is pinned.
ifeq ($(LOCKED),0)
$(VENV)/.runtime: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.development: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --editable '.[$(EVERYTHING)]'
	@touch $@ $(VENV)/.runtime
else
$(VENV)/.runtime: $(VENV)/.created pyproject.toml requirements/runtime.txt
	$(BIN)/python $(PIP) --require-hashes --requirement requirements/runtime.txt
	$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.created pyproject.toml requirements/development.txt
	$(BIN)/python $(PIP) --require-hashes --requirement requirements/development.txt
	$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.runtime
endif

demo: $(VENV)/.runtime
	$(BIN)/amun-dp inspect examples/hospital.xes.gz
	@echo
	@# --no-registry: a made-up log, released again at every demo, has no budget to keep.
	$(BIN)/amun-dp anonymize examples/hospital.xes.gz --advantage 0.3 --method filtering --out demo-release --force \
		--no-registry
	@echo
	$(BIN)/amun-dp verify demo-release
	@echo
	$(BIN)/amun-dp anonymize examples/hospital.xes.gz --advantage 0.3 --method certified --variants generated \
		--out demo-certified --force --no-registry --quiet
	@echo
	@echo "Two releases: demo-release/ (the article's method) and demo-certified/ (a proved bound for every case)."
	@echo "Open report.html in each; publish it with log.xes.gz and report.json, keep internal/."
	@echo "The same in the browser: $(BIN)/amun-dp serve examples"

# The core of everything, with few examples of each property.
test: $(VENV)/.development
	HYPOTHESIS_PROFILE=quick $(BIN)/python $(PYTEST) -m "not slow"

# What `make test` leaves out: what is slow, and every property with all its examples (Hypothesis marks those tests).
test-rest: $(VENV)/.development
	$(BIN)/python $(PYTEST) -m "slow or hypothesis"

test-all:
	$(MAKE) test
	$(MAKE) test-rest

# In an environment of its own: the lowest versions that pyproject.toml names.
$(FLOORS)/.created: pyproject.toml requirements/floors.txt
	$(PYTHON) -m venv --clear $(FLOORS)
	$(FLOORS)/bin/python $(PIP) --require-hashes --requirement requirements/floors.txt
	$(FLOORS)/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

test-floors: $(FLOORS)/.created
	$(FLOORS)/bin/python -m requirements.installed requirements/floors.txt
	HYPOTHESIS_PROFILE=quick $(FLOORS)/bin/python $(PYTEST) -m "not slow"

check: $(VENV)/.development pins
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pylint --recursive=y amun_dp accounting proofs benchmarks docs examples

pins: $(VENV)/.development
	$(BIN)/python -m requirements.installed requirements/development.txt

# uv makes the files; nobody else needs it.
$(LOCK)/.created:
	$(PYTHON) -m venv $(LOCK)
	$(LOCK)/bin/python $(PIP) uv==0.13.8
	@touch $@

COMPILE := $(LOCK)/bin/uv pip compile --quiet --no-config --generate-hashes --custom-compile-command "make lock" \
	pyproject.toml requirements/build.in
UPGRADE :=

lock: $(LOCK)/.created
	$(COMPILE) $(UPGRADE) --universal --python-version 3.11 --extra $(subst $(comma), --extra ,$(EVERYTHING)) \
		--output-file requirements/development.txt
	$(COMPILE) $(UPGRADE) --universal --python-version 3.11 --extra serve \
		--constraint requirements/development.txt --output-file requirements/runtime.txt
	$(COMPILE) --upgrade --resolution lowest-direct --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
		--extra $(subst $(comma), --extra ,$(EVERYTHING)) --output-file requirements/floors.txt

lock-upgrade:
	$(MAKE) lock UPGRADE=--upgrade

format: $(VENV)/.development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Others, measured beside us.
$(PEERS)/.created: benchmarks/peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	@touch $@

bench: $(VENV)/.development $(BASELINES)/.created $(PEERS)/.created
	$(BIN)/python -m benchmarks.run --peers-python $(PEERS)/bin/python --baselines-python $(BASELINES)/bin/python

bench-quick: $(VENV)/.development $(PEERS)/.created
	$(BIN)/python -m benchmarks.run --quick --peers-python $(PEERS)/bin/python

# pm4py's PRIPEL needs versions that nobody else wants.
$(BASELINES)/.created: benchmarks/baselines.txt
	$(PYTHON) -m venv $(BASELINES)
	$(BASELINES)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/baselines.txt
	@touch $@

results: $(VENV)/.development $(BASELINES)/.created
	$(BIN)/python -m benchmarks.results --baselines-python $(BASELINES)/bin/python

audit: $(VENV)/.development
	$(BIN)/python -m benchmarks.audit

torture: $(VENV)/.development
	$(BIN)/python -m benchmarks.torture

clean:
	rm -rf $(VENV) $(BASELINES) $(PEERS) $(FLOORS) $(LOCK) demo-release demo-certified

# make demo and make test are all a newcomer needs; both create the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASELINES := .venv-baselines
PEERS := .venv-peers
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check format bench bench-quick results audit torture clean help

help:
	@echo "make demo    install, anonymise the example log, say where the results are"
	@echo "make test    install with test tools, run the tests"
	@echo "make check   lint, types, import rules"
	@echo "make bench   time and memory, ours and others' (AMUN_DP_LOGS names a folder of real logs, if there is one)"
	@echo "make bench-quick  the same on one small log, under two minutes; printed"
	@echo "make results the article's tables, ours and theirs: hours, and goes on where it was stopped (needs AMUN_DP_LOGS)"
	@echo "make audit   attack the certified method many times: hours (with AMUN_DP_LOGS on real logs, too)"
	@echo "make torture kills, races, mutated files, forgeries, floods: hours (needs strace)"
	@echo "make format  format the code"
	@echo "make clean   remove the environment and the demo release"

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "amun-dp needs Python 3.11 or newer; set PYTHON=/path/to/it" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.development: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) --editable '.[dev,proofs,pld,pm4py,serve,spark]'
	@touch $@ $(VENV)/.runtime

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

# Tests of a file stay in one process: they share what takes time to make. More processes than four would fill the memory.
test: $(VENV)/.development
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

check: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

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
	rm -rf $(VENV) $(BASELINES) $(PEERS) demo-release demo-certified

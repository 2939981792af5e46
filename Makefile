# `make` lists the targets; .pre-commit-config.yaml and .ci/run call the same ones.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
export PYTHON

BIN := .venv/bin
INSTALLED := build/stamps/installed
INSTALLED_DEV := build/stamps/installed-dev
# Under sudo everything is built as the user who called it; root's are Debian packages and what measures.
BUILD := scripts/under-sudo.sh build
MEASURE := scripts/under-sudo.sh measure
# Python needs no rebuild: the package is installed in place.
SOURCES := Cargo.toml Cargo.lock pyproject.toml requirements.lock scripts/setup-python.sh \
	$(wildcard patches/*.patch) $(shell find crates/*/src crates/*/Cargo.toml crates/bpf/build.rs crates/bpf/c -type f)

.PHONY: help setup setup-dev setup-browsers setup-caddy run test test-quick check fmt lint agreement agreement-random packetdrill-random fuzz bench bench-peers bench-cluster million mutants docs docs-crates clean
.PHONY: lock audit model notebooks questions gallery third-party setup-third-party wheel test-wheel release image-rehearsal

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what a run needs: Debian packages (as root), .venv, the package
	@$(BUILD) scripts/toolchains.sh
	@scripts/debian-packages.sh run
	@$(BUILD) scripts/patch-crates.sh
	@$(BUILD) $(MAKE) --no-print-directory --silent $(INSTALLED)
# Compiled by who builds: else root would leave compiled files among theirs with the first measurement.
	@$(BUILD) $(BIN)/python -m compileall -q python

setup-dev: setup ## Install what the tests need besides
	@scripts/debian-packages.sh test
	@$(BUILD) $(MAKE) --no-print-directory --silent $(INSTALLED_DEV)

run: setup ## Set up and reproduce a study in its quick form
	$(MEASURE) $(BIN)/bentpipe reproduce alshagri2023 --quick

# Tests and lints share cargo's dev profile: it checks overflows, and linking each test binary with the release
# profile's optimisation takes longer than building the dependencies a second time.
test: setup-dev ## Set up and run every test that this machine can run
	$(BUILD) cargo test --workspace --locked
	$(MEASURE) $(BIN)/pytest --ignore=tests/tidy -m "not realtime" --numprocesses=logical
	$(MEASURE) $(BIN)/pytest tests/emulate tests/agreement -m "realtime and not alone" --numprocesses=2 --dist=loadfile
	$(MEASURE) $(BIN)/pytest tests/emulate tests/agreement tests/campaign/cluster tests/packaging -m alone

# Without what measures in real time and without the crates that drive whole runs.
test-quick: setup-dev ## Set up and run what takes a few minutes
	$(BUILD) cargo test --locked $(patsubst %,--package=bentpipe-%,units orbit link recording cc tcp run trace)
	$(MEASURE) $(BIN)/pytest --ignore=tests/tidy -m "not realtime" --numprocesses=logical

check: setup-dev ## Check format, lints, types, import layers and the rules of the house
	$(BUILD) cargo fmt --check
	$(BUILD) $(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory lint
	$(MEASURE) $(BIN)/pytest tests/tidy

lint: setup-dev ## Run the linters and the type checker
	$(BUILD) cargo clippy --workspace --all-targets --locked -- --deny warnings
	$(BUILD) $(BIN)/ruff check .
	$(BUILD) $(BIN)/mypy
	$(BUILD) $(BIN)/lint-imports

setup-browsers: setup ## Install browsers, nginx, what tests of windows and of the workbench need, and Caddy where there is a go
	@scripts/debian-packages.sh browsers
	@$(BUILD) scripts/axe.sh || { (($$? == 3)) && echo "no axe-core; the rest is installed" >&2; }
	@$(BUILD) scripts/caddy.sh || { (($$? == 3)) && echo "no Caddy; the rest is installed" >&2; }

setup-caddy: ## Build Caddy with go, for the test of our loader against it
	$(BUILD) scripts/caddy.sh

fmt: setup-dev ## Format Rust and Python
	$(BUILD) cargo fmt
	$(BUILD) $(BIN)/ruff check --select I --fix .
	$(BUILD) $(BIN)/ruff format .

# Seconds for each parser.
FUZZ_SECONDS ?= 600
fuzz: setup ## Search each parser of what comes from elsewhere for input that breaks it
	$(BUILD) scripts/fuzz.sh $(FUZZ_SECONDS)

bench: setup-dev ## Measure the project's speed and fidelity
	$(BUILD) cargo bench --workspace --locked --bench '*' -- --quick
	$(MEASURE) $(BIN)/bentpipe bench

bench-peers: setup ## Measure the link process against emulators that are here, and the simulator against ns-3, which it installs
	$(MEASURE) $(BIN)/python -m benches.peers.compare_emulators || [ $$? -eq 2 ]
	$(BUILD) benches/peers/setup.sh
	$(BUILD) $(BIN)/python -m benches.peers.compare

bench-cluster: setup ## Measure the throughput of clusters against that of threads, on this machine
	$(BUILD) $(BIN)/python -m benches.cluster.throughput

# Options such as `make million MILLION="--runs 100000"`.
million: setup ## Measure the ledger at a million runs: appending, resuming, the report
	$(BUILD) $(BIN)/python -m tools.million $(MILLION)

# Options such as `make mutants MUTANTS="--minutes 30 cc"`.
mutants: setup ## Break the code on purpose and see whether tests notice, for an hour, and write docs/mutants.md
	$(BUILD) scripts/cargo-mutants.sh
	$(BUILD) $(BIN)/python -m tools.mutants $(MUTANTS)

setup-third-party: setup ## Install the Debian packages that `make third-party` compares with
	@scripts/debian-packages.sh third-party

# Some of them alone: `make third-party THIRD_PARTY="h2spec dvbs2"`.
third-party: setup ## Compare with programs, tables and schemas of others, and write docs/third-party.md
	$(MEASURE) $(BIN)/python -m tools.third_party $(THIRD_PARTY)

agreement: setup ## Measure a grid by both engines, hours in real time, and write docs/agreement.md
	$(MEASURE) $(BIN)/python -m tools.agreement

# The set of a seed grows with N; what has been measured is kept.
SEED ?= 1
N ?= 300
agreement-random: setup ## Measure N random cells of SEED by both engines, hours in real time, for the same page
	$(MEASURE) $(BIN)/python -m tools.agreement_random --seed $(SEED) --number $(N)

packetdrill-random: setup ## Judge the simulated endpoint by N scripts by chance of SEED that the kernel completes
	$(MEASURE) $(BIN)/python -m tools.random_scripts --seed $(SEED) --number $(N)

wheel: ## Build the sdist and from it the wheel that needs no compiler, into dist/, and have both audited
	@$(BUILD) scripts/toolchains.sh
	@scripts/debian-packages.sh wheel
	$(BUILD) scripts/wheel.sh

test-wheel: setup-dev wheel ## Build the wheel and test it in an environment without a compiler
	$(MEASURE) $(BIN)/pytest tests/packaging

release: ## Build and test wheel and sdist of the version that CHANGELOG.md begins with, and tag the commit
	@scripts/release.sh ready
	@$(MAKE) --no-print-directory test-wheel
	@scripts/release.sh tag

# The steps of image/Containerfile, where there is nothing to build images with. Argument: slim or browsers.
IMAGE ?= slim
image-rehearsal: ## Lay the image out in a fresh Debian and load a page there, as root; after `make wheel`
	image/rehearse.sh $(IMAGE)

model: setup-dev ## Write python/bentpipe/model anew from the JSON schemas of crates/run
	$(BUILD) $(BIN)/python -m tools.generate_model

questions: setup ## Measure the scenarios of docs/questions in virtual time and write their pages anew
	$(MEASURE) $(BIN)/python -m tools.questions

gallery: setup ## Measure the gallery's scenarios in virtual time and draw its figures anew
	$(MEASURE) $(BIN)/python -m tools.gallery

notebooks: setup-dev ## Run docs/notebooks from a clean kernel and write their outputs anew
	$(BUILD) $(BIN)/python -m tools.notebooks

docs: setup-dev ## Build the documentation as a site, with its generated reference, in build/docs
	$(BUILD) scripts/tools.sh book
	$(BUILD) $(BIN)/python -m tools.book build/docs-source
	$(BUILD) env NO_MKDOCS_2_WARNING=1 build/book/bin/python -m mkdocs --quiet build --strict
	@echo build/docs/index.html

docs-crates: setup ## Build the documentation of the crates in target/doc
	$(BUILD) env RUSTDOCFLAGS="--deny warnings" cargo doc --locked --workspace --no-deps --quiet

# Options such as `make lock LOCK=--upgrade`.
lock: ## Write requirements*.lock anew from pyproject.toml
	$(BUILD) scripts/tools.sh tools
	$(BUILD) scripts/lock.sh $(LOCK)

audit: ## Look up advisories about every dependency, and check licences and sources; needs a network
	$(BUILD) scripts/audit.sh

clean: ## Remove everything that was built or installed here; results stay
	rm -rf build dist target .venv .hypothesis .pytest_cache .ruff_cache .mypy_cache .import_linter_cache
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/bentpipe/*.so

$(INSTALLED): $(SOURCES)
	scripts/setup-python.sh run
	@mkdir -p $(@D) && touch $@

$(INSTALLED_DEV): requirements-dev.lock | $(INSTALLED)
	scripts/setup-python.sh dev
	@mkdir -p $(@D) && touch $@

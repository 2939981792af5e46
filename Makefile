# `make` lists the targets; .pre-commit-config.yaml and .ci/run call the same ones.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
export PYTHON

BIN := .venv/bin
INSTALLED := build/stamps/installed
# Python needs no rebuild: the package is installed in place.
SOURCES := Cargo.toml Cargo.lock pyproject.toml scripts/setup-python.sh \
	$(wildcard patches/*.patch) $(shell find crates/*/src crates/*/Cargo.toml crates/bpf/build.rs crates/bpf/c -type f)

.PHONY: help setup setup-dev setup-browsers setup-caddy run test check fmt lint agreement fuzz bench bench-peers docs clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what a run needs: Debian packages (as root), .venv, the package
	@scripts/debian-packages.sh run
	@scripts/patch-crates.sh
	@$(MAKE) --no-print-directory --silent $(INSTALLED)

setup-dev: setup ## Install what the tests need besides
	@scripts/debian-packages.sh test

run: setup ## Set up and reproduce a study in its quick form
	$(BIN)/bentpipe reproduce alshagri2023 --quick

# Tests and lints share cargo's dev profile: it checks overflows, and linking each test binary with the release
# profile's optimisation takes longer than building the dependencies a second time.
test: setup-dev ## Set up and run every test that this machine can run
	cargo test --workspace
	$(BIN)/pytest --ignore=tests/tidy

check: setup-dev ## Check format, lints, types, import layers and the rules of the house
	cargo fmt --check
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest tests/tidy

lint: setup-dev ## Run the linters and the type checker
	cargo clippy --workspace --all-targets -- --deny warnings
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

setup-browsers: setup ## Install browsers, nginx, what tests of windows need, and Caddy where there is a go for it
	@scripts/debian-packages.sh browsers
	@scripts/caddy.sh || { (($$? == 3)) && echo "no Caddy; the rest is installed" >&2; }

setup-caddy: ## Build Caddy with go, for the test of our loader against it
	scripts/caddy.sh

fmt: setup-dev ## Format Rust and Python
	cargo fmt
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

# Seconds for each parser.
FUZZ_SECONDS ?= 600
fuzz: setup ## Search each parser of what comes from a network for input that breaks it
	scripts/fuzz.sh $(FUZZ_SECONDS)

bench: setup-dev ## Measure the project's speed and fidelity
	cargo bench --workspace --bench '*' -- --quick
	$(BIN)/bentpipe bench

bench-peers: setup ## Measure the simulator against ns-3, which it installs in build/peers-venv
	benches/peers/setup.sh
	$(BIN)/python -m benches.peers.compare

agreement: setup ## Measure a grid by both engines, hours in real time, and write docs/agreement.md
	$(BIN)/python -m tests.agreement

docs: setup ## Build the documentation with its generated reference in build/docs
	scripts/build-docs.sh

clean: ## Remove everything that was built or installed here; results stay
	rm -rf build target .venv .hypothesis .pytest_cache .ruff_cache .mypy_cache .import_linter_cache
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/bentpipe/*.so

$(INSTALLED): $(SOURCES)
	scripts/setup-python.sh
	@mkdir -p $(@D) && touch $@

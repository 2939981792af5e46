#!/usr/bin/env bash
# Makes .venv. Argument `run`: installs what requirements.lock names, then the package (release build). Argument `dev`:
# installs what requirements-dev.lock names besides.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:?run or dev}

export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 VIRTUAL_ENV=$PWD/.venv
# Nothing but the files whose hashes stand there, and no set-up script of theirs.
install_locked() { .venv/bin/pip install --require-hashes --no-deps --only-binary :all: --requirement "$1"; }

[[ -x .venv/bin/pip ]] || "${PYTHON:-python3}" -m venv .venv
if [[ $purpose == dev ]]; then
    install_locked requirements-dev.lock
    exit
fi
install_locked requirements.lock
# Builds in place, into target/. Without an index: what the package needs is there, or the lock lacks it.
PIP_NO_INDEX=1 PIP_FIND_LINKS='' .venv/bin/maturin develop --release --locked

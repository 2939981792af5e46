#!/usr/bin/env bash
# Builds cargo-mutants into build/cargo-mutants: it lists the mutants of code.
set -euo pipefail
cd "$(dirname "$0")/.."
version=27.1.0
mutants=build/cargo-mutants/bin/cargo-mutants
if [[ $("$mutants" mutants --version 2>/dev/null || true) != "cargo-mutants $version" ]]; then
    echo "mutants: building cargo-mutants, which takes some minutes" >&2
    cargo install --quiet --locked --version "=$version" --root build/cargo-mutants cargo-mutants
fi

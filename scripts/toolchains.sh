#!/usr/bin/env bash
# Says what is missing to build besides Debian packages, and ends with status 1 then.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
found=$(cargo --version 2>/dev/null | cut -d' ' -f2 || true)
if [[ $(printf '%s\n' "$wanted" "${found:-0}" | sort -V | head -1) != "$wanted" ]]; then
    echo "missing: Rust $wanted or later (found: ${found:-none}); install it with rustup" >&2
    exit 1
fi
if ! "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "missing: Python 3.11 or later; name one with PYTHON=..." >&2
    exit 1
fi
for made in .venv build target; do
    if [[ -e $made && ! -w $made ]]; then
        echo "$made belongs to another user, such as root by an earlier set-up: sudo rm -rf .venv build target" >&2
        exit 1
    fi
done

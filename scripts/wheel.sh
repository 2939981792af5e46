#!/usr/bin/env bash
# Builds the sdist, from it the wheel, and has auditwheel and twine judge both: dist/.
# WHEEL_TARGET=aarch64-unknown-linux-gnu builds for another processor than this machine's (not tested).
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
target=${WHEEL_TARGET:-$host}
# The oldest C library that the wheel runs on, which is the oldest that Rust itself supports: zig links against any.
floor=manylinux_2_17
largest_bytes=20000000

scripts/tools.sh wheel
scripts/patch-crates.sh
bin=$PWD/build/wheel/bin
export PATH=$bin:$PATH
# Files have the age of the commit, and no path of this machine is in the module: equal sources, equal bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
export RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo ${RUSTFLAGS:-}"

"$bin/python" -m tools.notices "$target" build/notices/THIRD-PARTY.txt
rm -rf dist
rustup target add "$target" 2>/dev/null || true
# Without --locked, which the line of the notices has: the sdist lacks crates/fuzz, so that cargo takes what that alone
# needs out of the lock, and keeps every version.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target} maturin build --quiet --sdist --zig --target "$target" \
    --compatibility "$floor" --profile wheel --features pyo3/extension-module,portable \
    --out dist

wheel=$(echo dist/*.whl)
twine check --strict dist/*
found=$(auditwheel show "$wheel")
echo "$found"
[[ $found == *"\"${floor}_${target%%-*}\""* ]] || { echo "wheel: auditwheel does not find $floor" >&2; exit 1; }
size_bytes=$(stat --format=%s "$wheel")
echo "$wheel: $size_bytes bytes"
((size_bytes <= largest_bytes)) || { echo "wheel: above $largest_bytes bytes" >&2; exit 1; }

#!/usr/bin/env bash
# Lays each crate that patches/NAME-VERSION.patch changes, patched, into build/patched/NAME-VERSION,
# where [patch.crates-io] in Cargo.toml points. Does nothing where that is up to date.
set -euo pipefail
cd "$(dirname "$0")/.."

# The folder of an unmodified crate in cargo's own store; cargo downloads and verifies it when missing.
original() { # NAME-VERSION
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    cargo metadata --manifest-path patches/fetch/Cargo.toml --locked --format-version 1 \
        --filter-platform "$host" |
        python3 -c '
import json, pathlib, sys
packages = json.load(sys.stdin)["packages"]
found = [p["manifest_path"] for p in packages if "{name}-{version}".format(**p) == sys.argv[1]]
if len(found) != 1:
    sys.exit(f"patches/fetch/Cargo.toml does not name the crate {sys.argv[1]}")
print(pathlib.Path(found[0]).parent)' "$1"
}

for diff in patches/*.patch; do
    crate=$(basename "$diff" .patch)
    target=build/patched/$crate
    if cmp --silent "$diff" "$target/applied.patch"; then
        continue
    fi
    source=$(original "$crate")
    rm -rf "$target" "$target.new"
    mkdir -p build/patched
    cp -R "$source" "$target.new"
    # No fuzz: a diff that does not fit to the line is a diff for another version.
    if ! patch --quiet --strip=1 --fuzz=0 --directory="$target.new" <"$diff"; then
        echo "patch-crates: $diff does not apply to $crate" >&2
        exit 1
    fi
    cp "$diff" "$target.new/applied.patch"
    mv "$target.new" "$target"
    echo "patch-crates: $crate patched" >&2
done

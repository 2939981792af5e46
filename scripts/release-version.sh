#!/usr/bin/env bash
# Says the version of a release, or fails where a tag, pyproject.toml and Cargo.toml do not name the same one.
# release-version.sh [TAG]
set -euo pipefail
cd "$(dirname "$0")/.."

version_in() {
    sed -n "/^\[$2\]/,/^\[/s/^version = \"\(.*\)\"$/\1/p" "$1" | head -n 1
}

package=$(version_in pyproject.toml project)
crates=$(version_in Cargo.toml workspace.package)
[[ -n $package ]] || { echo "release: pyproject.toml has no version" >&2; exit 1; }
if [[ $package != "$crates" ]]; then
    echo "release: pyproject.toml has version $package, Cargo.toml ${crates:-none}" >&2
    exit 1
fi
if (($# > 0)) && [[ $1 != "v$package" ]]; then
    echo "release: expected the tag v$package, found $1" >&2
    exit 1
fi
echo "$package"

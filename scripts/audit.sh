#!/usr/bin/env bash
# Looks up advisories about every dependency (Rust: RustSec's database, by cargo-deny; Python: PyPI's, else OSV's, by
# pip-audit) and checks what deny.toml says of licences and sources.
# Ends with status 1 when there is a finding, with 3 when there is none but not everything could be asked.
set -euo pipefail
cd "$(dirname "$0")/.."
deny_version=0.20.2
findings=() unasked=()

scripts/tools.sh tools
scripts/patch-crates.sh
deny=build/cargo-deny/bin/cargo-deny
if [[ $("$deny" --version 2>/dev/null || true) != "cargo-deny $deny_version" ]]; then
    echo "audit: building cargo-deny, which takes some minutes" >&2
    cargo install --quiet --locked --version "=$deny_version" --root build/cargo-deny cargo-deny
fi

"$deny" --locked check bans licenses sources || findings+=("Rust: licences or sources")
if "$deny" --locked fetch db; then
    # In the second one the patched crates are those of the registry, which advisories are about.
    for manifest in Cargo.toml patches/fetch/Cargo.toml; do
        "$deny" --manifest-path "$manifest" --config deny.toml --locked check advisories ||
            findings+=("Rust: advisories for $manifest")
    done
else
    unasked+=("RustSec's database")
fi

# Prints the advisories of a report and ends with status 1; with 3 when it is no answer about each package.
judge() {
    build/tools/bin/python -c '
import json, sys
try:
    packages = json.load(open(sys.argv[1]))["dependencies"]
except (OSError, ValueError, KeyError):
    sys.exit(3)
found = [(package, advisory) for package in packages for advisory in package.get("vulns", ())]
for package, advisory in found:
    fixed = ", ".join(advisory["fix_versions"]) or "none"
    print(package["name"], package["version"] + ":", advisory["id"], "(mended in: " + fixed + ")")
if found:
    sys.exit(1)
sys.exit(3 if not packages or any("skip_reason" in package for package in packages) else 0)' "$1"
}
for lock in requirements*.lock; do
    for service in pypi osv; do
        report=build/audit.json
        rm -f "$report"
        build/tools/bin/pip-audit --requirement "$lock" --require-hashes --disable-pip --progress-spinner off \
            --vulnerability-service "$service" --format json --output "$report" &>build/audit.log || true
        status=0
        judge "$report" || status=$?
        # The other one only where this one has not answered.
        ((status == 3)) || break
    done
    case $status in
        0) echo "$lock: no advisories" ;;
        1) findings+=("Python: advisories for $lock") ;;
        *) unasked+=("PyPI and OSV about $lock") ;;
    esac
done

list() { printf '  %s\n' "$@" >&2; }
if ((${#unasked[@]})); then
    echo "audit: incomplete, no answer from" >&2
    list "${unasked[@]}"
fi
if ((${#findings[@]})); then
    echo "audit: findings (above) in" >&2
    list "${findings[@]}"
    exit 1
fi
if ((${#unasked[@]})); then
    echo "audit: no findings in what could be asked" >&2
    exit 3
fi
echo "audit: no findings"

#!/usr/bin/env bash
# Installs the Debian packages that are missing, or says which are. Argument: `run`, `test` or `browsers`.
# Ends with status 1 only when the project could not be built without what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:?run, test or browsers}

required=() # nothing can be built without these
optional=() # something that these are for is left out
missing() { # ARRAY PACKAGE WHAT-FOR
    local -n list=$1
    list+=("$2")
    echo "missing: $2 ($3)" >&2
}
look() {
    required=() optional=()
    command -v cc >/dev/null || missing required build-essential "the C compiler that links the Rust crates"
    command -v patch >/dev/null || missing required patch "changes to the QUIC library"
    [[ -e /usr/include/libelf.h ]] || missing required libelf-dev "libbpf, which loads congestion controls"
    [[ -e /usr/include/zlib.h ]] || missing required zlib1g-dev "libbpf"
    "${PYTHON:-python3}" -c 'import ensurepip' 2>/dev/null || missing required python3-venv "the Python environment"
    PATH=$PATH:/usr/sbin:/sbin command -v ip >/dev/null || missing optional iproute2 "network namespaces: emulate engine"
    compgen -c clang | grep -qE '^clang(-[0-9]+)?$' || missing optional clang "hybla and vivace for the kernel's TCP"
    PATH=$PATH:/usr/sbin:/sbin command -v nft >/dev/null || missing optional nftables "proxies that intercept connections: emulate engine"
    command -v iperf3 >/dev/null || missing optional iperf3 "iperf3 as client and server of flows"
    case $purpose in
        test) look_for_tests ;;
        browsers) look_for_browsers ;;
    esac
}
look_for_tests() {
    command -v tshark >/dev/null || missing optional tshark "the test that opens captures"
    command -v curl >/dev/null || missing optional curl "the test of our origin against curl"
    PATH=$PATH:/usr/sbin command -v nginx >/dev/null || missing optional nginx-light "the test of our loader against nginx"
}
look_for_browsers() {
    command -v chromium >/dev/null || missing optional chromium "Chromium as client and in a shell"
    command -v firefox-esr >/dev/null || missing optional firefox-esr "Firefox as client and in a shell"
    command -v certutil >/dev/null || missing optional libnss3-tools "certutil, by which browsers trust the origin"
    PATH=$PATH:/usr/sbin command -v nginx >/dev/null || missing optional nginx-light "nginx as the server of pages"
    command -v Xvfb >/dev/null || missing optional xvfb "the tests of browsers with a window"
    [[ -d /usr/share/fonts/truetype/liberation ]] || missing optional fonts-liberation "the fonts that pages name, in their widths"
}

toolchains() {
    local wanted found
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
}

toolchains
look
packages=("${required[@]}" "${optional[@]}")
((${#packages[@]})) || exit 0
if ((EUID == 0)) && command -v apt-get >/dev/null; then
    # As in single-user mode: a server that is installed for the tests is not started.
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    apt-get update --quiet --quiet
    install() { apt-get install --yes --quiet --quiet --no-install-recommends "$@"; }
    ((${#required[@]} == 0)) || install "${required[@]}"
    # One by one: not every distribution has all of them, and apt-get installs none when it does not know one.
    for package in "${optional[@]}"; do
        install "$package" || true
    done
    look
else
    echo "not root, or not Debian: install by hand, such as: apt-get install ${packages[*]}" >&2
fi
if ((${#required[@]})); then
    exit 1
fi

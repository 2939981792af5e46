#!/usr/bin/env bash
# Installs the Debian packages that are missing, or says which are. Argument: what they are for. `run` is a build of the
# project here and runs with it, `emulate` is runs of an installed one alone; `test`, `browsers`, `third-party` and `wheel`
# come on top of either. Ends with status 1 only when the project could not be built without what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:?run, emulate, test, browsers, third-party or wheel}

required=() # nothing can be built without these
optional=() # something that these are for is left out
missing() { # ARRAY PACKAGE WHAT-FOR
    local -n list=$1
    list+=("$2")
    echo "missing: $2 ($3)" >&2
}
look() {
    required=() optional=()
    case $purpose in
        run) look_for_build && look_for_emulation ;;
        emulate) look_for_emulation ;;
        test) look_for_tests ;;
        browsers) look_for_browsers ;;
        third-party) look_for_third_parties ;;
        wheel) look_for_wheel ;;
    esac
}
look_for_build() {
    command -v cc >/dev/null || missing required build-essential "the C compiler that links the Rust crates"
    command -v patch >/dev/null || missing required patch "changes to the QUIC library"
    [[ -e /usr/include/libelf.h ]] || missing required libelf-dev "libbpf, which loads congestion controls"
    command -v pkg-config >/dev/null || missing required pkg-config "libbpf"
    [[ -e /usr/include/zlib.h ]] || missing required zlib1g-dev "libbpf"
    "${PYTHON:-python3}" -c 'import ensurepip' 2>/dev/null || missing required python3-venv "the Python environment"
    compgen -c clang | grep -qE '^clang(-[0-9]+)?$' || missing optional clang "hybla and vivace for the kernel's TCP"
}
look_for_emulation() {
    PATH=$PATH:/usr/sbin:/sbin command -v ip >/dev/null || missing optional iproute2 "network namespaces: emulate engine"
    PATH=$PATH:/usr/sbin:/sbin command -v nft >/dev/null || missing optional nftables "proxies that intercept connections: emulate engine"
    command -v iperf3 >/dev/null || missing optional iperf3 "iperf3 as client and server of flows"
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
look_for_wheel() {
    compgen -c clang | grep -qE '^clang(-[0-9]+)?$' || missing required clang "hybla and vivace for the kernel's TCP"
    command -v make >/dev/null || missing required make "libbpf, libelf and zlib within the wheel"
    command -v autoreconf >/dev/null || missing required autoconf "libelf within the wheel"
    command -v automake >/dev/null || missing required automake "libelf within the wheel"
    command -v autopoint >/dev/null || missing required autopoint "libelf within the wheel"
    command -v flex >/dev/null || missing required flex "libelf within the wheel"
    command -v bison >/dev/null || missing required bison "libelf within the wheel"
    command -v gawk >/dev/null || missing required gawk "libelf within the wheel"
}
look_for_third_parties() {
    command -v tshark >/dev/null || missing optional tshark "the reading of our captures"
    command -v curl >/dev/null || missing optional curl "our origin against curl"
    command -v h2load >/dev/null || missing optional nghttp2-client "our origin against nghttp2"
    PATH=$PATH:/usr/sbin command -v nghttpd >/dev/null || missing optional nghttp2-server "our loader against nghttp2"
    [[ -e /usr/src/linux-source-6.12.tar.xz ]] || missing optional linux-source-6.12 "Linux's scripts of packetdrill"
    command -v gtlsclient >/dev/null || missing optional ngtcp2-client "our origin against ngtcp2"
    PATH=$PATH:/usr/sbin command -v gtlsserver >/dev/null || missing optional ngtcp2-server "our loader against ngtcp2"
}

# Packages start the servers that they bring, which would listen on the real network beside the measurements. What starts
# them (invoke-rc.d, deb-systemd-invoke) asks policy-rc.d, and 101 forbids it; these are started at each boot besides, and
# were enabled for that also where systemd does not run: in a chroot, in an image.
started_at_boot=(nginx ngtcp2d)
root=${INSTALL_ROOT:-} # where tests have their machine
policy=$root/usr/sbin/policy-rc.d
ours="# Here only while the set-up of Bentpipe installs packages."
has_service() {
    local file
    for file in "$root"/{etc,usr/local/lib,usr/lib,lib}/systemd/system/"$1.service" "$root/etc/init.d/$1"; do
        if [[ -e $file || -L $file ]]; then
            return 0
        fi
    done
    return 1
}
disable_service() {
    if ! command -v systemctl >/dev/null; then
        update-rc.d "$1" disable
    elif [[ -d $root/run/systemd/system ]]; then
        systemctl --quiet disable --now "$1.service"
    else
        systemctl --quiet disable "$1.service"
    fi
}
remove_what_a_killed_set_up_left() {
    if grep --quiet --no-messages --fixed-strings "$ours" "$policy"; then
        rm -f "$policy" || true
    fi
}
start_nothing() {
    local service
    new_services=() is_ours=''
    for service in "${started_at_boot[@]}"; do
        has_service "$service" || new_services+=("$service")
    done
    [[ -e $policy || -L $policy ]] || is_ours=1
    trap leave_as_it_was EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if [[ -n $is_ours ]]; then
        printf '%s\n' '#!/bin/sh' "$ours" 'exit 101' >"$policy"
        chmod 755 "$policy"
    fi
}
leave_as_it_was() {
    local service
    for service in "${new_services[@]}"; do
        if has_service "$service"; then
            disable_service "$service" || echo "$service may start at the next boot" >&2
        fi
    done
    [[ -z $is_ours ]] || rm -f "$policy"
}

look
packages=("${required[@]}" "${optional[@]}")
((EUID)) || remove_what_a_killed_set_up_left
((${#packages[@]})) || exit 0
if ((EUID == 0)) && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    start_nothing
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

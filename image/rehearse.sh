#!/usr/bin/env bash
# Does what image/Containerfile does without a program that builds images: a Debian 12 by debootstrap, in mount, PID and
# network namespaces of its own image/install.sh, then a page load as the image's user without any capability, and,
# where this machine can emulate, a request over an emulated link as root with the capabilities that
# docs/guide/install.md names.
# Needs root, debootstrap, a wheel in dist/ and a network. Argument: `slim` or `browsers`.
# DEBIAN_MIRROR names another mirror than debootstrap's.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?slim or browsers}
root=build/image-$kind
((EUID == 0)) || { echo "rehearse: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "missing: debootstrap; apt-get install debootstrap" >&2; exit 1; }
compgen -G "dist/*.whl" >/dev/null || { echo "missing: a wheel in dist/; make wheel" >&2; exit 1; }

rm -rf --one-file-system "$root"
mkdir -p build
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$root.log"
install -D --target-directory "$root/tmp/bentpipe" dist/*.whl requirements-image.lock
install -D --target-directory "$root/tmp/bentpipe/scripts" scripts/debian-packages.sh
install -D --target-directory "$root/tmp/bentpipe/image" image/install.sh
# pip trusts whom this machine trusts, such as a proxy's authority; what install.sh leaves trusts whom Debian trusts.
install -D --no-target-directory /etc/ssl/certs/ca-certificates.crt "$root/tmp/bentpipe/trusted.crt"
cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
# Engines write it.
echo "127.0.0.1 localhost" >"$root/etc/hosts"

# Runs a command in there as a container would: in namespaces of its own, with /proc, /sys and /dev.
inside() {
    unshare --mount --pid --ipc --uts --fork --kill-child bash -euc '
        root=$1 && shift
        mount --bind "$root" "$root"
        mount --rbind /dev "$root/dev"
        mount --types proc proc "$root/proc"
        mount --types sysfs sysfs "$root/sys"
        mount --types tmpfs tmpfs "$root/run"
        # Not by chroot alone: who enters another mount namespace from there finds the root of the machine.
        cd "$root"
        pivot_root . .
        umount --lazy .
        exec chroot . env --ignore-environment HOME=/srv/bentpipe LANG=C.UTF-8 \
            PATH=/opt/bentpipe/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
        rehearse "$root" "$@"
}
as_user=(setpriv --reuid=bentpipe --regid=bentpipe --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs)
# Those that podman leaves to root, and what the guide has podman add.
left=chown,dac_override,fowner,fsetid,kill,net_bind_service,setfcap,setgid,setpcap,setuid,sys_chroot
capabilities=$(sed -n 's/.*--cap-add=\([A-Z_,]*\).*/\1/p' docs/guide/install.md | head -1)
bounding=$left,${capabilities,,}
as_root=(setpriv --inh-caps=-all --bounding-set="-all,+${bounding//,/,+}")
load=(bentpipe page --link geo-alshagri --http h2 --page uniform-500k --engine simulate)
# Whatever else the machine does: it is not about the numbers.
request='import os, urllib.request; print(urllib.request.urlopen(os.environ["BENTPIPE_URL"]).status)'

echo "rehearse: laying out $kind"
inside PIP_CERT=/tmp/bentpipe/trusted.crt /tmp/bentpipe/image/install.sh "$kind"
echo "rehearse: $(du --summarize --block-size=MB "$root" | cut -f1)"
[[ -z $(inside bash -c 'compgen -c' | grep -xE 'cc|gcc|clang|cargo|rustc|make' || true) ]] ||
    { echo "rehearse: there is a compiler" >&2; exit 1; }
echo "rehearse: a page load in virtual time, without a capability and without a network"
inside unshare --net "${as_user[@]}" bash -c 'cd && "$@"' user "${load[@]}"
if [[ -e /dev/net/tun ]]; then
    echo "rehearse: a request over an emulated link as root, with $capabilities"
    inside "${as_root[@]}" bentpipe shell --link geo-alshagri -- python3 -c "$request"
fi

#!/usr/bin/env bash
# Before and after `make release` has built and tested: whether this commit can be released, and its tag.
# release.sh ready | tag
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "release: $1" >&2
    exit 1
}

tag=v$(scripts/release-version.sh)
scripts/release-version.sh "$tag" >/dev/null
[[ -z $(git status --porcelain) ]] || fail "expected all changes in commits, found some that are not (git status)"
! git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null || fail "the tag $tag is there: raise the version, or delete it"
[[ $1 == tag ]] || exit 0
ls dist/*"${tag#v}"*.whl dist/*"${tag#v}".tar.gz
git tag --annotate "$tag" --message "Bentpipe ${tag#v}"
echo "tagged $tag; nothing is published before: git push origin $tag"

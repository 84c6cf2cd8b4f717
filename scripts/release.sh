#!/usr/bin/env bash
# Builds the release: static binaries of chiaro and chiaro-fleet for linux, windows and darwin on amd64 and arm64, with the licence
# and the manual pages, one archive each, and SHA256SUMS. The same commit and the same Go make the same bytes.
#
#   scripts/release.sh VERSION [DIRECTORY]     # DIRECTORY is build/release by default
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?usage: scripts/release.sh VERSION [DIRECTORY]}
out=${2:-build/release}
[[ $version =~ ^v?[0-9A-Za-z.+-]+$ ]] || { echo "release.sh: VERSION has characters other than letters, digits, '.', '+' and '-'" >&2; exit 2; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
export CGO_ENABLED=0
date=$(git log -1 --format=%cI)

go build -trimpath -o "$stage/host" ./cmd/chiaro
"$stage/host" man "$stage/man"

archives=()
for target in linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64; do
	os=${target%/*} arch=${target#*/}
	name=chiaro-$version-$os-$arch
	mkdir -p "$stage/$name"
	GOOS=$os GOARCH=$arch go build -trimpath -ldflags="-s -w -X main.release=$version" -o "$stage/$name/" ./cmd/chiaro ./cmd/chiaro-fleet
	cp LICENSE README.md CHANGELOG.md "$stage/$name/"
	cp -r "$stage/man" "$stage/$name/man"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" -C "$stage" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
	archives+=("$name.tar.gz")
	echo "$name.tar.gz"
done
(cd "$out" && sha256sum "${archives[@]}" >SHA256SUMS)
echo "$out/SHA256SUMS"

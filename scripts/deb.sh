#!/bin/sh
# Builds a Debian package of the command, the Vulkan driver and the manual pages: chiaro_VERSION_ARCHITECTURE.deb.
#
#	scripts/deb.sh VERSION [FOLDER]     # FOLDER is build by default
#	sudo apt install ./build/chiaro_VERSION_amd64.deb
#
# It needs Go, a C compiler and dpkg-deb. The package needs the C library of the machine that builds it, or a later one.
set -eu
version=${1:?usage: scripts/deb.sh VERSION [FOLDER]}
version=${version#v}
case $version in
[0-9]*) ;;
*) echo "deb.sh: VERSION must begin with a digit" >&2; exit 2 ;;
esac
case $version in
*[!0-9A-Za-z.+~-]*) echo "deb.sh: VERSION has characters other than letters, digits, '.', '+', '~' and '-'" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
out=${2:-build}
mkdir -p "$out"
out=$(cd "$out" && pwd)
arch=$(dpkg --print-architecture)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
libraries=usr/lib/$(gcc -print-multiarch)
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/$libraries" "$root/usr/share/vulkan/icd.d" "$root/usr/share/man/man1" "$root/usr/share/doc/chiaro"
umask 022

CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X main.release=$version" -o "$root/usr/bin/chiaro" ./cmd/chiaro
scripts/driver.sh "$stage/driver" >/dev/null
cp "$stage/driver/libvulkan_chiaro.so" "$root/$libraries/"
# The system's linker finds the library by its name alone.
sed 's|"library_path": "[^"]*"|"library_path": "libvulkan_chiaro.so"|' "$stage/driver/chiaro_icd.json" >"$root/usr/share/vulkan/icd.d/chiaro_icd.json"
"$root/usr/bin/chiaro" man "$stage/man"
for page in "$stage/man"/*.1; do
	gzip -9n <"$page" >"$root/usr/share/man/man1/$(basename "$page").gz"
done
cp LICENSE "$root/usr/share/doc/chiaro/copyright"
cp README.md CHANGELOG.md docs/driver.md "$root/usr/share/doc/chiaro/"
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f -exec chmod 644 {} +
chmod 755 "$root/usr/bin/chiaro"

libc=$(dpkg-query -W -f '${Version}' libc6 | sed 's/-.*//; s/^[0-9]*://')
cat >"$root/DEBIAN/control" <<EOF
Package: chiaro
Version: $version
Architecture: $arch
Maintainer: Chiaro <https://github.com/chiaro-gpu/chiaro>
Section: graphics
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= $libc)
Recommends: libvulkan1
Homepage: https://github.com/chiaro-gpu/chiaro
Description: Vulkan's shader system as software
 Chiaro reads, runs and explains SPIR-V without a GPU. The package has the
 command chiaro and a Vulkan driver that runs on the processor.
EOF
dpkg-deb --root-owner-group --build "$root" "$out/chiaro_${version}_$arch.deb" >/dev/null
echo "$out/chiaro_${version}_$arch.deb"

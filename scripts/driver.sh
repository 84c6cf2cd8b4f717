#!/bin/sh
# Builds the Vulkan driver and its manifest for the loader into a folder (default: build).
#
#	scripts/driver.sh [FOLDER]
#	VK_DRIVER_FILES=$PWD/build/chiaro_icd.json vulkaninfo --summary
#
# The setting gcshrinkstackoff retains the space of package stackroom during collections.
# It needs Go and a C compiler (Debian: golang, gcc). The library exports the three functions of the loader's interface only.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"
CGO_ENABLED=1 go build -trimpath -buildmode=c-shared \
	-ldflags="-s -w -X=runtime.godebugDefault=gcshrinkstackoff=1 -extldflags=-Wl,--version-script=$root/cmd/icd/exports.map" \
	-o "$out/libvulkan_chiaro.so" ./cmd/icd
rm -f "$out/libvulkan_chiaro.h"
version=1.$(sed -n 's/^const Minor = //p' internal/abi/version.go).$(sed -n 's/^const HeaderVersion = //p' internal/abi/constant_gen.go)
library=$(printf '%s' "$out/libvulkan_chiaro.so" | sed 's/["\\]/\\&/g')
printf '{"file_format_version": "1.0.1", "ICD": {"library_path": "%s", "api_version": "%s"}}\n' "$library" "$version" >"$out/chiaro_icd.json"
echo "$out/chiaro_icd.json"

#!/bin/sh
# Compares the layouts of all structs with a C compiler's, builds the driver and two clients in C, and runs them: a kernel
# with commands that C records, signals with handlers that need much stack, a child process, and devices made again and again;
# and hosts that are hard for a library with a runtime: small stacks, many threads, two runtimes, unloading, handlers of faults,
# fork, calls while the process exits, few files, little memory, few threads, a seccomp sandbox, blocked signals, and memory that must be flat;
# and windows of Wayland with a compositor that reads nothing.
# It needs gcc and the headers of Vulkan (Debian: libvulkan-dev).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
scripts/driver.sh "$work" >/dev/null
exports=$(nm -D --defined-only "$work/libvulkan_chiaro.so" | awk '{ print $3 }' | sort | tr '\n' ' ')
[ "$exports" = "vk_icdGetInstanceProcAddr vk_icdGetPhysicalDeviceProcAddr vk_icdNegotiateLoaderICDInterfaceVersion " ] || {
	echo "the library exports $exports"
	exit 1
}
grep -q '"api_version": "1\.[0-9]*\.[0-9]*"' "$work/chiaro_icd.json" || {
	echo "the manifest has no version: $(cat "$work/chiaro_icd.json")"
	exit 1
}
go test ./internal/abi -cc gcc
gcc -O1 -o "$work/client" cmd/icd/testdata/client.c -ldl
go run ./cmd/chiaro asm cmd/icd/testdata/numbers.spvasm -o "$work/numbers.spv"
timeout 120 "$work/client" "$work/libvulkan_chiaro.so" "$work/numbers.spv"
gcc -O1 -o "$work/host" cmd/icd/testdata/host.c -ldl -lpthread
mkdir "$work/second"
cp "$work/libvulkan_chiaro.so" "$work/second"
LIBRARY2="$work/second/libvulkan_chiaro.so" timeout 300 "$work/host" "$work/libvulkan_chiaro.so" "$work/numbers.spv"
gcc -O1 -shared -fPIC -o "$work/libwayland-client.so.0" cmd/icd/testdata/windowlibrary.c
gcc -O1 -o "$work/window" cmd/icd/testdata/window.c cmd/icd/wayland.c -ldl -lpthread
LD_LIBRARY_PATH="$work" timeout 120 "$work/window"

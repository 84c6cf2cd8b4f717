#!/bin/sh
# Measures decoding, disassembling and assembling beside SPIRV-Tools, one thread
# each, in processor time, and prints how many times as fast Chiaro is.
#
# usage: scripts/bench-spirv-tools.sh [FOLDER WITH .spv FILES]
# The peer is ../shared/peers/stbench.cpp, built against the installed
# libSPIRV-Tools; without a folder the modules come from ../shared/corpus/spv.
# Both sides run over the modules that both can read, texts included.
set -eu
cd "$(dirname "$0")/.."
shared=../shared
passes=${PASSES:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ -f $shared/peers/stbench.cpp ] || { echo "no $shared/peers/stbench.cpp: nothing to compare with" >&2; exit 2; }
g++ -O2 $shared/peers/stbench.cpp -o "$tmp/stbench" -lSPIRV-Tools -lSPIRV-Tools-opt

if [ $# -gt 0 ]; then
	folder=$1
else
	tar -xJf $shared/corpus/spv/dev.tar.xz -C "$tmp"
	folder=$tmp/spv
fi
find "$(cd "$folder" && pwd)" -name '*.spv' | sort >"$tmp/all"
# The third column of its per-file answer is 0 where the peer could read a file.
"$tmp/stbench" "$tmp/all" dis 1 spv1.6 "$tmp/per" >/dev/null
awk -F'\t' '$3 == 0 { print $1 }' "$tmp/per" >"$tmp/list"
echo "$(wc -l <"$tmp/list") of $(wc -l <"$tmp/all") modules, $passes passes, best pass in processor time"

CHIARO_MODULES=$tmp/list GOMAXPROCS=1 go test -run '^$' -bench 'Decode$|semble$' -benchtime "${passes}x" ./spirv/asm >"$tmp/go"
for pair in parse:Decode dis:Disassemble as:Assemble; do
	mode=${pair%%:*} bench=${pair##*:}
	peer=$("$tmp/stbench" "$tmp/list" "$mode" "$passes" spv1.6 | sed 's/.*"best_pass_cpu_s":\([0-9.]*\).*/\1/')
	awk -v peer="$peer" -v name="Benchmark$bench" '$1 ~ "^" name "(-[0-9]+)?$" {
		for (i = 2; i <= NF; i++) if ($i == "best-cpu-us") us = $(i-1)
		printf "%-22s peer %8.2f ms   chiaro %8.2f ms   %5.2f times as fast\n", name, peer * 1e3, us / 1e3, peer * 1e6 / us
	}' "$tmp/go"
done

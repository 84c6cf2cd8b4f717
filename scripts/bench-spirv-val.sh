#!/bin/sh
# Measures judging modules beside SPIRV-Tools, one thread each, in processor
# time, and prints how many times as fast Chiaro is, over all modules and of the
# worst one; then how the cost grows with the module, and what two jobs bring.
#
# usage: scripts/bench-spirv-val.sh [FOLDER WITH .spv FILES]
# The peer is ../shared/peers/stbench.cpp, built against the installed
# libSPIRV-Tools, friendly names off; without a folder the modules come from
# ../shared/corpus/spv. Both sides judge the bytes of every module; the time of a
# module is the least of all passes. Of one on which the peer stops early with an
# error, its time says nothing, so it does not count as the worst one.
set -eu
cd "$(dirname "$0")/.."
shared=../shared
passes=${PASSES:-8}
env=${TARGET_ENV:-vulkan1.3}
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
find "$(cd "$folder" && pwd)" -name '*.spv' | sort >"$tmp/list"
echo "$(wc -l <"$tmp/list") modules, $passes passes, $env"

"$tmp/stbench" "$tmp/list" valraw "$passes" "$env" "$tmp/peer" |
	sed 's/.*"best_pass_cpu_s":\([0-9.]*\).*"modules_per_s":\([0-9]*\).*/peer    \2 modules\/s, best pass \1 s/'
CHIARO_MODULES=$tmp/list CHIARO_ENV=$env CHIARO_PER_MODULE=$tmp/own GOMAXPROCS=1 \
	go test -run '^$' -bench 'Check$' -benchtime "${passes}x" ./valid |
	awk '/^BenchmarkCheck/ { for (i = 3; i < NF; i += 2) v[$(i+1)] = $i
		printf "chiaro  %d modules/s, best pass %.6f s, %.1f bytes of memory a word\n", v["modules/s"], v["best-pass-cpu-ms"] / 1e3, v["B/word"] }'
sort "$tmp/peer" >"$tmp/p" && sort "$tmp/own" >"$tmp/o"
join -t "$(printf '\t')" "$tmp/p" "$tmp/o" | awk -F'\t' '{
	peer += $4; own += $NF
	if ($3 != 0) { stopped++; next }
	fine += $4; ofine += $NF; r = $4 / $NF
	if (!worst || r < worst) { worst = r; name = $1; size = $2 }
	if (r < 1) slower++
} END {
	printf "all modules: %.2f times as fast; without the %d that the peer stops at: %.2f times\n", peer / own, stopped, fine / ofine
	printf "worst module: %.2f times (%s, %d bytes); slower than the peer: %d\n", worst, name, size, slower
}'
go test -run '^$' -bench Growth -benchtime 20x ./valid | awk '/^BenchmarkGrowth/ { printf "%-30s %s %s\n", $1, $(NF-1), $NF }'

go build -o "$tmp/chiaro" ./cmd/chiaro
first= # before all other work, where that is allowed
chrt -f 50 true 2>/dev/null && first="chrt -f 50"
for j in 1 2; do
	best=
	for _ in 1 2 3 4 5; do
		start=$(date +%s%N)
		$first "$tmp/chiaro" check -j $j --target-env "$env" --format jsonl "$folder" >/dev/null 2>&1 || true
		t=$((($(date +%s%N) - start) / 1000))
		[ -n "$best" ] && [ "$best" -le "$t" ] || best=$t
	done
	echo "chiaro check -j $j: $best us of wall time at best"
done

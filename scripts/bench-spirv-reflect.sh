#!/bin/sh
# Measures reflecting modules beside SPIRV-Reflect, one thread each, in processor
# time, and prints how many times as fast Chiaro is.
#
# usage: [SPIRV_REFLECT=FOLDER] scripts/bench-spirv-reflect.sh [FOLDER WITH .spv FILES]
# The peer is ../shared/peers/reflbench.cpp with Debian's libspirv-reflect-dev (14 and
# later) and spirv-headers, installed, or unpacked with dpkg -x into $SPIRV_REFLECT.
# Without a folder the modules come from ../shared/corpus/spv. Both sides read the
# bytes of every module; the time of a module is the least of all passes. Modules on
# which the peer dies are named and left out on both sides.
set -eu
cd "$(dirname "$0")/.."
bench=../shared/peers/reflbench.cpp
root=${SPIRV_REFLECT:-}
passes=${PASSES:-10}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ulimit -c 0

[ -f $bench ] || { echo "no $bench: nothing to compare with" >&2; exit 2; }
[ -f "$root/usr/include/spirv_reflect/spirv_reflect.h" ] || { echo "no SPIRV-Reflect at $root/usr: install libspirv-reflect-dev, or name where it is with SPIRV_REFLECT" >&2; exit 2; }
mkdir "$tmp/include" # the library's header looks for those of SPIR-V there
ln -s "$root/usr/include/spirv" "$tmp/include/spirv"
g++ -O2 -I"$tmp" -I"$root/usr/include/spirv_reflect" $bench "$(find "$root/usr/lib" -name libspirv-reflect-static.a | head -n 1)" -o "$tmp/reflbench"

if [ $# -gt 0 ]; then
	folder=$1
else
	tar -xJf ../shared/corpus/spv/dev.tar.xz -C "$tmp"
	folder=$tmp/spv
fi
find "$(cd "$folder" && pwd)" -name '*.spv' | sort >"$tmp/all"
while read -r f; do
	echo "$f" >"$tmp/one"
	if "$tmp/reflbench" "$tmp/one" 1 >"$tmp/out" 2>&1; then
		echo "$f" >>"$tmp/list"
	else
		echo "the peer dies on $f: $(head -n 1 "$tmp/out")"
	fi
done <"$tmp/all" 2>"$tmp/shell" # where the shell says which ended how
echo "$(wc -l <"$tmp/list") modules, $passes passes"

"$tmp/reflbench" "$tmp/list" "$passes" "$tmp/peer" >"$tmp/out"
sed 's/.*"best_pass_cpu_s":\([0-9.]*\).*"modules_per_s":\([0-9]*\).*/peer    \2 modules\/s, best pass \1 s/' "$tmp/out"
CHIARO_MODULES=$tmp/list CHIARO_PER_MODULE=$tmp/own GOMAXPROCS=1 \
	go test -run '^$' -bench Corpus -benchtime "${passes}x" ./iface |
	awk '/^BenchmarkCorpus/ { for (i = 3; i < NF; i += 2) v[$(i+1)] = $i
		printf "chiaro  %d modules/s, best pass %.6f s, collecting garbage included\n", v["modules/s"], v["best-pass-cpu-ms"] / 1e3 }'
sort "$tmp/peer" >"$tmp/p" && sort "$tmp/own" >"$tmp/o"
join -t "$(printf '\t')" "$tmp/p" "$tmp/o" | awk -F'\t' '{ peer += $4; own += $NF; r = $4 / $NF
	if (!worst || r < worst) { worst = r; name = $1; size = $2 } }
	END { printf "%.2f times as fast as the peer; worst %.2f times (%s, %d bytes)\n", peer / own, worst, name, size }'

#!/bin/bash
# Measures what docs/benchmarks.md states: the time that microcost takes for one
# run of a command that does nothing, beside perf stat -r and hyperfine -N. The
# three take turns, so that a drifting machine touches all alike; what is
# printed are medians, and medians of the ratios within a round.
set -euo pipefail
rounds=${1:-15}
runs=${2:-500}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/microcost" .
export XDG_STATE_HOME=$work
for need in perf hyperfine; do
	command -v "$need" >/dev/null || { echo "$need is missing: make tools installs it" >&2; exit 1; }
done

# ms COMMAND...: milliseconds for each of $runs runs.
ms() {
	local from to
	from=$(date +%s%N)
	"$@" >"$work/out" 2>&1
	to=$(date +%s%N)
	awk -v d=$((to - from)) -v n="$runs" 'BEGIN { printf "%.4f", d / n / 1e6 }'
}

: >"$work/rounds"
for _ in $(seq "$rounds"); do
	a=$(ms "$work/microcost" ab --warmup 0 --runs $((runs / 2)) true true)
	p=$(ms perf stat -r "$runs" true)
	h=$(ms hyperfine -N --warmup 0 --runs "$runs" true)
	echo "$a $p $h" >>"$work/rounds"
done

median() { sort -g | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
column() { awk -v c="$1" '{ print $c }' "$work/rounds" | median; }
ratio() { awk -v c="$1" -v d="$2" '{ print $c / $d }' "$work/rounds" | median; }
echo "one run of true, $rounds rounds of $runs runs each, $(nproc) CPUs, Linux $(uname -r)"
echo
echo "| tool | ms per run (median) |"
echo "|---|---|"
printf '| microcost ab true true | %.2f |\n' "$(column 1)"
printf '| perf stat -r %s true | %.2f |\n' "$runs" "$(column 2)"
printf '| hyperfine -N --runs %s true | %.2f |\n' "$runs" "$(column 3)"
echo
printf 'microcost against perf stat -r: %.2f times (median of the ratios within a round)\n' "$(ratio 1 2)"
printf 'microcost against hyperfine -N: %.2f times\n' "$(ratio 1 3)"

#!/bin/sh
# Usage: check_program.sh SNUG BASELINES.a OBJECT...
# The program links neither papers nor benchmarks, nor a library that they are compared with. The objects are those
# of snug-lab; what both programs link is in other files.
set -eu
snug=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
defined()
{
	nm --defined-only "$@" 2>/dev/null | awk '$2 ~ /^[TDBR]$/ && $3 != "main" { print $3 }' | sort -u
}
defined "$@" >"$work/others"
defined "$snug" >"$work/own"
# Both have these commands: one runs them, the other starts who does.
printf 'cliBench\ncliDemo\ncliPlay\ncliTruth\n' >"$work/both"
[ "$(wc -l <"$work/others")" -gt 100 ] || { echo "the test looks in the wrong place: $*"; exit 1; }
grep -qx snugCollide "$work/own" || readelf -d "$snug" | grep -q 'NEEDED.*libsnug' ||
	{ echo "$snug has no symbols to look at"; exit 1; }
wrong=$(comm -12 "$work/others" "$work/own" | comm -23 - "$work/both")
[ -z "$wrong" ] || { echo "the program links what only snug-lab should: $wrong"; exit 1; }
if readelf -d "$snug" | grep -E 'NEEDED.*(embree|fcl|Bullet|libode|CGAL|stdc\+\+)'; then
	echo "the program needs a library that it is compared with"
	exit 1
fi
echo "none of $(wc -l <"$work/others") symbols"

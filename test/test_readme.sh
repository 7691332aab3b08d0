#!/bin/sh
# Usage: test_readme.sh SNUG DIR README [JSON]
# The table of the README says what a run prints. Without JSON, the run is the demo's, with man.glb and creature.glb of
# DIR; any JSON will do that has objects with a name (or method), missed and invented, such as what a benchmark of peers
# prints.
snug=$1
man=$(realpath "$2")/man.glb
creature=$(realpath "$2")/creature.glb
readme=$(realpath "$3")
json=${4:+$(realpath "$4")}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/test_lib.sh"
command -v jq >/dev/null || exec sh "$here/skip.sh" jq "not installed: the README's table is not compared"

if [ -z "$json" ]; then
	# The demo writes the page's command from the same numbers.
	expect 0 "" check "$man" "$creature" --clip kick --clip idle --place 0,0,0 --place 0.05,0,1.2 --rotate 0,0,0 \
		--rotate 0,90,0 --fps 36.88 --to 1.6 --summary --costs --json
	json=out
	checks=$((checks + 1))
	grep -qF "The kick has $(jq .frames out) frames, in which $(jq .count out) pairs" "$readme" ||
		fail "the README says other numbers of frames or pairs than $(jq .frames out) and $(jq .count out)"
fi
jq -r '[.. | objects | select(has("missed") and has("invented"))][] |
	[(.name // .method), (.vertices // ""), .missed, .invented] | @tsv' "$json" >found
awk -F ' *[|] *' '/^[|] way / { inside = 1; next } inside && !/^[|]/ { exit }
	inside && !/^[|]-/ { gsub(",", "", $3); gsub(",", "", $5); printf "%s\t%s\t%s\t%s\n", $2, $3, $4, $5 }' "$readme" >table
[ -s table ] || fail "the README has no table of ways"

absent=0
tab=$(printf '\t')
while IFS="$tab" read -r name vertices missed invented; do
	if ! grep -qF "$name$tab" found; then
		case $name in
		*Embree*)
			echo "not compared, since this Embree is not there: $name"
			absent=1
			;;
		*) fail "the README's '$name' is none of the ways that were measured" ;;
		esac
		continue
	fi
	checks=$((checks + 1))
	# Vertices depend a little on how an instruction set rounds bounds: within a fiftieth.
	grep -F "$name$tab" found | awk -F '\t' -v vertices="$vertices" -v missed="$missed" -v invented="$invented" '
		{ near = $2 == "" || (vertices - $2 < 0.02 * $2 + 1 && $2 - vertices < 0.02 * $2 + 1) }
		!near || $3 != missed || $4 != invented { exit 1 }' ||
		fail "the README has other numbers than were measured: $(grep -F "$name$tab" found)"
done <table
echo "$checks rows and numbers compared"
[ "$failures" -eq 0 ] && [ "$absent" -eq 1 ] && exec sh "$here/skip.sh" embree "rows of the README's table are not compared"
finish

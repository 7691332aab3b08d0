#!/bin/sh
# usage: test_readme.sh SNUG MAKE_CHARACTER README
# The README says what a run of the demo's command prints, with the man and the creature; its table what `snug bench peers
# --json` has printed into the file that SNUG_PEERS_JSON names: it takes minutes, and needs other libraries.
snug=$1
make_character=$2
readme=$(realpath "$3")
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
command -v jq >/dev/null || exec sh "$skip" jq "no jq to read JSON with (tools/install-dependencies test-all)"
for kind in man creature; do
	"$make_character" $kind $kind.glb >out || fail "make_character $kind"
done

# The demo writes the page's command from the same numbers.
expect 0 "" check man.glb creature.glb --clip kick --clip idle --place 0,0,0 --place 0.05,0,1.2 --rotate 0,0,0 \
	--rotate 0,90,0 --fps 36.88 --to 1.6 --summary --costs --json --threads 1
checks=$((checks + 1))
grep -qF "The kick has $(jq .frames out) frames, in which $(jq .count out) pairs" "$readme" ||
	fail "the README says other numbers of frames or pairs than $(jq .frames out) and $(jq .count out)"

# Vertices depend a little on how an instruction set rounds bounds: within a fiftieth.
checks=$((checks + 1))
said=$(sed -n 's/.*To find them takes \([0-9]*\) of 25,512 vertices per frame.*/\1/p' "$readme")
jq -e --argjson said "${said:-0}" '.cost.verticesEvaluated / .frames / $said | . > 0.98 and . < 1.02' out >/dev/null ||
	fail "the README says other numbers of vertices than $(jq '.cost.verticesEvaluated / .frames' out)"
checks=$((checks + 1))
"$snug" info --json man.glb >man.json && "$snug" info --json creature.glb | jq -e --slurpfile man man.json \
	'.vertices + $man[0].vertices == 25512' >/dev/null || fail "the two have other numbers of vertices than 25,512"

tab=$(printf '\t')
# rows HEAD: the table whose first column has this head, as lines of four fields.
rows()
{
	awk -F ' *[|] *' -v head="$1" '$2 == head { inside = 1; next } inside && !/^[|]/ { exit }
		inside && !/^[|]-/ { gsub(",", "", $4); gsub(",", "", $5); printf "%s\t%s\t%s\t%s\n", $2, $3, $4, $5 }' "$readme"
}

rows library >table
[ -s table ] || fail "the README has no table of libraries"
if [ -z "${SNUG_PEERS_JSON:-}" ]; then
	lack peers "the README's table of libraries; SNUG_PEERS_JSON names what 'snug bench peers --json' has printed"
	finish
fi
jq -r '.rows[] | select(.bodies == "blobs of 45K" and .contact == "light" and .query == "all") |
	[.method, .version, .missing, .extra] | @tsv' "$SNUG_PEERS_JSON" >found
while IFS="$tab" read -r name version missed invented; do
	if ! grep -qF "$name$tab$version$tab" found; then
		lack peers "$name $version: $(grep -F "$name$tab" found || echo 'not measured')"
		continue
	fi
	checks=$((checks + 1))
	grep -qxF "$name$tab$version$tab$missed$tab$invented" found ||
		fail "the README has other numbers than were measured: $(grep -F "$name$tab" found)"
done <table
finish

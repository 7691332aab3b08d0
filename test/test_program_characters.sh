#!/bin/sh
# Tests of the program on the generated characters: what a fresh clone has of rigged, morphing, animated files.
# usage: test_program_characters.sh SNUG MAKE_CHARACTER
snug=$1
make_character=$2
# shellcheck source=/dev/null
. "$(dirname "$0")/test_lib.sh"

for kind in man creature; do
	"$make_character" $kind $kind.glb >out || fail "make_character $kind"
	# The same bytes every time.
	"$make_character" $kind again.glb >out || fail "make_character $kind"
	checks=$((checks + 1))
	cmp -s $kind.glb again.glb || fail "make_character $kind: other bytes the second time"
	expect 0 "" info $kind.glb
	for clip in idle walk kick; do
		holds "$clip"
	done
done

# One man kicks another, who stands before him and kicks back: no contact at first, contact in the middle. Without trees
# the pairs are the same.
expect 0 "" check --csv man.glb man.glb --place 0,0,0 --place 0,0,1.02 --rotate 0,0,0 --rotate 0,180,0 --clip kick --fps 1000 --from 0 --to 0
cp out stands.csv
expect 3 "" check --fail-on-contact --csv man.glb man.glb --place 0,0,0 --place 0,0,1.02 --rotate 0,0,0 --rotate 0,180,0 --clip kick --fps 20
cp out kick.csv
expect 0 "" check --fail-on-contact man.glb man.glb --place 0,0,0 --place 0,0,1.02 --rotate 0,0,0 --rotate 0,180,0 --clip idle --fps 4
expect 3 "" check --fail-on-contact creature.glb man.glb --place 0,0,0 --place 0,0,1.6 --rotate 0,0,0 --rotate 0,180,0 --clip kick --fps 20

finish

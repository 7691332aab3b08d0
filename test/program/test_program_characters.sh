#!/bin/sh
# Tests of the program on the generated characters: what a fresh clone has of rigged, morphing, animated files.
# usage: test_program_characters.sh SNUG MAKE_CHARACTER
snug=$1
make_character=$2
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

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

# Two men kick each other: no contact at first, contact in the middle, and without trees the same pairs.
before="--place 0,0,0 --place 0,0,1.02 --rotate 0,0,0 --rotate 0,180,0"
# shellcheck disable=SC2086 # words on purpose
{
	expect 0 "" check --fail-on-contact man.glb man.glb $before --clip kick --from 0 --to 0
	expect 3 "" check --fail-on-contact man.glb man.glb $before --clip kick --fps 20
	expect 0 "" check --fail-on-contact man.glb man.glb $before --clip idle --fps 4
	for method in ours brute; do
		expect 0 "" check --json man.glb man.glb $before --clip kick --from 0.8 --to 0.8 --method $method
		sed 's/,"nodesRefitted".*//' out >$method.json
	done
}
checks=$((checks + 2))
grep -q '"pairs":\[\[\|"pairs":\[{' ours.json || fail "no pairs in the middle of the kick: $(head -c 300 ours.json)"
cmp -s ours.json brute.json || fail "other pairs without trees"
expect 3 "" check --fail-on-contact creature.glb man.glb --place 0,0,0 --place 0,0,1.6 --rotate 0,0,0 --rotate 0,180,0 \
	--clip kick --fps 20

finish

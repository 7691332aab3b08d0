#!/bin/sh
# Tests of the program on real characters: ours and brute force in frames of their clips, poses that read back.
# usage: test_program_models.sh SNUG MODELS_DIR [all]
# Without `all`, which takes half a minute, fewer clips of turning skins and no benchmarks.
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
models=$2
all=${3:-}
for name in fox mannequiny makehuman alien morph_stress_test sheen_chair; do
	if ! [ -e "$models/$name.glb" ]; then
		exec sh "$(dirname "$0")/../support/skip.sh" models "no $models/$name.glb (set SNUG_MODELS)"
	fi
done
models=$(cd "$models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
ln -s "$models" m

for clip in Survey Walk Run; do
	same_pairs -n 3 --clip $clip --fps 4 --from 0.1 --to 0.6 m/fox.glb m/fox.glb --place 0,0,0 --place 10,0,20
done
for clip in 0 6 ${all:+4 5 7}; do
	same_pairs -n 3 --clip $clip --fps 5 --to 0.4 m/mannequiny.glb m/makehuman.glb --place 0,0,0 --place 0.2,0.9,0.1
done
same_pairs -n 3 --clip 0 --fps 1 --to 2 m/makehuman.glb m/mannequiny.glb m/alien.glb --within
same_pairs -n 3 --clip 0 --fps 0.5 --to 4 --within m/alien.glb m/mannequiny.glb
same_pairs -n 4 --clip Individuals --fps 0.4 m/morph_stress_test.glb m/sheen_chair.glb --within
same_pairs -n 2 --clip 6 --fps 2 --to 0.5 m/mannequiny.glb m/mannequiny.glb --place 0,0,0 --place 0.4,0,0.2 --rotate 0,0,0 \
	--rotate 0,180,0
grep -q '"count":[1-9]' ours || fail "the characters do not touch"
if [ -e m/koala.obj ] && [ -e m/brain_mni152.ply ]; then
	same_pairs m/koala.obj m/fish.obj m/brain_mni152.ply --scale 1 --scale 1 --scale 0.05
fi

# Every skin in every clip of every character, beside brute force.
# same_skins FRAMES ARGUMENTS...
same_skins()
{
	frames=$1
	shift
	for blending in spherical dual-quaternion; do
		same_pairs -n "$frames" --blending $blending "$@"
		grep -q '"count":[1-9]' ours || fail "check $*: nothing touches"
	done
}
beside='--place 0,0,0 --place 0.1,0.05,0.07 --rotate 0,0,0 --rotate 0,30,0'
for clip in 2 6 ${all:+0 1 3 4 5 7 8 9}; do
	# shellcheck disable=SC2086 # several words
	same_skins 2 --clip $clip --fps 8 --from 0.1 --to 0.23 m/mannequiny.glb m/mannequiny.glb $beside
done
for clip in 1 ${all:+0 2}; do
	same_skins 2 --clip $clip --fps 4 --from 0.2 --to 0.5 m/fox.glb m/fox.glb --place 0,0,0 --place 10,0,20
done
same_skins 2 --clip 0 --fps 1 --from 0.5 --to 1.5 m/makehuman.glb m/makehuman.glb --place 0,0,0 --place 0.2,0,0.1
same_skins 2 --clip 0 --fps 0.5 --from 1 --to 4 --within m/alien.glb

# What is blended changes where vertices are: the three skins differ, and pose writes what check decides upon.
for blending in linear spherical dual-quaternion; do
	expect 0 "" pose m/makehuman.glb --blending $blending --clip 0 --time 1 -o $blending.obj
	expect 0 "" info --json --blending $blending m/makehuman.glb
	holds "\"deformer\":\"skin\",\"blending\":\"$blending\""
done
checks=$((checks + 2))
cmp -s linear.obj spherical.obj && fail "spherical blending is linear"
cmp -s dual-quaternion.obj spherical.obj && fail "dual quaternions are spherical blending"

# The extreme pose, morph targets and nine influences, through OBJ files.
expect 0 "" pose m/makehuman.glb --clip 0 --time 1 -o a.obj
expect 0 "" pose m/mannequiny.glb --clip 0 --time 1 --place 0.1,-0.9,0 --rotate 0,45,0 -o b.obj
expect 0 "" check --json a.obj b.obj
sed 's/.*"pairs"/"pairs"/' out >posed
expect 0 "" check --json --clip 0 --from 1 --to 1 m/makehuman.glb m/mannequiny.glb --place 0,0,0 --place 0.1,-0.9,0 \
	--rotate 0,0,0 --rotate 0,45,0
sed 's/.*"pairs"/"pairs"/' out >original
checks=$((checks + 1))
cmp -s posed original || fail "posed characters have other pairs"
grep -q '"count":[1-9]' original || fail "posed characters do not touch"

if [ -z "$all" ]; then
	finish
	exit
fi

# The benchmarks, shortened: all methods find the same pairs, or they fail.
for bench in skin-tightness skin-walk; do
	expect 0 "" bench $bench --quick --models m
	holds "makehuman"
	checks=$((checks + 1))
	grep -qE 'absent|skipped' out && fail "bench $bench skips a character"
done

finish

#!/bin/sh
# Tests of `snug check` and `snug pose` on several animated files: clips, scales and offsets per file, joints, summaries,
# limits, the documented JSON, interruption.
# usage: test_program_check.sh SNUG MAKE_OBJ MAKE_GLB CHECK_JSON_MD
snug=$1
make_obj=$2
make_glb=$3
page=$(cd "$(dirname "$4")" && pwd)/$(basename "$4")
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
make_objs torus
make_glbs worm parts skins

# An option that counts once is not given twice; mistyped words are guessed.
expect 2 "--fps is given twice" check --clip bend --fps 3 --fps 4 worm.glb torus.obj
expect 2 "--json is given twice" check --json --json worm.glb torus.obj
expect 2 "-o is given twice" pose worm.glb -o a.obj -o b.obj
expect 2 "--time is given twice" pose worm.glb --clip bend --time=1 --time 2 -o a.obj
expect 2 "unknown option '--clp' (did you mean '--clip'?)" check --clp bend worm.glb torus.obj
expect 2 "unknown option '--by-jiont=1' (did you mean '--by-joint'?)" check --by-jiont=1 worm.glb torus.obj
expect 2 "unknown option '--frobnicate';" check --frobnicate worm.glb torus.obj
expect 2 "unknown command 'chekc' (did you mean 'check'?)" chekc
expect 2 "unknown option '--method'" pose worm.glb --method brute -o a.obj

# Clips by part and case; one for all, or one per file; what is not clear is refused.
expect 0 "" check --json --clip bend --fps 10 parts.glb torus.obj
cp out whole
for name in BEND Ben end 0; do
	expect 0 "" check --json --clip $name --fps 10 parts.glb torus.obj
	checks=$((checks + 1))
	cmp -s whole out || fail "--clip $name is another clip than bend"
done
expect 1 "'d' may be one of several clips: 'bend', 'hold'" check --clip d parts.glb torus.obj
expect 1 "no clip 'bnd': parts.glb has 'bend', 'hold'; torus.obj has none (did you mean 'bend'?)" \
	check --clip bnd parts.glb torus.obj
# A triangle that is moved by a clip with a name such as exporters make.
cat >walker.gltf <<EOF
{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"},
{"byteLength":32,"uri":"data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAA="}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":1,"byteLength":8},{"buffer":1,"byteOffset":8,"byteLength":24}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR"},{"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"}],
"animations":[{"name":"Armature|walk_loop","samplers":[{"input":1,"output":2}],
"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}]}]}
EOF
expect 1 "(did you mean 'Armature|walk_loop'?)" check --clip wlak walker.gltf torus.obj
expect 1 "torus.obj: no clip 'bend': torus.obj has none" check --clip bend --clip bend parts.glb torus.obj
expect 2 "more --clip than files" check --clip bend --clip - --clip - worm.glb torus.obj
for clips in "--clip bend --clip hold" "--clip hold --clip bend" "--clip - --clip hold" "--clip bend --clip -"; do
	# shellcheck disable=SC2086 # several words
	same_pairs -n 11 $clips --fps 10 parts.glb parts.glb --place 0,0,0 --place 0.3,0.1,0.2
	cp ours "clips $clips"
done
checks=$((checks + 1))
cmp -s "clips --clip bend --clip hold" "clips --clip hold --clip bend" && fail "clips of two files are not told apart"
expect 0 "" check --json --clip - worm.glb torus.obj
is_check_json 1
holds '"clips":[null,null],"first":false,'
expect 0 "" check --json --first --clip bend --to 0 worm.glb torus.obj
holds '"clips":["bend",null],"first":true,'
expect 0 "" check --clip bend --to 0 worm.glb torus.obj
holds "1 frame, "

# Poses of one file in two clips are those of two files.
cp parts.glb copy.glb
expect 0 "" check --json --clip bend --clip hold --fps 10 parts.glb copy.glb --place 0,0,0 --place 0.3,0.1,0.2
checks=$((checks + 1))
sed 's/copy/parts/g' out | cmp -s - "clips --clip bend --clip hold" || fail "a file that is named twice is posed otherwise"

# Scales: those of positions, in every kind of motion, but for rounding; pairs are those of the posed files.
expect 2 "--scale must be positive" check worm.glb torus.obj --scale 0
expect 0 "warning: --scale counts for worm.glb alone" check worm.glb torus.obj --scale 2
expect 0 "warning: torus.obj is 1" check worm.glb torus.obj --scale 0.01 --scale 1
expect 0 "times as large as worm.glb" check worm.glb torus.obj --scale 0.01 --scale 1
expect 2 "more --scale than files" check worm.glb torus.obj --scale 1 --scale 1 --scale 1
for file in worm.glb parts.glb skins.glb; do
	for clip in - bend; do
		expect 0 "" pose $file --clip $clip -o one.obj
		expect 0 "" pose $file --clip $clip --scale 3 -o three.obj
		checks=$((checks + 1))
		paste -d ' ' one.obj three.obj | awk '$1 == "v" { n++; for (k = 2; k <= 4; ++k) { d = 3 * $k - $(k + 4);
			if (d > 1e-5 || d < -1e-5) bad = 1 } } END { exit bad || n < 100 }' || fail "$file, clip $clip: scaled wrongly"
	done
done
same_pairs -n 6 --within --clip bend --fps 5 parts.glb parts.glb skins.glb --scale 1 --scale 0.5 --scale 2
same_pairs -n 6 --clip bend --fps 5 --blending dual-quaternion skins.glb worm.glb --scale 0.7 --scale 1
expect 0 "" pack torus.obj -o torus.snug
expect 1 "torus.snug: a packed model cannot be scaled" check torus.snug worm.glb --scale 2

# Offsets: a clip that begins later is the clip at an earlier time. Times are such that no other pose is the same: the
# clip comes back the way it went.
expect 2 "--offset need" check --offset 1 worm.glb torus.obj
expect 0 "" pose worm.glb --clip bend --time 0.2 -o early.obj
for late in "--time 0.6 --offset 0.4" "--time -0.3 --offset -0.5"; do
	# shellcheck disable=SC2086 # several words
	expect 0 "" pose worm.glb --clip bend $late -o late.obj
	checks=$((checks + 1))
	cmp -s early.obj late.obj || fail "$late: an offset is not a shift in time"
done
# Each file has its own, also where both are one file: as poses that were written before, and have no clip any more.
for offsets in "0.4 0.3" "0.3 0.4"; do
	# shellcheck disable=SC2086 # two words
	set -- $offsets
	expect 0 "" pose worm.glb --clip bend --time 0.6 --offset "$1" -o first.obj
	expect 0 "" pose worm.glb --clip bend --time 0.6 --offset "$2" --place 0.1,0.1,0 -o second.obj
	expect 0 "" check --json first.obj second.obj
	sed 's/.*"pairs"/"pairs"/' out >"still $1"
	expect 0 "" check --json --clip bend --fps 10 --from 0.6 --to 0.6 worm.glb worm.glb --offset "$1" --offset "$2" \
		--place 0,0,0 --place 0.1,0.1,0
	checks=$((checks + 1))
	sed 's/.*"pairs"/"pairs"/' out | cmp -s - "still $1" || fail "offsets $offsets: other pairs than of written poses"
done
checks=$((checks + 1))
cmp -s "still 0.4" "still 0.3" && fail "offsets of two files are not told apart"
expect 0 "" check --json --clip bend --fps 10 worm.glb worm.glb --offset 0 --offset 0.5
is_check_json 16
same_pairs -n 16 --clip bend --fps 10 worm.glb worm.glb --offset 0 --offset 0.5 --place 0,0,0 --place 0.1,0.1,0

# Times beyond the clip are told.
expect 0 "--time 5 lies after the end of the animation at 1 s" pose worm.glb --clip bend --time 5 -o a.obj
expect 0 "--time -1 lies before the animation begins" pose worm.glb --clip bend --time -1 -o a.obj
expect 0 "" pose worm.glb --clip bend --time 1 -o a.obj

# Several files in one pose, as OBJ, PLY and on standard output: the same bodies.
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o both.obj
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o both.ply
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o -
checks=$((checks + 1))
cmp -s out both.obj || fail "standard output is another file"
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o - --format ply
checks=$((checks + 1))
cmp -s out both.ply || fail "standard output is another PLY file"
expect 0 "" pose both.ply -o again.obj
checks=$((checks + 1))
grep -v '^o' both.obj | grep '^v' >vertices
grep '^v' again.obj | cmp -s - vertices || fail "PLY does not read back bit for bit"
grep '^f' both.obj >faces
grep '^f' again.obj | cmp -s - faces || fail "PLY has other triangles"
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o both.glb
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o - --format glb
checks=$((checks + 2))
cmp -s out both.glb || fail "standard output is another GLB file"
expect 0 "" pose both.glb -o again.obj
cmp -s again.obj both.obj || fail "GLB does not read back bit for bit"
expect 0 "" pose worm.glb parts.glb --clip bend --time 0.5 --place 1,2,3 -o both.txt --format glb
checks=$((checks + 1))
cmp -s both.txt both.glb || fail "--format does not count where the name says nothing"
rm both.txt
expect 2 "both.txt: the name of what is written must end in one of .obj .ply .glb" pose worm.glb -o both.txt

# Info names joints.
expect 0 "" info worm.glb
holds "joints of skin 0: node 0, node 1, node 2"
expect 0 "" info --json worm.glb
holds '"jointNames":["","",""]'

# Clips and bodies come first: they are what one asks for.
expect 0 "" info worm.glb
checks=$((checks + 1))
[ "$(sed -n '2p' out | cut -c1-5)" = clips ] || fail "info does not begin with clips: $(head -3 out)"

# One file twice in one place is a slip, but not a mistake.
expect 0 "warning: worm.glb is there twice in one place and pose: --place moves one of them" check --summary worm.glb worm.glb
expect 0 "" check --json --limit 0 worm.glb torus.obj --place 0.3,0,0
holds '"pairs":[]'

# By joint: joints' counts add up to the pairs, in every frame and over all.
expect 0 "" check --by-joint worm.glb torus.obj --place 0.3,0,0
holds " × torus"
expect 0 "" check --by-joint --clip bend --fps 5 --summary worm.glb worm.glb --place 0,0,0 --place 0.2,0,0
holds "by joint"
checks=$((checks + 1))
grep -qE '^ +[0-9]+ +0\.[0-9]' out && fail "a summary lists frames"
# People see the first 30 rows, without what all joints' names begin with; JSON has all, as the file has them.
"$make_glb" rig rig.glb || fail "make_glb"
expect 0 "" check --by-joint rig.glb rig.glb --place 0,0,0 --place 0.1,0,0
checks=$((checks + 2))
[ "$(grep -c ' × ' out)" -eq 30 ] || fail "the table by joint has $(grep -c ' × ' out) rows"
grep -q mixamorig out && fail "names keep their prefix"
more=$(sed -n 's/^ *and \([0-9]*\) more, which --json lists$/\1/p' out)
expect 0 "" check --by-joint --json rig.glb rig.glb --place 0,0,0 --place 0.1,0,0
holds 'mixamorig:Joint 7'
if command -v jq >/dev/null; then
	checks=$((checks + 1))
	[ "$(jq '.joints | length' out)" -eq $((30 + more)) ] || fail "JSON has $(jq '.joints | length' out) rows, not 30 and $more"
fi
expect 2 "--by-joint is not for --csv" check --by-joint --csv worm.glb torus.obj

# Limits: counts stay, pairs are cut, and it is said.
expect 0 "warning: 5 of" check --json --limit 5 --clip bend --fps 5 worm.glb worm.glb --place 0,0,0 --place 0.1,0,0
is_check_json 6
checks=$((checks + 1))
[ "$(sed 's/.*"pairs":\[//; s/\],"count".*//' out | grep -o '\[' | wc -l)" -eq 5 ] || fail "--limit lists other than 5 pairs"
sed 's/.*"count"://' out >limited
expect 0 "" check --json --clip bend --fps 5 worm.glb worm.glb --place 0,0,0 --place 0.1,0,0
checks=$((checks + 1))
sed 's/.*"count"://' out | cmp -s - limited || fail "--limit changes counts"

# Errors in a frame say which.
expect 1 "worm.glb: " check --clip bend --fps 5 worm.glb torus.obj --place 1e38,0,0
checks=$((checks + 1))
grep -q '(frame 0, at 0 s)' err || fail "an error in a frame does not say which"

# JSON: the fields that docs/check-json.md names, in their order and of their types, and no others.
# documented SECTION OPTIONS: one "name type" per line that is there under these options.
documented()
{
	awk -F ' *[|] *' -v section="## $1" -v options="$2" '/^## / { on = ($0 == section) }
		on && $2 ~ /^`/ { there = $4; gsub(/`/, "", there); gsub(/`/, "", $2)
			if (there == "always" || index(options, there)) print $2, $3 }' "$page"
}
# fields FILTER: "name type" of every object that a filter of jq gives, once each.
fields()
{
	jq -r "$1"' | [to_entries[] | .key + " " + (.value | type)] | join("\n")' out | awk 'NR == 1 { first = $1 }
		$1 == first && NR > 1 { exit } { print }'
}
# as_documented SECTION OPTIONS FILTER
as_documented()
{
	checks=$((checks + 2))
	documented "$1" "$2" >expected
	fields "$3" >found
	[ -s expected ] || fail "docs/check-json.md does not describe '$1'"
	cmp -s expected found || fail "$1 ($2): fields are $(tr '\n' ',' <found) documented are $(tr '\n' ',' <expected)"
}
if command -v jq >/dev/null; then
	run="--clip bend --fps 5 worm.glb skins.glb"
	expect 0 "" check --json --distance --contacts curves.json --by-joint --costs $run
	as_documented "A frame" "--distance --contacts --by-joint --costs" .
	as_documented Distances "" '.distances[]'
	make_glbs shot
	expect 0 "" check --json --between --clip bend --fps 4 shot.glb worm.glb --place 0,0,0 --place 20,0,0
	as_documented "A frame" "--between" .
	as_documented Between "" '.between[]'
	expect 0 "" check --json --summary --between --clip bend --fps 4 shot.glb worm.glb --place 0,0,0 --place 20,0,0
	as_documented "A summary" "--between" .
	expect 0 "" check --json --inside --by-joint --contacts curves.json $run
	as_documented "A frame" "--inside --by-joint --contacts" .
	as_documented Inside "of two bodies" '.inside[]'
	expect 0 "" check --json --summary --inside --by-joint --contacts curves.json $run
	as_documented "A summary" "--inside --by-joint where curves are asked for" .
	as_documented Joints "--by-joint --summary where curves are asked for" '.joints[]'
	expect 0 "" check --json --margin 0.1 $run
	as_documented "A frame" "--margin" .
	jq -c . curves.json >out
	as_documented Curves "" '.curves[]'
	for options in "" "--by-joint" "--costs" "--by-joint --costs"; do
		# shellcheck disable=SC2086 # several words
		expect 0 "" check --json $options $run
		as_documented "A frame" "$options" .
		checks=$((checks + 1))
		jq -e '(.pairs | length) == .count and .version == 1 and (.bodies | all(length == 3))' out >all 2>err
		grep -q false all && fail "pairs and count differ"
		case $options in *joint*)
			as_documented Joints "$options" '.joints[]'
			checks=$((checks + 1))
			jq -e '([.joints[].count] | add // 0) == .count' out | grep -q false && fail "joints do not add up to the pairs"
			;;
		esac
		# shellcheck disable=SC2086
		expect 0 "" check --json --summary $options $run
		as_documented "A summary" "$options --summary" .
		case $options in *joint*)
			as_documented Joints "$options --summary" '.joints[]'
			checks=$((checks + 1))
			jq -e '([.joints[].count] | add // 0) == .count and .count > 0' out >/dev/null || fail "joints do not add up"
			;;
		esac
	done
else
	lack jq "no jq to read JSON with (tools/install-dependencies test-all)"
fi

# What counts, by depth and time: stretches of frames with contact, judged here from what --contacts writes of each.
if command -v jq >/dev/null; then
	run="--clip bend --fps 30 worm.glb torus.obj --place 0,0,0 --place 0.55,0.15,0"
	# shellcheck disable=SC2086 # several words
	expect 0 "" check --json --summary --contacts curves.json $run
	jq -c .contacts out >all
	[ "$(cat all)" != "[]" ] || fail "nothing touches: nothing is tried"
	for limits in "0 -1" "0.02 -1" "0.04 -1" "-1 0.1" "-1 0.5" "0.02 0.2" "9 -1" "-1 9"; do
		deeper=${limits% *}
		longer=${limits#* }
		given=
		[ "$deeper" = -1 ] || given="--deeper-than $deeper"
		[ "$longer" = -1 ] || given="$given --longer-than $longer"
		jq -c --argjson deeper "$deeper" --argjson longer "$longer" --slurpfile found curves.json \
			'map(select((.[1] - .[0]) / 30 > $longer and (. as [$first, $last] | [$found[0].curves[] |
				select(.frame >= $first and .frame <= $last) | .closed == false or .depth > $deeper] | any or $deeper < 0)))' \
			all >expected
		code=3
		[ "$(cat expected)" != "[]" ] || code=0
		# shellcheck disable=SC2086
		expect $code "" check --json --summary --fail-on-contact $given $run
		checks=$((checks + 1))
		jq -c .contacts out >found
		cmp -s found expected || fail "$given: contacts are $(cat found), not $(cat expected)"
	done
	# Pairs of joints that may touch.
	# shellcheck disable=SC2086
	expect 0 "" check --json --summary --by-joint $run
	checks=$((checks + 2))
	jq -c 'del(.joints[0]) | [.joints[].count] | add // 0' out >expected
	jq -r '"# of the most\n\n" + (.joints[0] | [.b[1], .a[1]] | map(ascii_upcase) | join(" , "))' out >ignored.txt
	# shellcheck disable=SC2086
	expect 0 "" check --json --summary --ignore ignored.txt $run
	jq -c .count out >found
	cmp -s found expected || fail "--ignore leaves $(cat found) pairs, not $(cat expected)"
	echo '*, *' >ignored.txt
	# shellcheck disable=SC2086
	expect 0 "" check --json --summary --fail-on-contact --ignore ignored.txt $run
	[ "$(jq .count out)" -eq 0 ] || fail "--ignore of everything leaves something"
fi
# What is open has no depth: it counts.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >flat.obj
printf 'v 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\n' >through.obj
expect 3 "" check flat.obj through.obj --fail-on-contact --deeper-than 5
echo 'nobody, *' >ignored.txt
expect 1 "ignored.txt:1: no joint is called 'nobody'" check worm.glb torus.obj --ignore ignored.txt
echo 'nobody' >ignored.txt
expect 1 "ignored.txt:1: two names with a comma between them" check worm.glb torus.obj --ignore ignored.txt
expect 1 "none.txt: No such file" check worm.glb torus.obj --ignore none.txt
expect 2 "--ignore or --first, not both" check worm.glb torus.obj --ignore ignored.txt --first
expect 2 "--deeper-than is not for --first" check worm.glb torus.obj --first --deeper-than 0.1
# What meets in the first frame is not new, in that frame or later.
run="worm.glb torus.obj --clip bend --fps 10"
expect 0 "" check --csv $run
cp out every.csv
expect 0 "" check --csv --new-only $run
awk -F, 'NR == FNR { all[NR] = $3; next } FNR == 2 { known = all[2]; bad += $3 != 0 }
	FNR > 1 { bad += $3 > all[FNR] || $3 < all[FNR] - known; sum += $3 } END { exit bad > 0 || sum == 0 }' every.csv out ||
	fail "--new-only leaves $(cat out) of $(cat every.csv)"
expect 2 "--new-only needs --clip" check worm.glb torus.obj --new-only
expect 2 "--new-only or --first, not both" check --first --new-only $run
expect 2 "--deeper-than is a depth" check worm.glb torus.obj --deeper-than -1
expect 2 "--longer-than needs --clip" check worm.glb torus.obj --longer-than 1

# Interrupted: lines that were printed are whole, the summary says so, and the exit code too.
# What a shell starts in the background ignores Ctrl-C; env undoes that.
rm -f out
env --default-signal=INT "$snug" check --json --threads 2 --fps 20000 --clip bend worm.glb parts.glb >out 2>err &
runner=$!
await grep -qs '}$' out
kill -INT $runner
wait $runner
code=$?
checks=$((checks + 4))
[ $code -eq 130 ] || fail "an interrupted run exits with $code"
grep -qE 'interrupted: [0-9]+ of 20001 frames are complete' err || fail "an interrupted run does not say so"
lines=$(wc -l <out)
[ "$(grep -c '}$' out)" -eq "$lines" ] || fail "an interrupted run leaves half a line"
grep -q "interrupted: $lines of" err || fail "an interrupted run says it has other than $lines frames"

finish

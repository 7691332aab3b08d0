#!/bin/sh
# Tests of what `snug check` finds beyond pairs between bodies: a body against itself, distances, margins, curves.
# usage: test_program_near.sh SNUG MAKE_OBJ MAKE_GLB
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
make_obj=$2
make_glb=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
make_objs box blob torus tetrahedron
make_glbs worm skins shot

# count_is NUMBER: pairs of the last output's only frame.
count_is()
{
	checks=$((checks + 1))
	grep -q "\"count\":$1[,}]" out || fail "count is not $1: $(grep -o '"count":[0-9]*' out)"
}

# A file alone is checked against itself: the worm bends into itself half way, and nowhere else.
expect 0 "" check worm.glb --clip bend --fps 5 --csv
checks=$((checks + 1))
[ "$(awk -F , 'NR > 1 { printf "%s", ($3 > 0 ? "x" : ".") }' out)" = "..xx.." ] || fail "the worm meets itself elsewhere: $(cat out)"
expect 0 "" check worm.glb --clip bend --from 0.4 --to 0.4 --json
checks=$((checks + 1))
grep -q '"pairs":\[\[0,[0-9]*,0,[0-9]*\]' out || fail "pairs of a body with itself do not say so"
expect 3 "" check worm.glb --clip bend --fps 5 --fail-on-contact --first
expect 0 "" check --self worm.glb torus.obj --clip bend --from 0.4 --to 0.4 --json --place 0,0,0 --place 100,0,0
holds '"count":184'
expect 0 "" check worm.glb torus.obj --clip bend --from 0.4 --to 0.4 --json --place 0,0,0 --place 100,0,0
count_is 0
# What meets at rest does not count, unless it is asked for.
printf 'v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 0.6 0.5 1\nf 1 2 3\nf 4 5 6\n' >cross.obj
expect 0 "" check --json cross.obj
count_is 0
expect 0 "" check --json --self --keep-rest cross.obj
holds '"pairs":[[0,0,0,1]],"count":1'
# Several bodies: each with itself, and with the others.
expect 0 "" check --json --clip bend --from 0.4 --to 0.4 skins.glb
grep -oE '\[[0-9]+,[0-9]+,[0-9]+,[0-9]+\]' out | tr -d '[]' | cut -d , -f 1,3 | sort -u >kinds
checks=$((checks + 1))
{ awk -F , '$1 == $2' kinds | grep -q . && awk -F , '$1 != $2' kinds | grep -q .; } || fail "one file: not all is checked: $(cat kinds)"

# Distances: boxes half a unit apart along x, then touching, then one in the other, whose surfaces are apart.
expect 0 "" check --json --distance box.obj box.obj --place 0,0,0 --place 2,0.25,0
holds '"distances":[{"bodies":[0,1],"distance":0.5,'
holds '[[1.5,'
expect 0 "" check --distance box.obj box.obj --place 0,0,0 --place 2,0.25,0
holds "         0.5  1.5 "
expect 0 "" check --csv --distance box.obj box.obj --place 0,0,0 --place 1.5,0,0
holds ',0.0'
expect 0 "" check --json --distance box.obj tetrahedron.obj --place 0,0,0 --place 0.25,0.25,0.25 --scale 1 --scale 0.125
holds '"distance":0.25,'
count_is 0
expect 0 "" check --distance worm.glb torus.obj --clip bend --fps 5 --place 0,0,0 --place 9,0,0
holds "  distance"

# Margins: nothing just below half a unit, the facing sides at half a unit.
expect 0 "" check --json --margin 0.499999 box.obj box.obj --place 0,0,0 --place 2,0.25,0
count_is 0
holds '"margin":0.499999'
expect 0 "" check --json --margin 0.5 box.obj box.obj --place 0,0,0 --place 2,0.25,0
checks=$((checks + 1))
grep -q '"count":0' out && fail "nothing is within the margin"
expect 0 "" check --json --margin 1e-20 blob.obj torus.obj
sed 's/,"margin":.*//' out >near
expect 0 "" check --json blob.obj torus.obj
checks=$((checks + 1))
sed 's/}$//' out | cmp -s - near || fail "what meets is not what is nearer than next to nothing"

# Margins of one body: two boxes in it are as near each other as two bodies are, and what is near at rest does not count.
# join A B OFFSET: both as one file.
join()
{
	grep '^[vf] ' "$1"
	awk -v first="$(grep -c '^v ' "$1")" -v offset="$3" 'BEGIN { split(offset, by, ",") }
		$1 == "v" { print "v", $2 + by[1], $3 + by[2], $4 + by[3] }
		$1 == "f" { print "f", $2 + first, $3 + first, $4 + first }' "$2"
}
join box.obj box.obj 1.75,0.25,0 >boxes.obj
n=$(grep -c '^f ' box.obj)
expect 0 "" check --json --margin 0.25 --rest-distance 0.2499 boxes.obj
grep -oE '\[0,[0-9]+,0,[0-9]+\]' out | tr -d '[]' | awk -F , -v n="$n" '$2 < n && $4 >= n { print $2, $4 - n }' >own
expect 0 "" check --json --margin 0.25 box.obj box.obj --place 0,0,0 --place 1.75,0.25,0
grep -oE '\[0,[0-9]+,1,[0-9]+\]' out | tr -d '[]' | tr , ' ' | cut -d ' ' -f 2,4 >two
checks=$((checks + 1))
[ -s two ] && cmp -s own two || fail "a body's own parts: $(wc -l <own) pairs, of two bodies $(wc -l <two)"
expect 0 "" check --json --margin 0.25 --rest-distance 0.25 boxes.obj
checks=$((checks + 1))
grep -oE '\[0,[0-9]+,0,[0-9]+\]' out | tr -d '[]' | awk -F , -v n="$n" '$2 < n && $4 >= n' | grep -q . && fail "what is as near at rest counts"
expect 0 "" check --json --margin 0.25 boxes.obj
count_is 0
expect 0 "" check --csv --margin 0.2 worm.glb --clip bend --fps 5
checks=$((checks + 1))
[ "$(awk -F , 'NR > 1 { printf "%s", ($3 > 0 ? "x" : ".") }' out)" = .xxxx. ] || fail "the worm comes near itself elsewhere: $(cat out)"

# Inside: a small tetrahedron in a box, a quarter deep; a body's own vertices, which are those of its parts in each other.
expect 0 "" check --json --inside box.obj tetrahedron.obj --place 0,0,0 --place 0.25,0.25,0.25 --scale 1 --scale 0.125
holds '"inside":[{"bodies":[1,0],"count":4,"vertices":[0,1,2,3],"depths":[0.25,0.25,0.25,0.25]}]'
expect 0 "" check --inside --summary tetrahedron.obj box.obj --place 0.25,0.25,0.25 --place 0,0,0 --scale 0.125 --scale 1
holds '    0      1           4  0.25'
within="box.obj tetrahedron.obj --place 0,0,0 --place 0.25,0.25,0.25 --scale 1 --scale 0.125"
expect 0 "" check --fail-on-contact $within
expect 3 "" check --fail-on-contact --inside $within
expect 3 "" check --fail-on-contact --inside --deeper-than 0.2 $within
expect 0 "" check --fail-on-contact --inside --deeper-than 0.3 $within
expect 0 "warning: 3 of 4 pairs and vertices are listed" check --json --inside --limit 3 $within
holds '"count":4,"vertices":[0,1,2],"depths":[0.25,0.25,0.25]}]'
expect 0 "" check --json --inside --limit 0 $within
holds '"count":4,"vertices":[],"depths":[]}]'
expect 0 "" check --inside torus.obj
holds 'no vertices inside'
join blob.obj torus.obj 0.5,0.25,0.125 >both.obj
expect 0 "" check --csv --inside blob.obj torus.obj --place 0,0,0 --place 0.5,0.25,0.125
sed 's/.*,//' out >two
expect 0 "" check --csv --inside --fail-on-contact both.obj
checks=$((checks + 1))
[ "$(tail -n 1 two)" -gt 100 ] && sed 's/.*,//' out | cmp -s - two || fail "its own vertices: $(cat out), of two bodies $(cat two)"
expect 0 "" check --inside --clip bend --fps 5 worm.glb --html inside.html
holds 'most vertices inside in frame 2: '
checks=$((checks + 1))
grep -q 'id="inside"' inside.html || fail "the page does not say what is inside"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 4 1\n' >turned.obj
expect 0 "turned.obj: body 0 turns over at 3 edges" check --inside turned.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
expect 0 "open.obj: body 0 has 3 open edges" check --json --inside open.obj box.obj --place 0.1,0.1,0.1 --place 0,0,0
holds '"inside":[{"bodies":[0,1],"count":3,'

# New contact: a ring flies through another one. What counts is how much deeper than in the first frame it gets, and
# where that is most is the worst frame, though the first ones have more pairs.
run="--clip bend --fps 1000 --from 0.255 --to 0.262 shot.glb box.obj --place 0,0,0 --place 0.3,0.2,0.1"
# shellcheck disable=SC2086 # several words
{
	expect 0 "" check --contacts last.json --csv --threads 3 $run
	expect 0 "" check --contacts way.json --csv --threads 1 $run
	checks=$((checks + 1))
	cmp -s way.json last.json || fail "curves depend on threads: $(grep -o '"depth":[^,]*' last.json | tr '\n' ' ')"
	grep -o '"depth":[0-9.]*' way.json | tr : ' ' | awk '{ depth[NR] = $2 } END { printf "%.9f\n", depth[NR] - depth[1] }' >deeper
	expect 0 "" check --json --summary --new-only --by-joint $run
	sed -n 's/.*"deepestFrame":7,"depth":\([0-9.]*\).*/\1/p' out | awk '{ printf "%.9f\n", $1 }' >found
	checks=$((checks + 1))
	[ -s found ] && cmp -s found deeper || fail "new depth is $(cat found), not $(cat deeper): $(cat out)"
	expect 0 "" check --new-only --summary --by-joint --html new.html $run
	holds 'deepest in frame 7: '
	checks=$((checks + 1))
	grep -q 'worst at 0.262 s' new.html || fail "the page does not begin with the deepest new contact"
	expect 0 "" check --html all.html $run
	checks=$((checks + 1))
	grep -q 'worst at 0.255 s' all.html || fail "the page does not begin with the most pairs"
}

# Between frames: a bullet that flies past both sides of a box in a quarter of a second, there and back, in no frame of
# which they meet. At 200 frames per second frames show it, from the time on that was proved, and nothing is left between.
shot="shot.glb box.obj --clip bend --place 0,0,0 --place 20,0,0"
expect 0 "" check --csv $shot --fps 4
checks=$((checks + 1))
[ "$(awk -F , 'NR > 1 { printf "%s", $3 }' out)" = 00000 ] || fail "a frame meets: $(cat out)"
for threads in 1 3; do
	expect 0 "" check --csv --between --threads $threads $shot --fps 4
	checks=$((checks + 1))
	[ "$(awk -F , 'NR > 1 { printf "%s", $4 }' out)" = 00110 ] || fail "between frames: $(cat out)"
done
expect 3 "" check --fail-on-contact --between $shot --fps 4
holds "Between frames, in none of which they meet:"
holds "  1 and 2"
expect 0 "" check --fail-on-contact $shot --fps 4
expect 0 "" check --json --between $shot --fps 4
time=$(sed -n '3s/.*"between":\[{"bodies":\[0,1\],"triangles":\[[0-9]*,[0-9]*\],"time":\([0-9.]*\),"sure":true.*/\1/p' out)
expect 0 "" check --csv --between $shot --fps 200
checks=$((checks + 2))
awk -F , -v time="$time" 'NR > 1 && $3 > 0 { exit !(time <= $2 && time > $2 - 0.005) }' out || fail "from $time s on: $(grep -v ',0$' out | head -n 3)"
awk -F , 'NR > 1 && $4 > 0 { exit 1 }' out || fail "frames show it, and it is between them, too"
expect 0 "" check --json --summary --between $shot --fps 4
holds '"between":2'
expect 0 "" check --between $shot --fps 4 --html between.html
holds "Between frames"
checks=$((checks + 1))
grep -q '<table id="between">' between.html && grep -q 'contacts between frames only' between.html || fail "the page does not mark it"
expect 0 "" check --csv --between shot.glb box.obj --clip bend --place 0,0,0 --place 20,0.9,0 --fps 4
checks=$((checks + 1))
[ "$(awk -F , 'NR > 1 { printf "%s", $4 }' out)" = 00000 ] || fail "it flies past: $(cat out)"
expect 0 "" check --csv --between --margin 0.6 shot.glb box.obj --clip bend --place 0,0,0 --place 20,0.9,0 --fps 4
checks=$((checks + 1))
[ "$(awk -F , 'NR > 1 { printf "%s", $4 }' out)" = 00110 ] || fail "within the margin: $(cat out)"
# It swings on an arc: where ways are halved until they are nearly straight, what two frames show is what 200 show.
expect 0 "" check --json --between --stray 0.001 $shot --fps 4
finer=$(sed -n '3s/.*"between":\[{"bodies":\[0,1\],"triangles":\[[0-9]*,[0-9]*\],"time":\([0-9.]*\),"sure":true.*/\1/p' out)
checks=$((checks + 1))
awk -v finer="$finer" -v time="$time" 'BEGIN { exit !(finer != "" && finer > 0.25 && finer < 0.5 && (finer - time)^2 < 0.04) }' || fail "with smaller steps at '$finer', not $time"
for threads in 1 3; do
	expect 0 "" check --csv --between --stray 0.001 --threads $threads $shot --fps 4
	checks=$((checks + 1))
	[ "$(awk -F , 'NR > 1 { printf "%s", $4 }' out)" = 00110 ] || fail "between frames, in smaller steps: $(cat out)"
done
# Whoever asks for more than it halves is told, on any number of threads.
for threads in 1 3; do
	expect 0 "warning: halved 8 times, ways between frames still stray by " check --csv --between --stray 1e-9 --threads $threads $shot --fps 4
	checks=$((checks + 1))
	[ "$(awk -F , 'NR > 1 { printf "%s", $4 }' out)" = 00110 ] || fail "between frames, in the smallest steps: $(cat out)"
done
expect 2 "--stray needs --between" check --stray 1 $shot
expect 2 "--stray is a distance" check --between --stray -1 $shot
expect 2 "--between needs" check --between box.obj torus.obj
expect 2 "not both" check --between --first $shot
expect 2 "not for --between" check --between --method brute $shot

# Curves: closed between closed bodies; the same points in all three formats.
for ending in obj ply json; do
	expect 0 "" check --json --contacts curves.$ending blob.obj torus.obj --place 0,0,0 --place 0.7,0.1,0.2
done
holds '"loose":0'
curves=$(sed 's/.*"curves":\([0-9]*\).*/\1/' out)
checks=$((checks + 4))
[ "$curves" -gt 0 ] || fail "no curves"
[ "$(grep -c '"closed":true,"ends":\[null,null\]' curves.json)" -eq "$curves" ] || fail "curves of closed bodies are open"
[ "$(grep -c '^l ' curves.obj)" -eq "$curves" ] || fail "OBJ has other curves"
points=$(grep -c '^v ' curves.obj)
grep -q "^element vertex $points$" curves.ply && grep -q "^element edge $points$" curves.ply || fail "PLY has other points"
checks=$((checks + 2))
grep '^v ' curves.obj | cut -c 3- >a
sed '1,/end_header/d' curves.ply | head -n "$points" | cmp -s a - || fail "PLY and OBJ differ"
sed 's/.*"points"://' curves.json | grep -oE '\[[^][]+\]' | tr -d '[]' | tr , ' ' | cmp -s a - || fail "JSON and OBJ differ"
expect 0 "" check --contacts curves.obj blob.obj torus.obj --place 0,0,0 --place 0.7,0.1,0.2
holds " closed"
# Depth: a tetrahedron whose tip reaches an eighth into another one, and a page that says so.
expect 0 "" check --contacts deep.json tetrahedron.obj tetrahedron.obj --place 0,0,0 --place 0.25,0.25,-0.125 --scale 1 --scale 0.25 --html deep.html
checks=$((checks + 2))
grep -q '"depth":0.125,' deep.json || fail "the depth is not an eighth: $(grep -o '"depth":[^,]*' deep.json)"
grep -q '<b>0.125</b>' deep.html || grep -q '>0.125<' deep.html || fail "the page does not say how deep"
# What lies in one plane meets, but along no curve.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >flat.obj
expect 0 "" check --json --contacts flat.json flat.obj flat.obj --place 0,0,0 --place 0.1,0.1,0
holds '"curves":0,"loose":1'
# A body that meets itself has curves of its own: those between bodies stay.
for self in "" --self; do
	# shellcheck disable=SC2086 # one word or none
	expect 0 "" check $self --json --contacts selves$self.json --clip bend --from 0.4 --to 0.4 worm.glb torus.obj --place 0,0,0 --place 0.4,0,0
done
checks=$((checks + 3))
grep -qF '[0,' out && grep -qE '\[(0,[0-9]+,0|1,[0-9]+,1),[0-9]+\]' out || fail "no body meets itself"
for file in selves selves--self; do
	grep -F '"bodies":[0,1]' $file.json | sed 's/,$//' >$file.between
done
[ -s selves.between ] && cmp -s selves.between selves--self.between || fail "--self changes curves between bodies"
grep -qF '"bodies":[0,0]' selves--self.json || fail "a body that meets itself has no curves"
expect 0 "" check --contacts moving.json --clip bend --fps 5 worm.glb torus.obj
checks=$((checks + 1))
grep -q '"frame":[1-9]' moving.json || fail "there are no curves of later frames"
expect 0 "" check --json --contacts none.json box.obj box.obj --place 0,0,0 --place 9,0,0
checks=$((checks + 1))
[ "$(tr -d '\n' <none.json)" = '{"version":1,"curves":[]}' ] || fail "no contact: $(cat none.json)"

# What does not go together.
expect 2 "--margin is a distance" check --margin -1 box.obj blob.obj
expect 2 "--margin or --first, not both" check --margin 1 --first box.obj blob.obj
expect 2 "--margin or --keep-rest, not both" check --margin 1 --self --keep-rest box.obj
expect 2 "--rest-distance needs --self and --margin" check --self --rest-distance 1 box.obj
expect 2 "--rest-distance needs --self and --margin" check --margin 1 --rest-distance 1 box.obj blob.obj
expect 2 "--rest-distance is a distance" check --margin 1 --rest-distance -1 box.obj
expect 2 "--method brute finds pairs that meet" check --method brute --inside box.obj blob.obj
# A body has the curves with itself that its two parts have as bodies.
expect 0 "" check --contacts two.json blob.obj torus.obj --place 0,0,0 --place 0.5,0.25,0.125
expect 0 "" check --self --keep-rest --contacts one.json both.obj --html both.html
for file in one two; do
	sed -n 's/.*"closed":\([a-z]*\),.*"length":\([0-9]*\.[0-9][0-9][0-9]\).*"depth":\([0-9]*\.[0-9][0-9][0-9]\).*/\1 \2 \3/p' $file.json | sort >$file.txt
done
[ -s one.txt ] && cmp -s one.txt two.txt || fail "a body with two parts: $(cat one.txt) and not $(cat two.txt)"
grep -q 'id="depth"' both.html || fail "the page does not say how deep"
expect 0 "" check --self --contacts none.json both.obj
[ "$(tr -d '\n' <none.json)" = '{"version":1,"curves":[]}' ] || fail "what meets at rest has curves: $(cat none.json)"
expect 2 "--margin or --contacts, not both" check --margin 1 --contacts a.obj box.obj blob.obj
expect 2 "--first or --contacts, not both" check --first --contacts a.obj box.obj blob.obj
expect 2 "--method brute finds pairs that meet" check --method brute --self box.obj blob.obj
expect 2 "--keep-rest needs --self" check --keep-rest box.obj blob.obj
expect 2 "must end in one of .obj .ply .json" check --contacts curves.txt box.obj blob.obj
expect 2 "box.obj: is the input" check --contacts box.obj box.obj blob.obj
expect 1 "nowhere/c.obj: " check --contacts nowhere/c.obj box.obj blob.obj

finish

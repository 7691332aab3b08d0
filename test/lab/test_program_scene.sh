#!/bin/sh
# Scenes: tables and pages, states to go on from, and what is refused.
# usage: test_program_scene.sh SNUG
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

# begins_apart COLUMN: nothing touches in the first frame
begins_apart()
{
	checks=$((checks + 1))
	awk -v column="$1" '$1 == "0" { apart = $column == 0 } END { exit !apart }' out ||
		fail "the scene begins with contacts: $(cat out)"
}

expect 0 "" scene ring --vertices 300 --nodes 40 --many --frames 11 --out pages
begins_apart 4
holds '6 bodies of 300 vertices, 596 triangles, 40 nodes'
holds '2 frames compared with brute force, 0 differences'
holds 'report: pages/ring.html'
checks=$((checks + 3))
awk '/^   10   0.367 / { exit !($4 > 0 && $6 > 0) }' out || fail "the figures do not touch: $(tail -5 out)"
[ "$(grep -c 'data:image/png' pages/ring.html)" -eq 1 ] || fail "the page lacks its still"
grep -q '"frames":\[\[0,.*\],\[10,' pages/ring.html && grep -q '"boxes":{' pages/ring.html || fail "the page lacks frames or boxes"

expect 0 "" scene brain --nodes 20 --frames 6 --out pages
holds "    5   0.200 "
# Ours is tighter than Eq. (12), and neither is below the optimum.
checks=$((checks + 2))
awk '/^    5   0.200 / { exit !(1 <= $5 && $5 < $4) }' out || fail "boxes of the brain: $(grep '^    5' out)"
# The viewer's own program has words for all pages.
sed '/<script/,/<\/script>/d' pages/brain.html >brain.words
grep -qE "pairs|brute force" out brain.words && fail "a scene of one body has columns of pairs"
holds '1 body of 29966 vertices'

expect 0 "" scene fish --vertices 200 --nodes 40 --frames 1 --out pages
holds '24 bodies of 200 vertices'
begins_apart 4
holds '1 frame compared with brute force, 0 differences'

# They begin apart, meet, and balls find as many pairs as boxes, else it fails.
expect 0 "" scene characters --frames 41 --out pages
holds '5 frames compared with brute force, 0 differences'
begins_apart 4
checks=$((checks + 1))
awk '/^   40   1.333 / { exit !($3 > 0 && $4 > 0) }' out ||
	fail "the characters do not meet: $(cat out)"

expect 0 "" scene twist --out pages
holds 'dual quaternion'
holds '3 skins compared with brute force, 0 differences'
checks=$((checks + 2))
[ "$(grep -c 'data:image/png' pages/twist.html)" -eq 1 ] && grep -q '"frames":\[\[0,0,0\],.*\],\[17,' pages/twist.html || fail "the page lacks its still or frames"
awk '/^linear/ { thin = $NF == 0 } /^(spherical|dual)/ { thick += $NF > 0 } END { exit !(thin && thick == 2) }' out ||
	fail "the ball touches where it should not, or does not where it should: $(cat out)"

# lack_solvers: the last scene cannot be made without them
lack_solvers()
{
	checks=$((checks + 1))
	grep -q 'built without' err && lack solvers "$(sed 's/.*snug was //' err)" || fail "no scene: $(cat out)"
}

# Chairs need vibration modes.
if "$snug" scene chairs --bodies 8 --frames 12 --out pages >out 2>err; then
	holds '8 bodies, 5 steps per frame'
	holds 'the world is at step 60'
	begins_apart 6
	checks=$((checks + 2))
	[ "$(grep -c 'data:image/png' pages/chairs.html)" -eq 2 ] && grep -q '"unit":"contact".*\[11,' pages/chairs.html ||
		fail "the page lacks its stills or frames"
	cp pages/chairs.state whole.state
	expect 0 "" scene chairs --bodies 8 --frames 5 --out pages
	cp pages/chairs.state part.state
	expect 0 "" scene chairs --bodies 8 --frames 7 --out pages --resume part.state
	cmp -s whole.state pages/chairs.state || fail "going on from a state gives another one"
	expect 0 "" scene chairs --bodies 8 --frames 12 --out pages --threads 2
	cmp -s pages/chairs.state whole.state || fail "chairs: two threads give another state"
	expect 0 "" scene chairs --bodies 3601 --frames 1 --out pages
	begins_apart 6
	sed '1s/3$/2/' whole.state >old.state
	expect 1 'or one of another version of snug' scene chairs --bodies 8 --frames 1 --out pages --resume old.state
	expect 1 '--threads must be at most 64' scene chairs --bodies 8 --frames 1 --out pages --threads 65
	expect 1 'the world has 8 bodies, not 2' scene chairs --bodies 2 --frames 1 --rigid --out pages --resume whole.state
else
	lack_solvers
fi

expect 1 "there is no scene 'nothing'" scene nothing
expect 1 '--vertices must be' scene ring --vertices 5 --out pages
expect 1 '--nodes must be' scene ring --nodes 100000 --out pages
expect 1 '--pull must be' scene brain --pull 4 --out pages
expect 1 'cannot open' scene ring --vertices 300 --nodes 40 --out pages --resume missing.state

# leaves_a_state NAME FRAMES LINE ARGUMENTS...: interrupted when it has printed a line that begins like this, the scene
# leaves a state, from which it goes on.
leaves_a_state()
{
	name=$1 frames=$2 line=$3
	shift 3
	rm -f out # whose lines are those of the last one until this begins
	"$snug" scene "$name" "$@" --frames "$frames" --out pages >out 2>err &
	await grep -qs "^$line " out
	kill -INT $!
	checks=$((checks + 2))
	wait $! || fail "$name: an interrupted scene is no failure: $(cat err)"
	[ -f "pages/$name.state" ] || fail "$name: no state was left"
	expect 0 "" scene "$name" "$@" --frames 2 --out pages --resume "pages/$name.state"
	checks=$((checks + 1))
	! grep -qE '^ +0 +0\.0(33|00) ' out || fail "$name began anew"
}

leaves_a_state ring 5000 '    0' --vertices 300 --nodes 40
leaves_a_state brain 5000 '    0' --nodes 20 --vertices 100
leaves_a_state fish 5000 '    0' --vertices 50 --nodes 20
expect 1 'this is a state of the scene' scene brain --nodes 20 --out pages --resume pages/ring.state
expect 1 'the body has 40 nodes, not 50' scene ring --vertices 300 --nodes 50 --out pages --resume pages/ring.state
head -c 900 pages/ring.state >short.state
expect 1 'body 0: node' scene ring --vertices 300 --nodes 40 --out pages --resume short.state
echo nonsense >bad.state
expect 1 'no state of a scene' scene ring --vertices 300 --nodes 40 --out pages --resume bad.state

# The curtain needs a solver for its components.
if "$snug" scene curtain --frames 21 --out pages >out 2>err; then
	holds 'a curtain of 6184 vertices, 12020 triangles, 12 fields, and a ball'
	begins_apart 4
	holds '3 frames compared with brute force, 0 differences'
	checks=$((checks + 2))
	awk '/^   20   0.667 / { exit !($4 > 50 && $6 > 20) }' out || fail "the ball does not touch: $(tail -3 out)"
	grep -q '"frames":\[\[0,.*\],\[20,' pages/curtain.html || fail "the page lacks frames"
	[ "$(wc -c <pages/curtain.html)" -le 5000000 ] || fail "the page has more than 5 MB"
	leaves_a_state curtain 150 frame # it shows none before all were simulated
	head -c 900 pages/curtain.state >short.state
	expect 1 'has no six' scene curtain --out pages --resume short.state
	sed '3s/^[^ ]*/0x1p+9/' pages/curtain.state >moved.state
	expect 1 'is held, and not where it should be' scene curtain --out pages --resume moved.state
	sed '3000s/^[^ ]*/0x1p+30/' pages/curtain.state >far.state
	expect 1 'is nowhere near' scene curtain --out pages --resume far.state
else
	lack_solvers
fi
expect 1 'leave out --vertices' scene curtain --vertices 500 --out pages
expect 1 '--frames must be' scene curtain --frames 1 --out pages
finish

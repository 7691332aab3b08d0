#!/bin/sh
# Scenes: tables and pages, states to go on from, and what is refused.
# usage: test_program_scene.sh SNUG
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
# shellcheck source=/dev/null
. "$(dirname "$0")/test_lib.sh"

expect 0 "" scene ring --vertices 300 --nodes 40 --many --frames 21 --out pages
holds '6 bodies of 300 vertices, 596 triangles, 40 nodes'
holds '3 frames compared with brute force, 0 differences'
holds 'report: pages/ring.html'
checks=$((checks + 2))
[ "$(grep -c 'data:image/png' pages/ring.html)" -ge 24 ] || fail "the page lacks pictures"
! grep -q '<script' pages/ring.html || fail "the page has a script"

expect 0 "" scene brain --nodes 20 --frames 6 --out pages
holds "    5   0.200 "
checks=$((checks + 1))
grep -qE "pairs|brute force" out pages/brain.html && fail "a scene of one body has columns of pairs"
holds '1 body of 29966 vertices'

expect 0 "" scene fish --vertices 200 --nodes 40 --frames 1 --out pages
holds '24 bodies of 200 vertices'
holds '1 frames compared with brute force, 0 differences'

expect 0 "" scene twist --out pages
holds 'dual quaternion'
checks=$((checks + 1))
[ "$(grep -c 'data:image/png' pages/twist.html)" -eq 9 ] || fail "the page lacks pictures"

# Chairs need vibration modes.
if "$snug" scene chairs --bodies 2 --frames 1 --out pages >out 2>err; then
	expect 0 "" scene chairs --bodies 8 --frames 12 --out pages
	holds '8 bodies, 5 steps per frame'
	holds 'the world is at step 60'
	checks=$((checks + 2))
	[ "$(grep -c 'data:image/png' pages/chairs.html)" -ge 14 ] || fail "the page lacks pictures"
	expect 0 "" scene chairs --bodies 8 --frames 12 --rigid --out pages
	cp pages/chairs.state whole.state
	expect 0 "" scene chairs --bodies 8 --frames 5 --rigid --out pages
	cp pages/chairs.state part.state
	expect 0 "" scene chairs --bodies 8 --frames 7 --rigid --out pages --resume part.state
	cmp -s whole.state pages/chairs.state || fail "going on from a state gives another one"
	expect 1 'the world has 8 bodies, not 9' scene chairs --bodies 9 --frames 1 --out pages --resume whole.state
fi

expect 1 "there is no scene 'nothing'" scene nothing
expect 1 '--vertices must be' scene ring --vertices 5 --out pages
expect 1 '--nodes must be' scene ring --nodes 100000 --out pages
expect 1 '--pull must be' scene brain --pull 4 --out pages
expect 1 'cannot open' scene ring --vertices 300 --nodes 40 --out pages --resume missing.state

# Interrupted, it leaves a state; going on from there begins where it ended.
"$snug" scene ring --vertices 300 --nodes 40 --frames 100000 --out pages >out 2>err &
sleep 3
kill -INT $!
wait $! || fail "an interrupted scene is no failure"
checks=$((checks + 1))
[ -f pages/ring.state ] || fail "no state was left"
expect 0 "" scene ring --vertices 300 --nodes 40 --frames 1 --out pages --resume pages/ring.state
checks=$((checks + 1))
! grep -qE '^ +0 +0\.033 ' out || fail "it began anew"
expect 1 'this is a state of the scene' scene brain --nodes 20 --out pages --resume pages/ring.state
expect 1 'the body has 40 nodes, not 50' scene ring --vertices 300 --nodes 50 --out pages --resume pages/ring.state
head -c 900 pages/ring.state >short.state
expect 1 'body 0: node' scene ring --vertices 300 --nodes 40 --out pages --resume short.state
echo nonsense >bad.state
expect 1 'no state of a scene' scene ring --vertices 300 --nodes 40 --out pages --resume bad.state
finish

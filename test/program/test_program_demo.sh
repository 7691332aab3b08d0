#!/bin/sh
# The demo, shortened: right, and a page that fetches nothing.
# usage: test_program_demo.sh SNUG
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

expect 0 "" demo --frames 30 --out page
holds "verified against brute force, 0 differences"
holds "report: page/demo.html"
checks=$((checks + 1))
grep -q '</html>' page/demo.html || fail "the page is not complete"
grep -qE '(src|href)="(https?:)?//' page/demo.html && fail "the page fetches something"
grep -q 'to find all pairs of a frame' page/demo.html || fail "the page does not say what it costs"
[ "$(wc -c <page/demo.html)" -le 3000000 ] || fail "the page has more than 3 MB"
checks=$((checks + 1))
shown=$(sed 's/.*"frames":\[\(\[.*\]\)\],"bars".*/\1/; t; d' page/demo.html | grep -o '\[' | wc -l)
[ "$shown" -eq 30 ] || fail "the page shows $shown of 30 frames"
expect 0 "" info page/man.glb
holds "kick"
# What the page says is the command gives the same frames.
sed -n '/id="command"/{ s/<[^>]*>//g; s/.*snug \(.*\) --html .*/\1/p; }' page/demo.html >command
checks=$((checks + 1))
# shellcheck disable=SC2046 # several words
expect 0 "" $(cat command) --json
grep -qF "\"frames\":30," out || fail "the command of the page does not repeat it: $(cat command)"
[ ! -e page/demo.html.part ] || fail "a temporary file is left"

finish

#!/bin/sh
# shellcheck disable=SC2154 # snug is set by those who source this
# Functions for the tests of the program, sourced by them. $snug is the program; works in a temporary directory.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
checks=0
: >err

fail()
{
	failures=$((failures + 1))
	echo "FAILED: $*"
	sed 's/^/  stderr: /' err | head -n 5
}

# expect CODE TEXT ARGUMENTS...: the exit code, and a text that stderr must hold ("" for nothing on it at all).
expect()
{
	code=$1
	text=$2
	shift 2
	checks=$((checks + 1))
	"$snug" "$@" >out 2>err
	got=$?
	[ $got -eq "$code" ] || fail "snug $*: exit code $got instead of $code"
	if [ -z "$text" ]; then
		[ ! -s err ] || fail "snug $*: something on stderr"
	else
		grep -qF -- "$text" err || fail "snug $*: stderr does not say '$text'"
		[ "$(wc -l <err)" -eq 1 ] || fail "snug $*: not one line on stderr"
	fi
}

# holds TEXT: the last output holds it.
holds()
{
	checks=$((checks + 1))
	grep -qF -- "$1" out || fail "output does not hold '$1': $(head -c 300 out)"
}

# is_check_json [FRAMES]: one line per frame, brackets and braces balanced, and the keys in the order that is documented.
is_check_json()
{
	checks=$((checks + 1))
	[ "$(wc -l <out)" -eq "${1:-1}" ] || fail "JSON is not one line per frame"
	opened=$(tr -cd '[{' <out | wc -c)
	closed=$(tr -cd ']}' <out | wc -c)
	[ "$opened" -eq "$closed" ] || fail "JSON: $opened brackets opened, $closed closed"
	[ "$(grep -cE '^\{"version":1,"frame":[0-9]+,"time":[0-9]+\.[0-9]+,"bodies":\[.*\],"clips":\[.*\],"first":(true|false),"pairs":\[.*\],"count":[0-9]+\}$' out)" -eq "${1:-1}" ] ||
		fail "JSON has another shape: $(head -c 300 out)"
}

# same_pairs [-n FRAMES] ARGUMENTS...: ours and brute force report the same pairs, in every frame.
same_pairs()
{
	frames=1
	if [ "$1" = -n ]; then
		frames=$2
		shift 2
	fi
	expect 0 "" check --json "$@"
	is_check_json "$frames"
	cp out ours
	expect 0 "" check --json --method brute "$@"
	is_check_json "$frames"
	checks=$((checks + 1))
	cmp -s ours out || fail "check $*: ours and brute force differ"
}

# finish: say how it went.
finish()
{
	echo "$checks checks, $failures failed"
	[ $failures -eq 0 ]
}

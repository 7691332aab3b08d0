#!/bin/sh
# shellcheck disable=SC2154 # snug, make_obj and make_glb are set by those who source this
# Functions for the tests of the program, sourced by them. $snug is the program; works in a temporary directory.
set -u
skip=$(cd "$(dirname "$0")/../support" && pwd)/skip.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
checks=0
lacking=0
: >err

# It reads numbers as the locale writes them, and those here have points. The program must not mind the locale.
awk()
{
	LC_ALL=C command awk "$@"
}

fail()
{
	failures=$((failures + 1))
	echo "FAILED: $*"
	sed 's/^/  stderr: /' err | head -n 5
}

# make_objs NAME..., make_glbs NAME...: generated meshes and animations, by $make_obj and $make_glb
make_objs()
{
	for file; do
		"$make_obj" "$file" "$file.obj" || fail "make_obj $file"
	done
}

make_glbs()
{
	for file; do
		"$make_glb" "$file" "$file.glb" || fail "make_glb $file"
	done
}

# lack WHAT REASON: some checks cannot be made for want of something. The others are; see skip.sh.
lack()
{
	sh "$skip" "$@"
	[ $? -eq 77 ] || failures=$((failures + 1))
	lacking=$((lacking + 1))
}

# await COMMAND...: until it succeeds, for a minute at most
await()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ $tries -gt 3000 ]; then
			fail "waited in vain for: $*"
			return
		fi
		sleep 0.02
	done
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

# is_valid_json: the last output, by another reader's judgement.
is_valid_json()
{
	checks=$((checks + 1))
	if command -v jq >/dev/null; then
		jq -e . out >/dev/null 2>err || fail "invalid JSON: $(head -c 200 out)"
	else
		lack jq "no jq to read JSON with (tools/install-dependencies test-all)"
	fi
}

# list_files ARGUMENTS of check...: a line for each file: what moves it (a clip, a .csv or -), how much later it begins, its
# seconds in a second of the check, and what `snug pose` is told besides. A .csv has 30 frames a second in a pose, and
# --fps of them in a check.
list_files()
{
	printf '%s\n' "$@" | awk '
		function more(name, i) { return (name, i) in own ? " " name " " own[name, i] : "" }
		/^--(clip|offset|place|rotate|scale)$/ { name = $0; getline; own[name, ++count[name]] = $0; next }
		/^--(amplitudes|blending|fps)$/ { name = $0; getline; all[name] = $0; next }
		$0 == "--within" { next }
		/^--/ { getline; next } # the others have a value, and change no pose
		{ file[++files] = $0 }
		END {
			for (i = 1; i <= files; ++i) {
				clip = own["--clip", count["--clip"] == 1 ? 1 : i]
				factor = 1
				if (file[i] ~ /[.]snug$/ && "--amplitudes" in all) {
					clip = all["--amplitudes"]
					factor = ("--fps" in all ? all["--fps"] : 30) / 30
				}
				print (clip == "" ? "-" : clip), own["--offset", i] + 0, factor, file[i] more("--place", i) \
					more("--rotate", i) more("--scale", i) ("--blending" in all ? " --blending " all["--blending"] : "")
			}
		}' | while read -r clip offset factor file rest; do
		# One clip, by name or number, is for those that have it.
		case $clip in
		- | *.csv) ;;
		*[!0-9]*) "$snug" info "$file" | grep -q " s  $clip\$" || clip=- ;;
		*) [ "$("$snug" info "$file" | grep -c ' s  ')" -gt "$clip" ] || clip=- ;;
		esac
		echo "$clip $offset $factor $file $rest"
	done
}

# pose_bodies TIME: of the files that `files` lists, each posed by itself, every body becomes a file: bodies/000.obj and so
# on. `owners` says which file it comes from.
pose_bodies()
{
	rm -rf bodies owners
	mkdir bodies
	posed=0
	owner=0
	while read -r clip offset factor rest; do
		when=$(awk "BEGIN { printf \"%.17g\", ($1 - $offset) * $factor }")
		owner=$((owner + 1))
		case $clip in
		-) ;;
		*.csv) rest="$rest --amplitudes $clip --time $when" ;;
		*) rest="$rest --clip $clip --time $when" ;;
		esac
		# shellcheck disable=SC2086 # several words
		"$snug" pose $rest -o body.obj 2>err || fail "pose $rest"
		posed=$(awk -v n="$posed" -v owner="$owner" '
			/^o/ { close(name); name = sprintf("bodies/%03d.obj", n++); print owner >>"owners"; first = vertices }
			/^v / { print >name; vertices++ }
			/^f / { print "f", $2 - first, $3 - first, $4 - first >name }
			END { print n }' body.obj)
	done <files
}

# list_pairs: of a frame that is read, a line each: bodyA,triangleA,bodyB,triangleB
list_pairs()
{
	sed 's/.*"pairs":\[//; s/\],"count".*//; s/\],\[/\n/g' | tr -d '[]'
}

# same_pairs [-n FRAMES] ARGUMENTS...: brute force finds the same pairs in every frame. And in every third frame they are
# those that it finds between the bodies as files of their own: had both posed them wrongly, that would tell. Where a body
# meets itself is left out there, since it depends on the body's rest.
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
	list_files "$@" >files
	case " $(wc -l <files) $* " in *" --within "* | " 1 "*) within=1 ;; *) within=0 ;; esac
	awk 'NR % 3 == 1' ours >some
	while read -r frame; do
		time=$(echo "$frame" | sed 's/.*"time":\([^,]*\),.*/\1/')
		pose_bodies "$time"
		echo "$frame" | list_pairs | awk -F , '$1 != $3' >found
		"$snug" check --json --method brute bodies/*.obj 2>err | list_pairs | awk -F , -v within=$within '
			BEGIN { while ((getline owner[n++] <"owners") > 0) continue }
			NF == 4 && (within || owner[$1] != owner[$3])' >expected
		checks=$((checks + 1))
		cmp -s found expected || fail "check $*: at $time s other pairs than between the posed bodies"
	done <some
}

# finish: say how it went, and end.
finish()
{
	echo "$checks checks, $failures failed"
	[ $failures -eq 0 ] || exit 1
	[ $lacking -eq 0 ] || exit 77
	exit 0
}

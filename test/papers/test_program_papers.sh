#!/bin/sh
# What docs/papers.md says was counted is what the commands beside it count. Times are no part of this.
# usage: test_program_papers.sh SNUG PAGE quick|slow
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
page=$2
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

# run NAME OPTIONS...: the benchmark's rows, a line each, to `rows`.
run()
{
	checks=$((checks + 1))
	"$snug" bench "$@" --json >out 2>err || fail "bench $* fails"
	tr '{' '\n' <out >rows
}

# value DECIMALS KEY PART...: what the first row that holds all the parts has for KEY, as the page writes it.
value()
{
	decimals=$1
	key=$2
	shift 2
	cp rows found
	for part in "$@"; do
		grep -F -- "$part" found >fewer
		mv fewer found
	done
	sed -n "s/.*\"$key\":\([0-9.e+-]*\).*/\1/p" found | awk -v decimals="$decimals" 'NR == 1 {
		text = sprintf("%." decimals "f", $1)
		point = decimals > 0 ? index(text, ".") - 1 : length(text)
		for (i = point - 3; i > 0; i -= 3) text = substr(text, 1, i) "," substr(text, i + 1)
		print text }'
}

# says TEXT: the page holds it. Line breaks are spaces.
says()
{
	checks=$((checks + 1))
	{ [ -n "$1" ] && tr '\n' ' ' <"$page" | grep -qF -- "$1"; } || fail "docs/papers.md does not say '$1'"
}

# both DECIMALS KEY PART...: of the ring's scenes with few and with many contacts
both()
{
	digits=$1
	what=$2
	shift 2
	echo "$(value "$digits" "$what" '"scene":1,' "$@") | $(value "$digits" "$what" '"scene":5,' "$@")"
}

if [ "$3" = quick ]; then
	run ring
	limited='"method":"the paper: Eq. (12), AABB/AABB"'
	says "| intersecting pairs | $(both 0 pairs "$limited") |"
	says "| images of rest volumes that Eq. (12) is made from | $(both 0 transformsBounded "$limited") |"
	says "made from $(value 0 transformsBounded '"scene":1,' "$limited") images"
	says "| volume tests, bottom-up (optimal boxes) | $(both 0 volumeTests '"method":"the paper: bottom-up"') |"
	says "| volume tests, Eq. (12) AABB/AABB | $(both 0 volumeTests "$limited") |"
	says "| volumes refitted, the same | $(both 0 nodesRefitted "$limited") |"
	says "| vertices evaluated, the same, of 17,142 | $(both 0 verticesEvaluated "$limited") |"
	for volumes in AABB/AABB OBB/14-DOP AABB/14-DOP OBB/18-DOP OBB/26-DOP 14-DOP/14-DOP; do
		says "| $volumes | $(both 0 volumeTests "\"method\":\"the paper: Eq. (12), $volumes\"") |"
	done

	# The curtain is compressed by a solver. What is counted is the same in one pass as in three.
	"$snug" bench curtain --quick --json >out 2>err
	if grep -q 'built without' err; then
		lack solvers "$(sed -n 's/.*snug was //p' err)"
	else
		tr '{' '\n' <out >rows
		sphere='"table":"The ball as one sphere: posing and query, per frame"'
		bd='"method":"the paper: BD spheres"'
		for scene in curtain 'curtain, gentler'; do
			says "| $(value 0 volumeTests "$sphere" "\"scene\":\"$scene\"" "$bd") $(value 0 volumeTests "$sphere" "\"scene\":\"$scene\"" '"method":"layered spheres"') | $(value 0 volumeTests "$sphere" "\"scene\":\"$scene\"" '"method":"ours"') |"
		done
		# saved SCENE: by the temporal update, in percent
		saved()
		{
			awk -v all="$(value 3 nodesRefitted "$sphere" "\"scene\":\"$1\"" "$bd")" \
				-v left="$(value 3 nodesRefitted "$sphere" "\"scene\":\"$1\"" '"method":"the paper: BD spheres, temporal"')" \
				'BEGIN { printf "%.0f", 100 * (1 - left / all) }'
		}
		says "saves $(saved curtain) % of the updates as simulated"
		says "and $(saved 'curtain, gentler') % in the gentler run"
	fi

	run meshless-tightness
	first='"transforms":65,"limitedGreatest"'
	says "root is $(value 2 limitedGreatest "$first") times the optimum at its greatest and $(value 2 limitedMean "$first") in the mean"
	last='"transforms":509,"limitedGreatest"'
	says "$(value 1 spheresOverLimitedGreatest "$first") to $(value 1 termByTermOverLimitedGreatest "$first") times as large as that with 65 nodes, $(value 0 spheresOverLimitedGreatest "$last") to $(value 0 termByTermOverLimitedGreatest "$last") with 509"

	run skin-walk --models nowhere
	# refits BODIES: of the paper's spheres per frame, on demand and all of them
	refits()
	{
		for method in 'on demand' bottom-up; do
			value 0 nodesRefitted "\"bodies\":\"$1\",\"skin\":\"spherical\"" '"query":"full"' "\"method\":\"the paper: spheres, $method\""
		done | paste -s -d '/' | sed "s:/:$2:"
	}
	says "$(refits men ' in the mean frame, of '), and creatures $(refits creatures ' of '):"
	# share LEVEL: of the men's spheres that are refitted, in percent
	share()
	{
		value 0 refittedPercent '"bodies":"men","skin":"spherical","method":"the paper: spheres, on demand"' "\"level\":$1,"
	}
	says "| 19 9 | $(share 5) $(share 6) |"

	"$snug" scene twist --out pages >out 2>err
	says "$(awk '/^linear/ { thin = $2 } /^spherical/ { print "the linear tube is " thin " of its radius, the others " $2 }' out)"
	says "meets the others in $(awk '/^spherical/ { print $NF }' out) pairs of triangles"

	finish
	exit
fi

run brain --full
# mean_and_greatest NODES WHOSE
mean_and_greatest()
{
	echo "$(value 2 "$2Mean" "\"nodes\":$1,\"pullKilonewtons\":160,\"endMoves")/$(value 2 "$2Greatest" "\"nodes\":$1,\"pullKilonewtons\":160,\"endMoves")"
}
says "| $(mean_and_greatest 65 eq12) | $(mean_and_greatest 65 ours) |"
says "| $(mean_and_greatest 509 eq12) | $(mean_and_greatest 509 ours) |"
strong='"nodes":509,"pullKilonewtons":240,"endMoves'
says "| $(value 0 spheresGreatestOverEq12 "$strong"), or $(value 0 termByTermGreatestOverEq12 "$strong") term by term |"

run fish
says "a frame has $(value 0 pairs '"method":"ours"') pairs, and boxes"
run fish --full
says "a frame has $(value 0 pairs '"method":"ours"') pairs, and they"

run skin-tightness --models nowhere
# levels KEY: of the creature, spherical, one after the other
levels()
{
	for level in 1 2 3 4 5 6 7 8 9; do
		value 2 "$1" '"character":"creature","skin":"spherical"' "\"level\":$level,"
	done | paste -s -d ' '
}
says "| $(levels printedSpherical) | $(levels paperOverOptimal) |"

# Modes need solvers.
if "$snug" bench modal --quick --json >out 2>err && tr '{' '\n' <out >rows && grep -q '"body":"chair"' rows; then
	says "our chair: 1 $(for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		value 3 here '"table":"How much BD spheres can grow' '"body":"chair"' "\"level\":$level,"
	done | paste -s -d ' ')"
fi

# Nothing gains energy: from two seconds on nobody pulls the brain, and chairs come to lie.
"$snug" scene brain --vertices 300 --out pages >out 2>err
checks=$((checks + 1))
awk '/^ +[6-8][05] / { rows += 1; gains += rows > 1 && $3 >= last; last = $3 } END { exit !(rows == 6 && gains == 0) }' out ||
	fail "the brain gains energy when nobody pulls it: $(cat out)"
if "$snug" scene chairs --out pages >out 2>err; then
	checks=$((checks + 1))
	awk '/^ +[0-9]+ / { most = $3 > most ? $3 : most; last = $3 } END { exit !(most > 1000 && last < 0.05 * most) }' out ||
		fail "the chairs do not come to lie: $(cat out)"
fi

# Fish arrive on the bridge within half a second, none begins in another, and they come to lie.
if "$snug" scene bridge --out pages >out 2>err; then
	checks=$((checks + 1))
	awk '/^    0 / { apart = $6 == 0 } /^   10 / { apart = apart && $6 == 0 } /^   15 / { arrive = $7 > 0 }
		/^ +[0-9]+ / { most = $3 > most ? $3 : most; last = $3 }
		END { exit !(apart && arrive && most > 1000 && last < 0.05 * most) }' out ||
		fail "the fish do not fall as they should: $(cat out)"
fi

# Pages have at most 5 MB.
for scene in brain ring fish curtain characters twist; do
	"$snug" scene "$scene" --out pages >out 2>err
done
for page in pages/*.html; do
	checks=$((checks + 1))
	[ "$(wc -c <"$page")" -le 5000000 ] || fail "$page has $(wc -c <"$page") bytes"
done

finish

#!/bin/sh
# The benchmarks of deforming bodies, shortened: all methods find the same pairs, or they fail.
# usage: test_program_bench.sh SNUG [all]
# Without `all` those that take seconds.
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

# run NAME OPTIONS...: tables to `err`, one JSON object to `out`, a page to NAME.html.
run()
{
	name=$1
	checks=$((checks + 6))
	"$snug" bench "$@" --quick --json --html "$name.html" >out 2>err || fail "bench $* fails"
	[ "$(wc -l <out)" -eq 1 ] || fail "bench $*: JSON is not one line"
	grep -qE "^\{\"bench\":\"$name\",\"machine\":\{.*\},\"rows\":\[\{.*\}\],\"aims\":\[.*\]\}$" out ||
		fail "bench $*: JSON has another shape: $(head -c 300 out)"
	[ "$(tr -cd '[{' <out | wc -c)" -eq "$(tr -cd ']}' <out | wc -c)" ] || fail "bench $*: brackets do not match"
	grep -qE '[:,]-?(nan|inf)' out && fail "bench $*: a number that JSON does not have"
	if command -v python3 >/dev/null; then
		checks=$((checks + 1))
		python3 -m json.tool out >/dev/null 2>&1 || fail "bench $*: not JSON"
	fi
	grep -q '</html>' "$name.html" || fail "bench $*: the page is not complete"
	# What is measured and who wins comes first, and lines fit a terminal.
	grep -q '<p>Measured: ' "$name.html" || fail "bench $*: the page does not say what is measured"
	awk -v limit=100 '{ gsub(/[\200-\277]/, "") } length > limit { exit 1 }' err || fail "bench $*: a line is longer than 100"
}

# says TEXT: the tables hold it.
says()
{
	checks=$((checks + 1))
	grep -qF -- "$1" err || fail "tables do not hold '$1'"
}

# silent TEXT: the tables do not hold it.
silent()
{
	checks=$((checks + 1))
	if grep -qF -- "$1" err; then fail "tables hold '$1'"; fi
}

run near
holds '{"table":"Contacts of two men, on top of their pairs, least of all frames",'
silent 'must reach'
run self
holds '"aims":[{'
run truth
holds '"family":"touching exactly","asked":50,"ours":"0 / 0","plainTree":"'
holds '{"name":"ours: pairs missed or invented","value":0,"aim":0,"met":true}'

run scaling
holds '{"table":"Growing in vertices, light contact: about 250 pairs","vertices":44892,"nodes":115,'
holds '"contact":"heavy","method":"a plain SIMD tree"'
holds '{"table":"A query on two threads, by the wall, per frame","vertices":44892,'
holds '"name":"3M vertices, light contact: bottom-up / ours","value":null,"aim":500,"atLeast":true,"met":null}'
checks=$((checks + 1))
grep -q '<svg' scaling.html || fail "scaling: no plot"

# Other libraries, those that are there; real characters are not.
run peers --models nowhere
for bodies in 'blobs of 45K' 'blobs of 45K, vertices given'; do
	holds "\"bodies\":\"$bodies\",\"contact\":\"light\",\"query\":\"yes/no\",\"method\":\"ours, with a witness\""
done
holds '"method":"a plain SIMD tree","version":"1","bestMs":'
holds '"pairs":'
says 'mannequiny: absent (--models, SNUG_MODELS)'
grep -q '"method":"Embree, refitted","version":"3' out || says 'not installed (libembree-dev)'
holds '"name":"blobs of 45K, light contact: the fastest peer / ours","value":'

# What must be reached is shown to those who ask, and fails their run: yes/no of walkers is far from a twentieth of
# bottom-up, and cannot be there (docs/benchmarks.md).
run load
holds '"deformer":"meshless, 550 nodes","triangles":89780,'
expect 1 "" bench skin-walk --quick --strict --models nowhere
checks=$((checks + 1))
grep -q 'MISSED .*men, linear: yes/no' out || fail "bench skin-walk --strict does not show what was missed"

expect 2 "there is no benchmark 'rigid'" bench rigid

if [ "${2-}" != all ]; then
	finish
	exit
fi

run crowd
holds '"boxes":"on a floor","count":10000,"pairs":13902,'

run ring
for method in 'bottom-up' 'oracle' 'spatial hash' 'the paper: Eq. (12), AABB/AABB' 'the paper: Eq. (12), OBB/14-DOP'; do
	holds "\"contact\":\"heavy\",\"method\":\"$method\""
done

run fish
holds '"method":"the paper: Eq. (12), AABB/AABB"'

run brain
holds 'ours / Eq. (12), mean, at the root'

# Chairs need vibration modes.
if "$snug" scene chairs --bodies 1 --frames 1 --out pages >out 2>err; then
	run chairs
	holds '"kind":"rigid, redundant updates"'
fi

run curtain
for method in 'ours' 'the paper: BD spheres, temporal' 'layered spheres' 'oracle'; do
	holds "\"scene\":\"curtain\",\"method\":\"$method\",\"bestMicroseconds\":"
done

# Generated characters; real ones are not there.
run skin-tightness --models nowhere
for skin in linear spherical 'dual quaternion'; do
	holds "\"character\":\"creature\",\"skin\":\"$skin\",\"level\":9,"
done
holds '{"table":"The characters","character":"creature","from":"generated; root 2.1 by construction, as theirs","vertices":6682,"triangles":13590,"joints":56,'
holds '"character":"fox","from":"absent: skipped"}'

run skin-walk --models nowhere
for skin in linear spherical 'dual quaternion'; do
	for method in 'ours' 'bottom-up' 'oracle' 'the paper: spheres, on demand' 'the paper: spheres, bottom-up'; do
		holds "\"bodies\":\"men\",\"skin\":\"$skin\",\"morphTargets\":0,\"query\":\"full\",\"contact\":\"light\",\"method\":\"$method\""
		holds "\"bodies\":\"creatures\",\"skin\":\"$skin\",\"morphTargets\":0,\"query\":\"yes/no\",\"contact\":\"heavy\",\"method\":\"$method\""
	done
done
for skin in linear spherical 'dual quaternion'; do
	holds "\"bodies\":\"men\",\"skin\":\"$skin\",\"morphTargets\":6,\"query\":\"full\",\"contact\":\"light\",\"method\":\"ours\""
done
holds '"name":"makehuman, spherical: posing, microseconds","value":null,'

finish

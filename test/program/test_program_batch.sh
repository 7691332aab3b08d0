#!/bin/sh
# Tests of `snug batch`: results are those of `snug check`, the same bytes for any number of shards; bad jobs are recorded;
# shards appear whole or not at all; merging finds what is missing or foreign.
# usage: test_program_batch.sh SNUG MAKE_OBJ MAKE_GLB
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
make_obj=$2
make_glb=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
make_objs blob torus
make_glbs worm skins
"$snug" pack blob.obj -o packed.snug >out 2>err || fail "pack"

# Jobs with models that are shared, scaled, of several clips and ways of blending, packed; warnings; several that are bad.
cat >jobs.jsonl <<'END'
{"id":"plain","check":["blob.obj","torus.obj"]}
{"id":"clip","check":["worm.glb","torus.obj","--clip","bend","--fps","5"]}
{"id":"again","check":["worm.glb","torus.obj","--clip","bend","--fps","5","--place","0,0,0","--place","0.1,0,0"]}

{"id":"missing","check":["worm.glb","nowhere.obj"]}
{"id":"summary","check":["worm.glb","skins.glb","--clip","bend","--fps","5","--summary","--by-joint"]}
{"id":"dual","check":["worm.glb","skins.glb","--clip","bend","--fps","5","--blending","dual-quaternion"]}
{"id":"self","check":["worm.glb","--clip","bend","--fps","5"]}
this is not JSON
{"id":"usage","check":["worm.glb","--frobnicate"]}
{"id":"help","check":["--help"]}
{"id":7,"check":["blob.obj","torus.obj","--first","--fail-on-contact"]}
{"id":"no check"}
{"id":"number","check":["blob.obj",3]}
{"id":"scaled","check":["blob.obj","torus.obj","--scale","1","--scale","0.5"]}
{"id":"warned","check":["blob.obj","torus.obj","--scale","2"]}
{"id":"packed","check":["packed.snug","torus.obj","--distance"]}
{"id":"packed again","check":["packed.snug","torus.obj","packed.snug","--place","0,0,0","--place","0.5,0,0","--place","5,0,0"]}
{"id":"warned again","check":["blob.obj","torus.obj","--scale","2"]}
{"id":"csv","check":["blob.obj","torus.obj","--csv"]}
{"id":"rest","check":["worm.glb","torus.obj"]}
END
count=20
expect 0 "" batch jobs.jsonl -o one
holds "one/shard-1-of-1.jsonl: $count jobs, 7 of them failed"
expect 0 "" batch jobs.jsonl -o one
holds "is there already"
expect 0 "" batch jobs.jsonl --merge one -o one.jsonl
holds "$count jobs of 1 shards, each exactly once"
checks=$((checks + 1))
[ "$(wc -l <one.jsonl)" -eq $((count + 1)) ] || fail "results are not one line per job"
for shard in 3 1 5 2 4; do
	expect 0 "" batch jobs.jsonl --shard $shard/5 -o five --threads 2
done
expect 0 "" batch jobs.jsonl --merge five -o five.jsonl
checks=$((checks + 1))
cmp -s one.jsonl five.jsonl || fail "shards change results: $(diff one.jsonl five.jsonl | head -c 300)"

# The results of a job are those of a process of its own. Each is one line of one.jsonl.
# same_result LINE_OF_JOBS CODE ARGUMENTS...
same_result()
{
	line=$1
	code=$2
	shift 2
	checks=$((checks + 1))
	"$snug" check --json "$@" >out 2>err
	got=$?
	[ $got -eq "$code" ] || fail "check $*: exit code $got"
	printf '"code":%s,"messages":[' "$code" >expected
	sed 's/^snug: //; s/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/' err | paste -sd , | tr -d '\n' >>expected
	printf '],"results":[' >>expected
	[ "$code" -eq 1 ] || [ "$code" -eq 2 ] || paste -sd , out | tr -d '\n' >>expected
	printf ']}\n' >>expected
	grep "^{\"job\":$line," one.jsonl | sed 's/^.*,"code":/"code":/' >found
	cmp -s expected found || fail "job of line $line is not check $*: $(head -c 300 found)"
}
same_result 1 0 blob.obj torus.obj
same_result 2 0 worm.glb torus.obj --clip bend --fps 5
same_result 3 0 worm.glb torus.obj --clip bend --fps 5 --place 0,0,0 --place 0.1,0,0
same_result 5 1 worm.glb nowhere.obj
same_result 6 0 worm.glb skins.glb --clip bend --fps 5 --summary --by-joint
same_result 7 0 worm.glb skins.glb --clip bend --fps 5 --blending dual-quaternion
same_result 8 0 worm.glb --clip bend --fps 5
same_result 10 2 worm.glb --frobnicate
same_result 12 3 blob.obj torus.obj --first --fail-on-contact
same_result 15 0 blob.obj torus.obj --scale 1 --scale 0.5
same_result 16 0 blob.obj torus.obj --scale 2
same_result 17 0 packed.snug torus.obj --distance
same_result 18 0 packed.snug torus.obj packed.snug --place 0,0,0 --place 0.5,0,0 --place 5,0,0
same_result 19 0 blob.obj torus.obj --scale 2
same_result 20 2 blob.obj torus.obj --csv
same_result 21 0 worm.glb torus.obj
cp one.jsonl out
holds '{"job":9,"id":null,"code":1,"messages":["not a JSON object: '
holds '{"job":11,"id":"help","code":1,"messages":["check[0]: a job cannot ask for help"],"results":[]}'
holds '{"job":13,"id":"no check","code":1,"messages":["the job has no array \"check\" with the arguments of snug check"],"results":[]}'
holds '{"job":14,"id":"number","code":1,"messages":["check[1]: must be a string"],"results":[]}'
is_valid_json
checks=$((checks + 1))
[ "$(wc -l <one.jsonl)" -eq $((count + 1)) ] || fail "results are not a line for each job"

# A file that changes while jobs run is read again: the second job writes curves, without triangles, in its place.
cp blob.obj moving.obj
cat >few.jsonl <<'END'
{"check":["moving.obj","torus.obj"]}
{"check":["blob.obj","torus.obj","--contacts","moving.obj"]}
{"check":["moving.obj","torus.obj"]}
END
expect 0 "" batch few.jsonl -o few
checks=$((checks + 2))
sed -n 2p few/shard-1-of-1.jsonl | grep -q '"count":[1-9]' || fail "the first job finds nothing"
sed -n 4p few/shard-1-of-1.jsonl | grep -q '"messages":\["moving.obj: no faces"\]' || fail "a file that has changed is not read again"

# What cannot be merged, and what must not be overwritten.
rm five/shard-4-of-5.jsonl
expect 1 "five/shard-4-of-5.jsonl: cannot open" batch jobs.jsonl --merge five -o all.jsonl
checks=$((checks + 1))
[ ! -e all.jsonl ] || fail "a merge that fails leaves a file"
expect 0 "" batch jobs.jsonl --shard 4/5 -o five
sed -i '3d' five/shard-2-of-5.jsonl
expect 1 "five/shard-2-of-5.jsonl: the job of line" batch jobs.jsonl --merge five -o all.jsonl
rm five/shard-2-of-5.jsonl
expect 0 "" batch jobs.jsonl --shard 2/5 -o five
sed -n 3p five/shard-2-of-5.jsonl >>five/shard-2-of-5.jsonl
expect 1 "has more than its jobs" batch jobs.jsonl --merge five -o all.jsonl
cp one/shard-1-of-1.jsonl five
expect 1 "five: has shards of several numbers of shards" batch jobs.jsonl --merge five -o all.jsonl
expect 1 "few/shard-1-of-1.jsonl: is not a shard of these jobs" batch jobs.jsonl -o few
expect 1 "few/shard-1-of-1.jsonl: is not a shard of these jobs" batch jobs.jsonl --merge few -o all.jsonl
mkdir empty
expect 1 "empty: has no shards" batch jobs.jsonl --merge empty -o all.jsonl
expect 1 "nowhere: cannot be read" batch jobs.jsonl --merge nowhere -o all.jsonl
expect 1 "nowhere.jsonl: cannot open" batch nowhere.jsonl -o empty
expect 2 "batch needs -o" batch jobs.jsonl
expect 2 "--merge or --shard, not both" batch jobs.jsonl --merge one --shard 1/2 -o x
for bad in 0/4 5/4 1 1/0 1/2x -1/2 1/1000000; do
	expect 2 "--shard $bad: must be I/N" batch jobs.jsonl --shard=$bad -o x
done

# Killed in the middle: no shard; run again: the same.
awk 'BEGIN { for (i = 0; i < 150; ++i) printf "{\"id\":\"%d\",\"check\":[\"worm.glb\",\"torus.obj\",\"--clip\",\"bend\",\"--fps\",\"5\",\"--place\",\"%g,0,0\"]}\n", i, i * 0.001 }' >many.jsonl
"$snug" batch many.jsonl -o killed >out 2>err &
pid=$!
await [ -s killed/shard-1-of-1.jsonl.part ]
kill -9 $pid
wait $pid 2>/dev/null
checks=$((checks + 1))
[ ! -e killed/shard-1-of-1.jsonl ] || fail "a killed batch leaves a shard"
expect 0 "" batch many.jsonl -o killed
expect 0 "" batch many.jsonl --merge killed -o killed.jsonl
expect 0 "" batch many.jsonl -o whole
checks=$((checks + 1))
cmp -s killed/shard-1-of-1.jsonl whole/shard-1-of-1.jsonl || fail "a batch that was killed once gives other results"

finish

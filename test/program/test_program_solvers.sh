#!/bin/sh
# Tests of `snug modes` and `snug reduce`: tables, JSON, files that load, errors.
# usage: test_program_solvers.sh SNUG MAKE_OBJ MAKE_GLB
snug=$1
make_obj=$2
make_glb=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

make_objs beam blob torus triangle soup
make_glbs worm parts

# is_between LOW NUMBER HIGH WHAT
is_between()
{
	checks=$((checks + 1))
	awk "BEGIN { exit !($1 <= $2 && $2 <= $3) }" || fail "$4: $2 is not between $1 and $3"
}

# Usage.
expect 2 "modes needs 1 FILE" modes
expect 2 "must end in .snug" modes beam.obj -o beam.txt
expect 2 "'0' is not a value for --count" modes beam.obj --count 0
expect 2 "--scale must be positive" modes beam.obj --scale 0
expect 2 "--fix must be like x<0.5" modes beam.obj --fix 'w<1'
expect 2 "--fix must be like x<0.5" modes beam.obj --fix 'x<1,'
expect 2 "reduce needs at least 1 FILE" reduce
expect 2 "must end in .csv" reduce worm.glb --amplitudes a.txt
expect 2 "--clip is for one file" reduce --clip bend worm.glb worm.glb
expect 1 "none.obj" modes none.obj
expect 1 "none.obj" reduce none.obj
expect 1 "worm.glb: no clip 'jump'" reduce worm.glb --clip jump
expect 1 "too many" reduce worm.glb --clip bend --fps 1e9
expect 1 "parts.glb: no body 'x'" modes parts.glb --instance x

"$snug" modes --count 1 --cells 20 beam.obj >out 2>err
if grep -q "built without" err; then
	expect 1 "beam.obj: snug was built without SuiteSparse and ARPACK" modes beam.obj -o beam.snug
	[ ! -e beam.snug ] || fail "a model was written"
	lack solvers "$(sed 's/.*snug was //' err)"
else
	# A beam of 1 by 0.05 by 0.05 of steel: theory gives 265.8 Hz, twice, less 0.8 % for shear.
	expect 0 "" modes --json --count 3 --cells 500 beam.obj -o beam.snug
	is_valid_json
	holds '"vertices":176,"triangles":164,"parts":1,"solidParts":1'
	holds '"joiningCells":0'
	first=$(sed 's/.*"frequencies":\[\([0-9.]*\),.*/\1/' out)
	is_between 260 "$first" 267 "first frequency of the beam"
	expect 0 "" info --json beam.snug
	holds '"deformer":"fields"'
	holds '"vertices":176,"triangles":164'
	expect 0 "" check --json beam.snug blob.obj
	expect 0 "" modes --count 3 --cells 500 --self --threads 1 beam.obj -o certified.snug
	expect 0 "" modes --count 3 --cells 500 --self --threads 3 beam.obj -o together.snug
	checks=$((checks + 1))
	cmp -s certified.snug together.snug || fail "threads make another model"
	expect 0 "" info --json certified.snug
	holds '"certificateBytes":'
	expect 0 "" check --json --self certified.snug
	# The same again: not a bit differs. In centimetres: a hundred times the frequency.
	expect 0 "" modes --json --count 3 --cells 500 beam.obj -o again.snug
	checks=$((checks + 1))
	cmp -s beam.snug again.snug || fail "a second run writes another model"
	expect 0 "" modes --json --count 1 --cells 500 --scale 0.01 beam.obj
	is_between 26000 "$(sed 's/.*"frequencies":\[\([0-9.]*\).*/\1/' out)" 26700 "first frequency of the small beam"
	expect 0 "" modes --count 2 --cells 300 torus.obj
	holds "parts: 1, closed: 1"
	holds "rigid      6 motions, below "
	expect 0 "" modes --count 2 --cells 200 triangle.obj --thickness 0.1
	holds "parts: 1, closed: 0"
	expect 0 "" modes --count 1 --cells 200 parts.glb --instance turned
	expect 0 "" modes --count 2 --cells 200 beam.obj --fix 'x<0.001' -o held.snug
	holds 'held '
	expect 0 "" info held.snug
	holds 'modes of body 0: 2, from '
	expect 0 "" info --json held.snug
	holds '"modes":['
	expect 1 "nothing of the body is where it should be held" modes --count 2 --cells 200 beam.obj --fix 'x<-100'
	expect 1 "soup.obj: " modes soup.obj --cells 100000000
	expect 1 "beam.obj: 400 modes are too many" modes beam.obj --cells 20 --count 400
	expect 1 "beam.obj: Poisson's ratio" modes beam.obj --poisson 0.6
	expect 1 "/none/beam.snug" modes --count 1 --cells 20 beam.obj -o /none/beam.snug
fi

for time in 0 0.25 0.5 0.75 1; do
	expect 0 "" pose worm.glb --clip bend --time $time -o "frame$time.obj"
done
"$snug" reduce frame0.obj >out 2>err
if grep -q "built without" err; then
	expect 1 "frame0.obj: snug was built without LAPACK" reduce frame0.obj frame1.obj
	lack solvers "$(sed 's/.*snug was //' err)"
else
	# The frames of a clip, and the same as files.
	expect 0 "" reduce --json worm.glb --clip bend --fps 4 -o clip.snug --amplitudes clip.csv
	is_valid_json
	holds '"vertices":768,"triangles":1536,"frames":5,"fields":2,"errors":[{"fields":0,"rms":'
	clip=$(sed 's/.*"fields":1,"rms":\([0-9.]*\).*/\1/' out)
	expect 0 "" reduce --json frame0.obj frame0.25.obj frame0.5.obj frame0.75.obj frame1.obj -o files.snug
	files=$(sed 's/.*"fields":1,"rms":\([0-9.]*\).*/\1/' out)
	is_between 0.01 "$files" 1 "error with one field"
	is_between "$files - 0.00001" "$clip" "$files + 0.00001" "the same of a clip and of its frames as files"
	checks=$((checks + 1))
	[ "$(wc -l <clip.csv)" -eq 6 ] && [ "$(head -n 1 clip.csv)" = "frame,x,y,z,qx,qy,qz,qw,a0,a1" ] ||
		fail "amplitudes: $(head -n 1 clip.csv)"
	expect 0 "" info --json clip.snug
	holds '"deformer":"fields"'
	expect 0 "" check --json clip.snug torus.obj
	# What was written moves as the original does: rigid motion apart, then put back.
	expect 0 "" reduce worm.glb --clip bend --remove-motion --count 30 -o run.snug --amplitudes run.csv
	expect 0 "" pose run.snug --amplitudes run.csv --time 0.4 --place 1,2,3 --rotate 0,90,0 -o run.obj
	expect 0 "" pose worm.glb --clip bend --time 0.4 --place 1,2,3 --rotate 0,90,0 -o original.obj
	checks=$((checks + 1))
	paste -d ' ' run.obj original.obj | awk '$1 == "v" { ++n; for (k = 2; k <= 4; ++k) { d = $k - $(k + 4);
		if (d > 1e-5 || d < -1e-5) exit 1 } } END { exit n != 768 }' || fail "a reduced animation moves otherwise"
	expect 0 "" pose run.snug --amplitudes run.csv --time 0.2 -o early.obj
	expect 0 "" pose run.snug --amplitudes run.csv --time 0.6 --offset 0.4 -o late.obj
	checks=$((checks + 1))
	cmp -s early.obj late.obj || fail "an offset of amplitudes is not a shift in time"
	same_pairs -n 31 run.snug --amplitudes run.csv torus.obj
	holds '"count":1'
	same_pairs -n 5 run.snug --amplitudes run.csv --fps 10 --from 0.2 --to 0.6 torus.obj
	expect 1 "run.csv: has " check --amplitudes run.csv clip.snug torus.obj
	expect 1 "none.csv: cannot open" check --amplitudes none.csv run.snug torus.obj
	expect 1 "worm.glb:1: the columns are not" check --amplitudes worm.glb run.snug torus.obj
	head -n 1 run.csv >empty.csv
	expect 1 "empty.csv: holds no frames" check --amplitudes empty.csv run.snug torus.obj
	sed '3s/,[^,]*$/,nan/' run.csv >nan.csv
	expect 1 "nan.csv:3: not " check --amplitudes nan.csv run.snug torus.obj
	sed '4s/,[^,]*$//' run.csv >short.csv
	expect 1 "short.csv:4: not " check --amplitudes short.csv run.snug torus.obj
	sed '5s/,[^,]*$/,3e38/' run.csv >large.csv
	expect 1 "large.csv: frame 3, for run.snug: " check --amplitudes large.csv run.snug torus.obj
	checks=$((checks + 1))
	grep -q '(frame 3, at 0.1 s)' err || fail "bad amplitudes do not say in which frame"
	sed '6s/,[^,]*$/,1e39/' run.csv >larger.csv
	expect 1 "larger.csv:6: not " check --amplitudes larger.csv run.snug torus.obj
	expect 0 "" reduce worm.glb --clip bend --remove-motion --count 1
	holds " RMS error"
	expect 0 "" reduce --json parts.glb --clip bend --instance morphing
	holds '"fields":1'
	expect 1 "torus.obj: has other vertices or triangles than blob.obj" reduce blob.obj torus.obj
	expect 1 "blob.obj: the frames do not differ" reduce blob.obj blob.obj -o blob.snug
	[ ! -e blob.snug ] || fail "a model was written"
fi
finish

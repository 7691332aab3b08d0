#!/bin/sh
# Tests of the program from the outside: exit codes, messages, JSON, equality with brute force, damaged OBJ files.
# usage: test_program.sh SNUG MAKE_OBJ
snug=$1
make_obj=$2
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

make_objs blob torus box cloth soup triangle tetrahedron

# Usage.
expect 0 "" --version
checks=$((checks + 1))
grep -qE '^snug [0-9]+\.[0-9]+\.[0-9]+$' out || fail "--version prints $(cat out)"
expect 0 "" --help
holds "usage: snug COMMAND"
for command in demo bench check info pose pack; do
	expect 0 "" $command --help
	holds "usage: snug $command"
	holds "examples:"
	expect 0 "" help $command
	holds "usage: snug $command"
	expect 2 "unknown option '--nonsense'" $command --nonsense
done
"$snug" >out 2>err
[ $? -eq 2 ] || fail "no command is bad usage"
expect 2 "unknown command 'frobnicate'" frobnicate
expect 2 "check needs at least 1 FILE" check
expect 2 "--json or --csv, not both" check --json --csv blob.obj torus.obj
expect 2 "need --clip" check --fps 10 blob.obj torus.obj
expect 2 "need --clip" check --to 1 blob.obj torus.obj
expect 2 "--fps must be positive" check --clip x --fps 0 blob.obj torus.obj
expect 2 "--to lies before --from" check --clip x --from 2 --to 1 blob.obj torus.obj
expect 2 "'fast' is not a value for --fps" check --clip x --fps fast blob.obj torus.obj
expect 2 "'0' is not a value for --threads" check --threads 0 blob.obj torus.obj
expect 0 "" check --blending spherical blob.obj torus.obj
expect 0 "" pose --blending dual-quaternion blob.obj -o x.obj
expect 2 "--blending" check --blending sideways blob.obj torus.obj
expect 2 "'best' is not a value for --method" check --method best blob.obj torus.obj
expect 2 "pose needs -o" pose blob.obj
expect 2 "--time needs --clip" pose blob.obj --time 1 -o x.obj
expect 2 "pack needs -o" pack blob.obj
expect 2 "info takes at most 1 FILE" info blob.obj torus.obj
expect 2 "demo takes no arguments" demo something
expect 2 "no benchmark 'nonsense'" bench nonsense
expect 2 "--method" check --method magic blob.obj torus.obj
expect 2 "--place needs a value" check blob.obj torus.obj --place
expect 2 "'1,2' is not a value for --place" check blob.obj torus.obj --place 1,2
expect 2 "'1,2,x' is not a value" check blob.obj torus.obj --place=1,2,x
expect 2 "'nan,0,0' is not a value" check blob.obj torus.obj --place nan,0,0
expect 2 "--json takes no value" check blob.obj torus.obj --json=1
expect 2 "more --place than files" check blob.obj torus.obj --place 0,0,0 --place 0,0,0 --place 0,0,0

# Info.
expect 0 "" info blob.obj
holds "vertices   4002"
holds "triangles  8000"
expect 0 "" info --json blob.obj
holds '"vertices":4002,"triangles":8000'

# Pairs: the same as by brute force, for touching, coplanar, flat and random triangles.
same_pairs blob.obj torus.obj
same_pairs blob.obj torus.obj --place 0,0,0 --place 0.3,-0.2,1e-3 --rotate 10,20,30 --rotate 0,90,-45
cp soup.obj soup_too.obj # by one name it would be a slip, of which a line is printed
same_pairs soup.obj soup_too.obj
same_pairs soup.obj cloth.obj blob.obj torus.obj
same_pairs box.obj box.obj --place 0,0,0 --place 1.5,0,0
same_pairs box.obj box.obj --place 0,0,0 --place 0.125,0.25,0
same_pairs cloth.obj cloth.obj --place 0,0,0 --place 0.01,0.02,0
same_pairs tetrahedron.obj triangle.obj --place 0,0,0 --place 0.25,0.25,0.25
same_pairs tetrahedron.obj triangle.obj --place 0,0,0 --place -1,0,0
same_pairs blob.obj torus.obj --place 100,0,0
holds '"pairs":[],"count":0}'

# Contact and exit codes.
expect 0 "" check blob.obj torus.obj
holds "intersecting pairs in"
expect 3 "" check --fail-on-contact blob.obj torus.obj
expect 3 "" check --fail-on-contact --first blob.obj torus.obj
holds "contact: triangle"
expect 3 "" check --fail-on-contact --first --method brute --json blob.obj torus.obj
holds '"count":1}'
is_check_json
expect 3 "" check --fail-on-contact --first --json blob.obj torus.obj
holds '"count":1}'
expect 0 "" check --fail-on-contact --place 9,9,9 blob.obj torus.obj
expect 0 "" check --fail-on-contact --first --place=9,9,9 blob.obj torus.obj
# A quarter turn about z takes the corner (1, 0, 0) to (0, 1, 0): the triangles meet along the y axis.
expect 3 "" check --fail-on-contact triangle.obj triangle.obj --rotate 0,0,0 --rotate 0,0,90
expect 0 "" check --fail-on-contact triangle.obj triangle.obj --place 0,0,0 --place 0,0,1e-30 --rotate 0,0,360

# Names that JSON must escape.
cp blob.obj 'a"b\.obj'
expect 0 "" check --json 'a"b\.obj' torus.obj
holds '["a\"b\\.obj","a\"b\\",8000]'
expect 0 "" check --json -- blob.obj torus.obj

# Index forms, comments, continued lines, a missing last newline: all say the same triangle.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3' >form1.obj
printf '# c\r\nv 0 0 0\r\nv 1 0 0 1.0\r\n\tv  0 1e0 0.0 \r\nvn 0 0 1\r\nvt 0 0\r\nf 1/1/1 2/1/1 3/1/1\r\n' >form2.obj
printf 'f 1//1 \\\n 2//1 3//1 # end\nv 0 0 0\nv +1 0 .0\nv 0. 1 0\n' >form3.obj
printf '\357\273\277v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2/1 -1/1/1\n# a path\\\ng x\n' >form4.obj
for form in 1 2 3 4; do
	expect 0 "" info --json form$form.obj
	holds '"vertices":3,"triangles":1,"lower":[0,0,0],"upper":[1,1,0]'
done
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4 5\n' >polygon.obj
expect 0 "" info --json polygon.obj
holds '"vertices":5,"triangles":3'
{
	cat form1.obj
	printf '\n# '
	head -c 3000000 /dev/zero | tr '\0' 'x'
	printf '\n'
} >long.obj
expect 0 "" info --json long.obj
holds '"triangles":1'
cp form1.obj fan.obj
{
	printf '\nf'
	i=0
	while [ $i -lt 4000 ]; do
		printf ' 1 2 3'
		i=$((i + 1))
	done
	printf '\n'
} >>fan.obj
expect 0 "" info --json fan.obj
holds '"triangles":11999'

# Damaged files: one line that names the file, the line and what is wrong; exit code 1.
damaged()
{
	text=$1
	expect 1 "$text" info bad.obj
	expect 1 "$text" check bad.obj blob.obj
}
rm -f missing.obj
expect 1 "missing.obj: cannot open" info missing.obj
expect 1 "missing.obj: cannot open" check blob.obj missing.obj
mkdir directory.obj
expect 1 "directory.obj: cannot read" info directory.obj
: >bad.obj
damaged "bad.obj: no vertices and no faces"
printf 'v 0 0 0\n' >bad.obj
damaged "bad.obj: no faces"
printf 'v 0 0 0\nv 1 0\n' >bad.obj
damaged "bad.obj:2: a vertex needs three numbers, this one has 2"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 zero\nf 1 2 3\n' >bad.obj
damaged "bad.obj:3: 'zero' is not a finite number"
for number in nan inf -inf 1e39 0x1p3 1,5 1e 1..2 --1 NaN; do
	printf 'v 0 0 %s\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' "$number" >bad.obj
	damaged "bad.obj:1: '$number' is not a finite number"
done
printf 'v 0 0 1e37\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >bad.obj
damaged "bad.obj: "
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n' >bad.obj
damaged "bad.obj:4: vertex number 4 is out of range"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n' >bad.obj
damaged "bad.obj:4: vertex number '0' is out of range"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2\n' >bad.obj
damaged "bad.obj:4: vertex number '-4' is out of range"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n' >bad.obj
damaged "bad.obj:4: vertex number '99999999999999999999' is out of range"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n' >bad.obj
damaged "bad.obj:4: a face needs three corners, this one has 2"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf\n' >bad.obj
damaged "bad.obj:4: a face needs three corners, this one has 0"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf a b c\n' >bad.obj
damaged "bad.obj:4: 'a' is not a vertex number"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/2/3/4 2 3\n' >bad.obj
damaged "bad.obj:4: '1/2/3/4' is not a vertex number"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 \\' >bad.obj
damaged "bad.obj:4: '\\' is not a vertex number"
{
	printf 'v 0 0 '
	head -c 100000 /dev/zero | tr '\0' '1'
	printf '\nf 1 1 1\n'
} >bad.obj
damaged "bad.obj:1: '11111111111111111111111111111111"
head -c 5000 blob.obj >bad.obj
damaged "bad.obj"
head -c 100000 /dev/urandom >bad.obj 2>/dev/null && damaged "bad.obj"

# Too far away for float32: one line too, by either method and for either body.
expect 1 "too far" check blob.obj torus.obj --place 1e300,0,0
expect 1 "too far" check blob.obj torus.obj --place 0,0,0 --place 1e37,0,0
expect 1 "too far" check --method brute blob.obj torus.obj --place 0,0,0 --place 1e37,0,0
expect 1 "too far" check --method brute blob.obj torus.obj --place 1e300,0,0

# Output that cannot be written.
if [ -w /dev/full ]; then
	checks=$((checks + 1))
	"$snug" check --json soup.obj soup.obj >/dev/full 2>err
	[ $? -eq 1 ] || fail "a full disk is not an error"
	grep -q "standard output: cannot write: No space left on device" err || fail "a full disk is not told"
	for command in "pose soup.obj -o /dev/full" "pack soup.obj -o /dev/full" "pose soup.obj -o -"; do
		checks=$((checks + 1))
		# shellcheck disable=SC2086 # several words
		"$snug" $command >/dev/full 2>err
		[ $? -eq 1 ] || fail "snug $command: a full disk is not an error"
		grep -q "cannot write: No space left on device" err || fail "snug $command: a full disk is not told"
	done
fi
expect 0 "" bench skin-tightness --quick --models nowhere
holds "absent: skipped"
checks=$((checks + 1))
grep -qE '^ *(met|MISSED) ' out && fail "an aim on an absent character counts"
echo "not a glTF file" >fox.glb
expect 1 "bench skin-tightness: ./fox.glb:1: JSON" bench skin-tightness --quick --models .
rm fox.glb
expect 1 "nowhere/x.html: cannot write" bench --quick --html nowhere/x.html
expect 1 "nowhere/deeper: cannot make the directory" demo --out nowhere/deeper

finish

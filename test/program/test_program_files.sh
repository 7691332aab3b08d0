#!/bin/sh
# Tests of the program on animated and packed files, all of them generated: clips, every way to move a body, poses that
# read back, threads, damaged files, interrupted writing.
# usage: test_program_files.sh SNUG MAKE_OBJ MAKE_GLB
snug=$1
make_obj=$2
make_glb=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

make_objs blob torus
make_glbs worm skins mirror parts morphs

# Info.
expect 0 "" info worm.glb
holds "vertices   768"
holds "bend"
expect 0 "" info --json parts.glb
is_valid_json
holds '"format":"glTF","vertices":2016,"triangles":4032'
holds '"clips":[{"name":"bend","duration":1.0},{"name":"hold","duration":1.0}]'
holds '{"name":"morphing","vertices":288,"triangles":576,"joints":0,"morphTargets":1,"influences":0,"deformer":"fields"'
expect 0 "" info --json worm.glb
holds '"joints":3,"morphTargets":0,"influences":2,"deformer":"skin","blending":"linear"'
holds '"warnings":[]'

# Clips: frames from..to at fps, both ends included; a file without the clip rests.
expect 0 "" check --json --clip bend worm.glb torus.obj
is_check_json 31
is_valid_json
expect 0 "" check --json --clip 0 --fps 10 worm.glb torus.obj
is_check_json 11
holds '"frame":3,"time":0.3,"bodies":[["worm.glb","worm",1536],["torus.obj","torus",3600]],'
expect 0 "" check --json --clip bend --fps 60 --from 0.5 --to 0.6 worm.glb torus.obj
is_check_json 7
holds '"frame":0,"time":0.5,'
expect 0 "--from 5 lies after the end of the animation at 1 s" check --json --clip bend --from 5 worm.glb torus.obj
is_check_json 1
expect 0 "--to 2 lies after the end" check --json --clip bend --to 2 --fps 5 worm.glb torus.obj
is_check_json 11
expect 0 "" check --clip bend --fps 5 worm.glb torus.obj
holds "6 frames, "
expect 0 "" check --csv --clip bend --fps 5 worm.glb torus.obj
holds "frame,time,count"
checks=$((checks + 1))
[ "$(wc -l <out)" -eq 7 ] || fail "CSV has not one line per frame"
expect 1 "worm.glb: no clip 'jump': worm.glb has 'bend'; torus.obj has none" check --clip jump worm.glb torus.obj
expect 1 "no clip '7'" check --clip 7 worm.glb torus.obj
expect 1 "too many" check --clip bend --fps 1e9 worm.glb torus.obj
expect 1 "parts.glb: no clip 'jump': parts.glb has 'bend', 'hold'" pose parts.glb --clip jump -o x.obj
expect 3 "" check --fail-on-contact --first --clip bend worm.glb torus.obj
expect 0 "" check --fail-on-contact --clip bend worm.glb torus.obj --place 9,0,0

# Ours are the pairs of the posed bodies, for everything that moves a body.
same_pairs worm.glb parts.glb
same_pairs -n 11 --clip bend --fps 10 worm.glb worm.glb --place 0,0,0 --place 0.7,0.1,0.2 --rotate 0,0,0 --rotate 20,70,5
same_pairs -n 11 --clip bend --fps 10 worm.glb parts.glb --place 0.1,0.2,0.3 --rotate 10,20,30
same_pairs -n 11 --clip bend --fps 10 --within worm.glb parts.glb
same_pairs -n 11 --clip hold --fps 10 --within worm.glb parts.glb
same_pairs --within parts.glb
holds '"pairs":[['

# Every skin: with morph targets, by two skins, one of whose joints scale.
for blending in linear spherical dual-quaternion; do
	same_pairs --within --blending $blending skins.glb
	same_pairs -n 11 --clip bend --fps 10 --within --blending $blending skins.glb worm.glb --place 0.2,0.1,0.3
	grep -q '"count":[1-9]' ours || fail "skins do not touch"
	expect 0 "" pose skins.glb --blending $blending --clip bend --time 0.5 -o $blending.obj
	expect 0 "" info --json --blending $blending skins.glb
	holds "\"morphTargets\":2,\"influences\":2,\"deformer\":\"skin\",\"blending\":\"$blending\""
	expect 0 "" pack skins.glb --blending $blending --instance morphing -o skin.snug
	expect 0 "" info --json skin.snug
	holds "\"joints\":3,\"morphTargets\":2,\"influences\":2,\"deformer\":\"skin\",\"blending\":\"$blending\""
done
checks=$((checks + 2))
cmp -s linear.obj spherical.obj && fail "spherical blending is linear"
cmp -s spherical.obj dual-quaternion.obj && fail "dual quaternions are spherical blending"
# A joint that mirrors has no rotation: linear blending only.
same_pairs -n 11 --clip bend --fps 10 mirror.glb worm.glb
for blending in spherical dual-quaternion; do
	expect 1 "mirror.glb: joint 1: its matrix mirrors" check --blending $blending --clip bend mirror.glb worm.glb
done

# Morph targets without a skin: fields of linear models, whatever moves the node. A node that scales over time makes
# vertices free.
same_pairs --within morphs.glb
same_pairs -n 11 --clip bend --fps 10 --within morphs.glb worm.glb --place 0.1,0.2,0.3 --rotate 10,20,30
expect 0 "" check --json --clip bend --fps 10 --within morphs.glb worm.glb
holds '"pairs":[['
# Packed: fields where the node puts them. At rest with the file's own weights, which are evaluated in double precision
# then: the same places as through amplitudes and frames, but for rounding.
expect 0 "" pose morphs.glb -o rest.obj
for name in resting turned scaled moving pulsing; do
	expect 0 "" pack morphs.glb --instance $name -o packed.snug --self --threads 2
	expect 0 "" info --json packed.snug
	holds '"morphTargets":3'
	holds '"deformer":"fields"'
	expect 0 "" pose packed.snug -o packed.obj
	awk -v name=$name '$1 == "o" { on = ($2 == name) } on && $1 == "v"' rest.obj >rest-vertices
	checks=$((checks + 1))
	[ "$(wc -l <rest-vertices)" -eq 288 ] || fail "no vertices of the body '$name'"
	grep '^v' packed.obj | paste -d ' ' - rest-vertices | awk '{ for (k = 2; k <= 4; ++k) { d = $k - $(k + 4);
		if (d > 1e-6 || d < -1e-6) exit 1 } }' || fail "the packed body '$name' rests elsewhere"
done

# Threads: the same bytes.
for threads in 1 2 7; do
	expect 0 "" check --json --within --clip bend --fps 20 --threads $threads worm.glb parts.glb
	cp out threads-$threads
	checks=$((checks + 1))
	cmp -s threads-1 threads-$threads || fail "$threads threads give other output"
done

# Poses read back: pairs of posed files are those of the originals.
place="--place 0.25,0.1,0 --rotate 0,30,60"
# shellcheck disable=SC2086 # several words
expect 0 "" pose worm.glb --clip bend --time 0.5 $place -o a.obj
expect 0 "" pose worm.glb --clip bend --time 0.5 -o b.obj
expect 0 "" check --json a.obj b.obj
sed 's/.*"pairs"/"pairs"/' out >posed
# shellcheck disable=SC2086
expect 0 "" check --json --clip bend --from 0.5 --to 0.5 worm.glb worm.glb $place
sed 's/.*"pairs"/"pairs"/' out >original
checks=$((checks + 1))
cmp -s posed original || fail "posed files have other pairs"
grep -q '"count":[1-9]' original || fail "posed files do not touch"
expect 0 "" pose parts.glb --clip bend --time 0.25 -o parts.obj
checks=$((checks + 1))
[ "$(grep -c '^o ' parts.obj)" -eq 7 ] || fail "not one group per body"
grep -qx 'o scaled once' parts.obj || fail "a group has no name"
expect 0 "" info --json parts.obj
holds '"vertices":2016,"triangles":4032'
expect 0 "" pose parts.obj -o again.obj
checks=$((checks + 1))
grep -v '^o' parts.obj >one
grep '^v' one >vertices
grep '^v' again.obj | cmp -s - vertices || fail "a pose does not read back bit for bit"

# Packed models: at rest as the file has them.
expect 0 "" pack worm.glb -o worm.snug
expect 0 "" info --json worm.snug
holds '"vertices":768,"triangles":1536'
holds '"deformer":"skin","blending":"linear"'
same_pairs worm.snug torus.obj --place 0.3,0,0
same_pairs -n 3 --clip bend --fps 2 worm.snug worm.glb
expect 2 "parts.glb: holds 7 bodies; choose one with --instance: 0 'scaled once', 1 'turned'" pack parts.glb -o p.snug
expect 1 "parts.glb: no body 'x'; there are: 0 'scaled once'" pack --instance x parts.glb -o p.snug
expect 1 "parts.glb: no body '7'" pack --instance 7 parts.glb -o p.snug
for instance in "scaled once" 1 mirrored; do
	expect 0 "" pack --instance "$instance" parts.glb -o p.snug
	expect 0 "" check p.snug parts.glb
	holds "intersecting pairs"
done
expect 0 "" pose p.snug -o p.obj
expect 0 "" pack p.snug -o q.snug
checks=$((checks + 1))
cmp -s p.snug q.snug || fail "packing a packed model changes it"
expect 0 "" pack torus.obj -o torus.snug
expect 0 "" check --json torus.obj blob.obj
sed 's/.*"pairs"/"pairs"/' out >original
expect 0 "" check --json torus.snug blob.obj
sed 's/.*"pairs"/"pairs"/' out >packed
checks=$((checks + 1))
cmp -s original packed || fail "a packed model has other pairs"
head -c 1000 worm.snug >bad.snug
expect 1 "bad.snug: " info bad.snug
expect 1 "bad.snug: " check bad.snug torus.obj
printf x >bad.snug
expect 1 "bad.snug: " pose bad.snug -o x.obj
: >bad.snug
expect 1 "bad.snug: " check bad.snug torus.obj
expect 1 "missing.snug: " info missing.snug
expect 1 "nowhere/m.snug: cannot write" pack worm.glb -o nowhere/m.snug
# Outputs are what their names say, never the input, and neither links nor devices are replaced.
expect 2 "worm.glb: the name of what is written must end in .snug" pack worm.glb -o worm.glb
expect 2 "worm.snug: is the input" pack worm.snug -o worm.snug
echo hello >notes.txt
expect 1 "known are .gltf, .glb, .fbx, .obj, .ply, .stl and .off, and .snug" info notes.txt
expect 2 "t.stl: the name of what is written must end in one of .obj .ply .glb" pose torus.obj -o t.stl
expect 2 "torus.obj: is the input" pose torus.obj -o torus.obj
ln -s linked.obj link.obj
: >linked.obj
expect 0 "" pose torus.obj -o link.obj
checks=$((checks + 1))
{ [ -h link.obj ] && [ -s linked.obj ]; } || fail "a link was replaced instead of followed"
mkfifo pipe.obj
cat pipe.obj >from_pipe &
expect 0 "" pose torus.obj -o pipe.obj
wait
checks=$((checks + 1))
{ [ -p pipe.obj ] && cmp -s from_pipe linked.obj; } || fail "a pipe was replaced instead of written to"
expect 1 "torus.obj: holds one body only: there is nothing to compare" check --within torus.obj
# "Nothing found" would sound like an answer; what the message says instead must be of use.
expect 1 "torus.obj: holds one body only: --distance is about two" check --distance torus.obj
expect 1 "torus.obj: holds one body only: --method brute is about two" check --method brute torus.obj
expect 1 "worm.glb: holds one body only: --between is about two" check --between --clip bend worm.glb
expect 0 "" check torus.obj
expect 0 "" info worm.snug
holds " skin          linear "
expect 1 "nowhere/o.obj: cannot write" pose worm.glb -o nowhere/o.obj

# Damaged files: one line that names the file, whatever the command; nothing is written.
damaged()
{
	expect 1 "$1:$2" info "$1"
	expect 1 "$1:$2" check torus.obj "$1"
	expect 1 "$1:$2" pose "$1" -o damaged.obj
	expect 1 "$1:$2" pack "$1" -o damaged.snug
	checks=$((checks + 1))
	if [ -e damaged.obj ] || [ -e damaged.snug ]; then
		fail "$1: something was written"
	fi
}
: >empty.glb
damaged empty.glb " the file is empty"
mkdir directory.glb
damaged directory.glb " cannot read: Is a directory"
damaged missing.glb " cannot open"
for bytes in 4 11 12 19 100 1000 20000; do
	head -c $bytes worm.glb >cut$bytes.glb
	damaged cut$bytes.glb " truncated"
done
head -c 100000 /dev/urandom >random.glb
damaged random.glb ""
gltf()
{
	printf '{"asset":{"version":"2.0"}%s}' "$2" >"$1"
}
gltf cyclic.gltf ',"nodes":[{"children":[1]},{"children":[0]}]'
damaged cyclic.gltf " nodes[0]: is its own ancestor"
gltf range.gltf ',"nodes":[{"mesh":3}]'
damaged range.gltf " nodes[0].mesh: 3 is out of range"
gltf huge.gltf ',"accessors":[{"count":4294967295,"componentType":5126,"type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]'
damaged huge.gltf " accessors[0].count: 4294967295 is out of range"
gltf needs.gltf ',"extensionsRequired":["MY_thing"]'
damaged needs.gltf " extensionsRequired[0]: the file needs the extension MY_thing"
printf '{"asset":' >syntax.gltf
damaged syntax.gltf "1: JSON"
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n' >nan.ply
expect 1 "nan.ply:" info nan.ply
sed 's/nan/0/; s/^3 0 1 2/3 0 1 9/' nan.ply >index.ply
expect 1 "index.ply:" check index.ply torus.obj
sed 's/nan/0/' nan.ply >good.ply
same_pairs good.ply torus.obj

# Interrupted while writing: neither the file nor a part of it is left. The reader of the pipe reads one line and no more,
# so that the program waits in the middle of its output.
mkfifo stopped.obj.part
{
	read -r line && echo "$line" >begun
	exec sleep 60
} <stopped.obj.part &
reader=$!
"$snug" pose torus.obj -o stopped.obj >out 2>err &
writer=$!
await [ -s begun ]
kill -TERM $writer
wait $writer
code=$?
kill $reader
wait $reader 2>/dev/null
checks=$((checks + 1))
[ $code -eq 143 ] || fail "an interrupted run exits with $code"
if [ -e stopped.obj.part ] || [ -e stopped.obj ]; then
	fail "an interrupted run leaves something"
fi

# A pipe that nobody writes to.
mkdir page
echo page >page/index.html
mkfifo pipe.glb
expect 1 "pipe.glb: is not a file" view --page page pipe.glb

finish

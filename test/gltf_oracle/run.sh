#!/bin/sh
# Usage: run.sh BUILD_DIR COMPARE_THREE MODELS_DIR
#        run.sh BUILD_DIR COMPARE_THREE --made MAKE_CHARACTER
# Poses the rigged and morphing models with three.js in node and lets COMPARE_THREE compare: all poses, vertex by vertex,
# but for vertices with more than the four influences that three.js reads. `--made`: writes the generated characters,
# and lets the Khronos Group's validator judge them too. Exits with 77, and says why, if something that is needed is not
# there: node, npm, the network for npm, the models.
set -eu
build=$1
compare=$2
models=$3
source=$(dirname "$0")

skip=$(cd "$source/../support" && pwd)/skip.sh
skip()
{
	exec sh "$skip" "$@"
}

command -v node >/dev/null 2>&1 || skip node "no node"
[ "$models" = --made ] || [ -d "$models" ] || skip models "no models in $models (set SNUG_MODELS)"
mkdir -p "$build"
cp "$source/package.json" "$source/scene.mjs" "$source/validate.mjs" "$build"
cd "$build"
if ! [ -d node_modules/three ] || ! [ -d node_modules/gltf-validator ]; then
	command -v npm >/dev/null 2>&1 || skip node "no npm"
	npm install --no-audit --no-fund --silent >npm.log 2>&1 ||
		skip node "npm could not install three.js and gltf-validator (npm.log)"
fi
status=0
if [ "$models" = --made ]; then
	models=$PWD
	for kind in man creature; do
		"$4" $kind $kind.glb
		node validate.mjs $kind.glb || status=1
	done
fi
for model in "$models"/*.glb; do
	[ -e "$model" ] || skip models "no models in $models"
	node scene.mjs "$model" posed.bin
	result=$("$compare" "$model" posed.bin) || status=1
	echo "$(basename "$model"): $result"
	echo "$result" | grep -qE '^(agree|differ: four influences): ([0-9]+) poses, \2 of them vertex by vertex' || status=1
done
exit $status

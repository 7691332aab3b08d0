#!/bin/sh
# Usage: characters.sh BUILD_DIR TEST_IO_THREE MAKE_CHARACTER
# Writes the generated characters, lets the Khronos Group's validator judge them, poses them with three.js in node, and
# lets TEST_IO_THREE compare. Exits with 77, and says why, if node, npm or the network for npm is not there.
set -eu
build=$1
compare=$2
make_character=$3
source=$(dirname "$0")

skip=$(cd "$source/../support" && pwd)/skip.sh
skip()
{
	exec sh "$skip" node "$1"
}

command -v node >/dev/null 2>&1 || skip "no node"
mkdir -p "$build"
cp "$source/package.json" "$source/pose.mjs" "$source/validate.mjs" "$build"
cd "$build"
if ! [ -d node_modules/three ] || ! [ -d node_modules/gltf-validator ]; then
	command -v npm >/dev/null 2>&1 || skip "no npm"
	npm install --no-audit --no-fund --silent >npm.log 2>&1 || skip "npm could not install three.js and gltf-validator (npm.log)"
fi
status=0
for kind in man creature; do
	"$make_character" $kind $kind.glb
	node validate.mjs $kind.glb || status=1
	node pose.mjs $kind.glb posed.bin
	"$compare" $kind.glb posed.bin || status=1
done
exit $status

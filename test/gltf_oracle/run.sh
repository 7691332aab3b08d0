#!/bin/sh
# Usage: run.sh BUILD_DIR TEST_IO_THREE MODELS_DIR
# Poses the rigged and morphing models with three.js in node and lets TEST_IO_THREE compare. Exits with 77, and says
# why, if something that is needed is not there: node, npm, the network for npm, the models.
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
[ -d "$models" ] || skip models "no models in $models (set SNUG_MODELS)"
mkdir -p "$build"
cp "$source/package.json" "$source/pose.mjs" "$build"
cd "$build"
if ! [ -d node_modules/three ]; then
	command -v npm >/dev/null 2>&1 || skip node "no npm"
	npm install --no-audit --no-fund --silent >npm.log 2>&1 || skip node "npm could not install three.js (npm.log)"
fi
status=0
for model in "$models"/*.glb; do
	[ -e "$model" ] || skip models "no models in $models"
	node pose.mjs "$model" posed.bin
	"$compare" "$model" posed.bin || status=1
done
exit $status

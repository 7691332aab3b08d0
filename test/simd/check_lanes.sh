#!/bin/sh
# Usage: check_lanes.sh SOURCE_DIR
# Triangles that a side keeps are looked at through sgView_Lanes, which checks that they are still there (src/query/view.h).
# So no other file of the queries names a pointer to them. Prints each violation as FILE:LINE.
set -eu
cd "$1"
grep -q 'sgTriangleLanes \*\|sgTriangleLanes\*' src/query/view.h || { echo "nothing is found: the test looks for the wrong name"; exit 1; }
if grep -nE 'sgTriangleLanes( const)? ?\*|(\.|->)lanes->|= [A-Za-z]+\.lanes;' src/query/*.[ch] src/scene/*.[ch] | grep -v '^src/query/view\.[ch]:'; then
	echo "these hold placed triangles that a side may replace: hold an sgKeptLeaf"
	exit 1
fi

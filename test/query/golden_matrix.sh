#!/bin/sh
# Usage: test/query/golden_matrix.sh SOURCE_DIR [COMPILER...]
# The golden scenes, built as everything is built, with each compiler (gcc and clang) at each optimisation level, and run
# on each instruction set: pairs, vertices and model files must be the same bits everywhere. A compiler that is missing is
# skipped; SNUG_REQUIRE=clang makes that a failure. COMPILER_LEVELS chooses other levels than "-O0 -O1 -O2 -O3".
set -eu
root=$1
shift
compilers=${*:-gcc clang}
levels=${COMPILER_LEVELS:--O0 -O1 -O2 -O3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
missing=
for compiler in $compilers; do
	command -v "$compiler" >/dev/null || { missing=$compiler; continue; }
	for level in $levels; do
		build=$work/$compiler$level
		cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" \
			-DCMAKE_C_FLAGS_RELEASE="$level -DNDEBUG" -DSNUG_BUILD_TESTS=ON -DSNUG_BUILD_PROGRAM=OFF -DSNUG_INSTALL=OFF >"$work/log"
		cmake --build "$build" --parallel "$(nproc)" --target test_golden >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
		if ctest --test-dir "$build" --no-tests=error --output-on-failure --tests-regex '^test_golden' >"$work/log"; then
			echo "$compiler $level: $(grep -c ' Passed ' "$work/log") instruction sets, the same bits"
		else
			echo "$compiler $level: FAILED"
			cat "$work/log"
			status=1
		fi
		rm -rf "$build"
	done
done
[ -z "$missing" ] || [ "$status" -ne 0 ] || exec sh "$root/test/support/skip.sh" clang "no $missing"
exit $status

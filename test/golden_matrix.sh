#!/bin/sh
# Usage: test/golden_matrix.sh PROJECT_DIR [COMPILER...]
# The golden scenes, built as the project builds them, with each compiler (gcc and clang) at each optimisation level, and
# run on each instruction set: pairs and vertices must be the same bits everywhere. Exits with 77 if there is no compiler.
# COMPILER_LEVELS chooses other levels than "-O0 -O1 -O2 -O3".
set -eu
root=$1
shift
compilers=${*:-gcc clang}
levels=${COMPILER_LEVELS:--O0 -O1 -O2 -O3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ran=0
failed=0
for compiler in $compilers; do
	if ! command -v "$compiler" >/dev/null; then
		echo "skipped: no $compiler"
		continue
	fi
	for level in $levels; do
		build=$work/$compiler$level
		if ! cmake -S "$root" -B "$build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
			-DCMAKE_C_FLAGS="$level" -DSNUG_BUILD_TESTS=ON -DSNUG_BUILD_PROGRAM=OFF -DSNUG_INSTALL=OFF >"$work/log" 2>&1 ||
			! cmake --build "$build" --parallel "$(nproc)" --target test_golden >"$work/log" 2>&1; then
			cat "$work/log"
			exit 1
		fi
		for set in $(sed -n 's/^SNUG_INSTRUCTION_SETS:INTERNAL=//p' "$build/CMakeCache.txt" | tr ';' ' '); do
			ran=$((ran + 1))
			if SNUG_ISA=$set "$build/bin/test_golden" >"$work/log" 2>&1; then
				echo "same bits: $compiler $level, $set"
			else
				failed=$((failed + 1))
				echo "OTHER BITS: $compiler $level, $set"
				cat "$work/log"
			fi
		done
	done
done
echo "$ran combinations, $failed differ"
[ $ran -gt 0 ] || exit 77
[ $failed -eq 0 ]

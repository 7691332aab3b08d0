#!/bin/sh
# Usage: test/golden_matrix.sh PROJECT_DIR [COMPILER...]
# The golden scenes, compiled with each compiler (gcc and clang) at each optimisation level and run on each instruction
# set: pairs and vertices must be the same bits everywhere. Needs cmocka. Exits with 77 if no compiler works.
# COMPILER_LEVELS chooses other levels than "-O0 -O1 -O2 -O3".
set -eu
root=$1
shift
compilers=${*:-gcc clang}
levels=${COMPILER_LEVELS:--O0 -O1 -O2 -O3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

core=$(find "$root/src" -name '*.c' ! -name '*kernels.c')
others="$root/test/test_golden.c $root/test/support.c $root/baselines/brute.c $root/scenes/*.c"
common="-std=c17 -ffp-contract=off -fno-math-errno -I$root/include -I$root/src -I$root"

# definitions ISA HAVE_X86: every definition that src/CMakeLists.txt makes
definitions()
{
	printf -- '-DSNUG_HAVE_X86_KERNELS=%s' "$2"
	for each in scalar sse2 avx2 avx512; do
		printf -- ' -DSNUG_ISA_%s=%s' "$(echo $each | tr a-z A-Z)" "$([ $each = "$1" ] && echo 1 || echo 0)"
	done
}

flags_scalar=
flags_sse2=-msse2
flags_avx2="-mavx2 -mfma"
flags_avx512="-mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma"
case $(uname -m) in
x86_64 | amd64)
	sets="scalar sse2 avx2 avx512"
	x86=1
	;;
*)
	sets=scalar
	x86=0
	;;
esac

ran=0
failed=0
for compiler in $compilers; do
	if ! command -v "$compiler" >/dev/null; then
		echo "skipped: no $compiler"
		continue
	fi
	for level in $levels; do
		kernels=
		for set in $sets; do
			eval "flags=\$flags_$set"
			for source in $(find "$root/src" -name '*kernels.c'); do
				object=$work/$compiler$level-$set-$(basename "$source" .c).o
				# shellcheck disable=SC2046,SC2086
				"$compiler" $common $level $flags $(definitions $set $x86) -DSNUG_KERNELS=$set \
					-c "$source" -o "$object"
				kernels="$kernels $object"
			done
		done
		program=$work/$compiler$level
		# shellcheck disable=SC2046,SC2086
		"$compiler" $common $level $(definitions scalar $x86) $core $others $kernels -lcmocka -lm -o "$program"
		for set in $sets; do
			ran=$((ran + 1))
			if SNUG_ISA=$set "$program" >"$work/log" 2>&1; then
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

#!/bin/sh
# Usage: check_install.sh SOURCE_DIR BUILD_DIR CMAKE COMPILER
# Installs to a temporary place, then builds and runs examples/minimal.c as a user would: through find_package and
# through pkg-config, static and shared.
set -eu
source=$1
build=$2
cmake=$3
compiler=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH || true

DESTDIR="$work/staging" "$cmake" --install "$build" --prefix /opt/snug >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
# Moved after installation: neither package may remember where it was installed.
mv "$work/staging/opt/snug" "$work/prefix"
libdir=$(dirname "$(find "$work/prefix" -name libsnug.a)")

expected='triangle 2 of a meets triangle 0 of b
triangle 2 of a meets triangle 1 of b
triangle 2 of a meets triangle 3 of b'

# expect NAME PROGRAM
expect()
{
	output=$("$2") || { echo "$1: failed with $?"; exit 1; }
	if [ "$output" != "$expected" ]; then
		echo "$1 printed:"
		echo "$output"
		exit 1
	fi
	echo "$1: right"
}

# uses_shared PROGRAM
uses_shared()
{
	LC_ALL=C readelf -d "$1" | grep -q 'NEEDED.*libsnug'
}

mkdir "$work/consumer"
cp "$source/examples/minimal.c" "$work/consumer/"
cat >"$work/consumer/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.22)
project(consumer C)
find_package(snug 0.3 REQUIRED)
add_executable(minimal minimal.c)
target_link_libraries(minimal PRIVATE snug::snug)
EOF
for shared in OFF ON; do
	"$cmake" -S "$work/consumer" -B "$work/consumer-$shared" -DCMAKE_C_COMPILER="$compiler" \
		-DCMAKE_PREFIX_PATH="$work/prefix" -DBUILD_SHARED_LIBS=$shared >"$work/log" 2>&1 &&
		"$cmake" --build "$work/consumer-$shared" >>"$work/log" 2>&1 || {
		cat "$work/log"
		exit 1
	}
	expect "find_package, BUILD_SHARED_LIBS=$shared" "$work/consumer-$shared/minimal"
done
uses_shared "$work/consumer-ON/minimal" || { echo "BUILD_SHARED_LIBS=ON linked the static library"; exit 1; }
if uses_shared "$work/consumer-OFF/minimal"; then
	echo "BUILD_SHARED_LIBS=OFF linked the shared library"
	exit 1
fi

if ! command -v pkg-config >/dev/null; then
	exec sh "$source/test/support/skip.sh" packaging "find_package works, but there is no pkg-config to try the other way with"
fi
export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046 # the flags are several words
"$compiler" -std=c17 "$source/examples/minimal.c" -o "$work/shared" $(pkg-config --cflags --libs snug) \
	-Wl,-rpath,"$libdir"
uses_shared "$work/shared" || { echo "pkg-config linked the static library"; exit 1; }
expect "pkg-config, shared" "$work/shared"
# shellcheck disable=SC2046
"$compiler" -std=c17 -static "$source/examples/minimal.c" -o "$work/static" $(pkg-config --cflags --static --libs snug)
expect "pkg-config, static" "$work/static"

# The readers of files: examples/skinned.c with a file that a test makes, the same both ways.
make_glb=$(find "$build" -name snug_make_glb -type f -perm -u+x | head -1)
if [ -e "$libdir/libsnugio.a" ] && [ -n "$make_glb" ]; then
	(cd "$work" && "$make_glb" worm worm.glb)
	# shellcheck disable=SC2046
	"$compiler" -std=c17 "$source/examples/skinned.c" -o "$work/skinned" $(pkg-config --cflags --libs snug snugio) \
		-Wl,-rpath,"$libdir"
	"$work/skinned" "$work/worm.glb" >"$work/shared.txt"
	grep -q 'at 0.500 s: [1-9][0-9]* pairs' "$work/shared.txt" || { echo "snugio by pkg-config: no pairs"; exit 1; }
	mkdir "$work/reader"
	cp "$source/examples/skinned.c" "$work/reader/"
	cat >"$work/reader/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.22)
project(reader C)
find_package(snug 0.3 REQUIRED COMPONENTS io)
add_executable(skinned skinned.c)
target_link_libraries(skinned PRIVATE snug::io snug::snug)
EOF
	for shared in OFF ON; do
		"$cmake" -S "$work/reader" -B "$work/reader-$shared" -DCMAKE_C_COMPILER="$compiler" \
			-DCMAKE_PREFIX_PATH="$work/prefix" -DBUILD_SHARED_LIBS=$shared >"$work/log" 2>&1 &&
			"$cmake" --build "$work/reader-$shared" >>"$work/log" 2>&1 || {
			cat "$work/log"
			exit 1
		}
		"$work/reader-$shared/skinned" "$work/worm.glb" | cmp - "$work/shared.txt" || {
			echo "snugio by find_package, BUILD_SHARED_LIBS=$shared: other pairs"
			exit 1
		}
	done
	echo "snugio: right"
fi

if [ -x "$work/prefix/bin/snug" ]; then
	"$work/prefix/bin/snug" --version >/dev/null || { echo "the installed program does not run"; exit 1; }
	grep -q '^.TH SNUG 1' "$work/prefix/share/man/man1/snug.1" || { echo "no man page is installed"; exit 1; }
	echo "program and man page: right"
fi

#!/bin/sh
# Usage: check_deb.sh SOURCE_DIR CMAKE COMPILER [DEBS]
# Builds the Debian packages, unless there are some in the directory DEBS, installs them with dpkg into a root of their own, runs the program from there, and builds
# and runs examples/minimal.c against them through find_package and pkg-config. Needs root, for dpkg.
set -eu
source=$1
cmake=$2
compiler=$3
for command in dpkg-buildpackage dh dpkg fakeroot pkg-config; do
	command -v $command >/dev/null || exec sh "$source/test/support/skip.sh" packaging "no $command (tools/install-dependencies deb)"
done
[ "$(id -u)" -eq 0 ] || exec sh "$source/test/support/skip.sh" packaging "dpkg installs as root only"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH || true

debs=${4:-$work/debs}
[ $# -eq 4 ] || "$source/tools/make-deb" "$debs"
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
# What the packages depend on is outside of this root, hence the force.
dpkg --root="$root" --force-depends --force-script-chrootless --install "$debs"/*.deb >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
packages="libsnug0.3 libsnug-dev libsnugio0.3 libsnugio-dev snug"
for package in $packages; do
	dpkg --root="$root" --status $package | grep -q '^Status: .* installed$' || { echo "$package: not installed"; exit 1; }
done
if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error "$debs"/*.deb || { echo "lintian finds errors"; exit 1; }
fi

[ -e "$root/usr/share/man/man1/snug.1.gz" ] || { echo "no man page"; exit 1; }
cd "$work"
"$root/usr/bin/snug" --version
"$root/usr/bin/snug" demo --frames 6 --out page >demo.txt
grep -q "report: page/demo.html" demo.txt || { echo "the installed program does not work"; exit 1; }

expected='triangle 2 of a meets triangle 0 of b
triangle 2 of a meets triangle 1 of b
triangle 2 of a meets triangle 3 of b'
libdir=$(dirname "$(find "$root/usr" -name libsnug.a)")
export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046 # the flags are several words
"$compiler" -std=c17 "$root/usr/share/doc/libsnug-dev/examples/minimal.c" -o by-pkg-config \
	$(pkg-config --cflags --libs snug) -Wl,-rpath,"$libdir"
[ "$(./by-pkg-config)" = "$expected" ] || { echo "pkg-config: the consumer prints something else"; exit 1; }
echo "pkg-config: right"

mkdir consumer
cp "$root/usr/share/doc/libsnug-dev/examples/minimal.c" consumer/
cat >consumer/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(consumer C)
find_package(snug 0.3 REQUIRED)
add_executable(minimal minimal.c)
target_link_libraries(minimal PRIVATE snug::snug)
END
"$cmake" -S consumer -B consumer-build -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$root/usr" >log 2>&1 &&
	"$cmake" --build consumer-build >>log 2>&1 || { cat log; exit 1; }
[ "$(consumer-build/minimal)" = "$expected" ] || { echo "find_package: the consumer prints something else"; exit 1; }
echo "find_package: right"

# shellcheck disable=SC2086 # several words
dpkg --root="$root" --force-script-chrootless --remove $packages >log 2>&1 || { cat log; exit 1; }
left=$(find "$root/usr" -type f -o -type l 2>/dev/null || true)
[ -z "$left" ] || { echo "removing leaves: $left"; exit 1; }
echo "removed without a trace"

#!/bin/sh
# Usage: check_exports.sh LIBRARY HEADER...
# The shared library exports every function that the headers declare, and nothing but names in snug.
set -eu
library=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | awk '{ print $NF }' | LC_ALL=C sort >"$work/exported"
# Declarations may span lines; the name is the last word before the first parenthesis.
cat "$@" | grep -v '^#' | tr '\n\t' '  ' | grep -oE 'SNUG_API [A-Za-z0-9_ *]+\(' |
	sed -E 's/.*[ *]([A-Za-z0-9_]+)\($/\1/' | LC_ALL=C sort >"$work/declared"

status=0
if ! [ -s "$work/declared" ]; then
	echo "no SNUG_API declarations found in $*"
	status=1
fi
missing=$(LC_ALL=C comm -13 "$work/exported" "$work/declared")
if [ -n "$missing" ]; then
	echo "declared but not exported: $missing"
	status=1
fi
extra=$(grep -v '^snug' "$work/exported" || true)
if [ -n "$extra" ]; then
	echo "exported, but does not start with snug: $extra"
	status=1
fi
echo "$(wc -l <"$work/declared") functions declared, $(wc -l <"$work/exported") symbols exported"
exit $status

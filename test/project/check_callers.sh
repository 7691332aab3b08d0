#!/bin/sh
# Usage: check_callers.sh SOURCE_DIR
# Every public function is called by something besides its own tests: the program, Python, the browser, an example, the
# laboratory or a paper; one of libsnug also by libsnugio. What nobody needed while all of this was written, no user has
# shown to need: it goes, or an example shows what it is for. Those listed here have no caller, for the reason given.
set -eu
cd "$1"
alone='
snugAsset_LoadMemory  engines keep files in archives of their own; everything here reads files
'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# declared HEADER...: as check_exports.sh reads them.
declared()
{
	cat "$@" | grep -v '^#' | tr '\n\t' '  ' | grep -oE 'SNUG_API [A-Za-z0-9_ *]+\(' |
		sed -E 's/.*[ *]([A-Za-z0-9_]+)\($/\1/'
}

# called FOLDER...: what follows white space or a bracket in lines that are neither comments nor, since they are not
# indented, definitions.
called()
{
	find "$@" -name '*.[ch]' -o -name '*.cpp' | xargs sed -E 's,//.*,,' | grep -E '^[[:space:]]' |
		grep -oE '\bsnug[A-Za-z0-9_]*\(' | tr -d '(' | LC_ALL=C sort -u
}

callers='program python/core web/core examples lab papers'
# shellcheck disable=SC2086 # several folders
called $callers >"$work/called"
# shellcheck disable=SC2086
called $callers io >"$work/called_core"
declared include/snug/snug_io.h | LC_ALL=C sort >"$work/io"
find include/snug -name '*.h' ! -name snug_io.h | sort >"$work/headers"
# shellcheck disable=SC2046 # one word a header
declared $(cat "$work/headers") | LC_ALL=C sort >"$work/core"
[ -s "$work/io" ] && [ -s "$work/core" ] || { echo "no SNUG_API declarations found"; exit 1; }
{
	LC_ALL=C comm -23 "$work/io" "$work/called"
	LC_ALL=C comm -23 "$work/core" "$work/called_core"
} | LC_ALL=C sort >"$work/uncalled"
echo "$alone" | awk 'NF { print $1 }' | LC_ALL=C sort >"$work/alone"

status=0
for name in $(LC_ALL=C comm -23 "$work/uncalled" "$work/alone"); do
	echo "$name: nothing but tests calls it"
	status=1
done
for name in $(LC_ALL=C comm -13 "$work/uncalled" "$work/alone"); do
	echo "$name: listed in $0 as without a caller, but it has one, or is gone"
	status=1
done
echo "$(cat "$work/io" "$work/core" | wc -l) functions, $(wc -l <"$work/uncalled") without a caller"
exit $status

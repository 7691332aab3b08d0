#!/bin/sh
# Usage: check_abi.sh SOURCE_DIR CC
# Within a minor version programs go on running with the next shared library (docs/stability.md): every function keeps
# its declaration, every member of a struct its type, place and size, every enumerator its value. Compares the headers
# with those of the last release of this minor version, by its tag v0.3.0, v0.3.1 and so on. New names may come, and
# members in the place of reserved ones.
set -eu
cd "$1"
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# names FILE: declarations without comments and preprocessor, one a line; structs and enums whole.
names()
{
	sed -E 's,//.*,,; /^#/d' "$1" | tr '\n\t' '  ' | sed -E 's/extern "C" *\{//g; s/  */ /g' |
		awk 'BEGIN { RS = ";"; ORS = "" }
			{ depth += gsub(/\{/, "{"); depth -= gsub(/\}/, "}"); print $0 (depth > 0 ? ";" : "\n") }'
}

# table DIRECTORY: what a program that was compiled with these headers relies on
table()
{
	for header in "$1"/snug/*.h; do
		names "$header"
	done | sed 's/^ *//' >"$work/names"
	{
		echo '#include <stddef.h>'
		echo '#include <stdio.h>'
		for header in "$1"/snug/*.h; do
			echo "#include <snug/$(basename "$header")>"
		done
		echo 'int main(void) {'
		awk '/^typedef struct [A-Za-z0-9]+ \{/ {
				type = $3
				sub(/^[^{]*\{/, ""); sub(/\}[^}]*$/, "")
				printf "printf(\"%s: %%zu bytes\\n\", sizeof(%s));\n", type, type
				count = split($0, members, ";")
				for (m = 1; m <= count; ++m) {
					text = members[m]
					if (text !~ /[a-z]/ || text ~ /reserved/) continue
					# Several names are parted by commas, and so are the arguments of a pointer to a function.
					list = text
					gsub(/\[[^]]*\]/, "", list)
					if (match(list, /\(\*[A-Za-z0-9]+\)/)) list = substr(list, RSTART + 2, RLENGTH - 3)
					parts = split(list, part, ",")
					for (p = 1; p <= parts; ++p) {
						name = part[p]; sub(/ *$/, "", name); sub(/^.*[ *]/, "", name)
						printf "printf(\"%s.%s at %%zu, %%zu bytes:%s\\n\", offsetof(%s, %s), sizeof(((%s*)0)->%s));\n",
							type, name, text, type, name, type, name
					}
				}
			}
			/^typedef enum / {
				sub(/^[^{]*\{/, ""); sub(/\}[^}]*$/, "")
				count = split($0, members, ",")
				for (m = 1; m <= count; ++m) {
					name = members[m]; sub(/=.*/, "", name); gsub(/ /, "", name)
					if (name != "") printf "printf(\"%s = %%d\\n\", (int)%s);\n", name, name
				}
			}
			/^SNUG_API |^typedef [^{]*\(/ { printf "puts(\"%s\");\n", $0 }' "$work/names"
		echo '}'
	} >"$work/print.c"
	"$cc" -std=c17 -I "$1" "$work/print.c" -o "$work/print" && "$work/print" | LC_ALL=C sort
}

# lost OLD: what a table had and ours, in $work/ours, has not
lost()
{
	LC_ALL=C comm -23 "$1" "$work/ours"
}

table include >"$work/ours"
functions=$(grep -c '^SNUG_API' "$work/ours")
echo "$functions functions, $(grep -c ' bytes$' "$work/ours") structs, $(grep -c ' at ' "$work/ours") members," \
	"$(grep -c ' = ' "$work/ours") enumerators"
[ "$functions" -ge 50 ] || { echo "the headers were not understood"; exit 1; }

# What would break programs is noticed: each of these changes made to a copy, as if it had been the last release.
status=0
while IFS=: read -r header change; do
	rm -rf "$work/other" && mkdir "$work/other" && cp -r include/snug "$work/other/"
	sed -E "$change" "include/snug/$header" >"$work/other/snug/$header"
	table "$work/other" >"$work/changed"
	[ -n "$(lost "$work/changed")" ] || { echo "not noticed: $header: $change"; status=1; }
done <<-'END'
	snug.h:s/^SNUG_API size_t snugBody_GetMemory.*/SNUG_API int snugGone(void);/
	snug.h:s/uint32_t capacity, uint32_t\* count/uint64_t capacity, uint32_t* count/
	snug.h:s/float center\[3\];/float center[4];/
	snug_queries.h:s/float from\[3\];/float from[3], width;/
	snug_base.h:s/snug_badInput, /snug_unknown, snug_badInput, /
END

version=$(awk '/^#define SNUG_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' include/snug/snug.h)
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no history here: not compared with a release"; exit $status; }
release=$(git describe --tags --abbrev=0 --match "v${version%.*}.*" 2>/dev/null || true)
case $release:$version in
:*.0) echo "$version is the first of its minor version: there is no release to compare with" ;;
:*) echo "no tag v${version%.*}.*: which release came before $version?"; status=1 ;;
*)
	git archive "$release" include/snug | tar -x -C "$work"
	table "$work/include" >"$work/released"
	lost "$work/released" >"$work/lost"
	[ ! -s "$work/lost" ] || { echo "in $release, and no more:"; cat "$work/lost"; status=1; }
	echo "compared with $release"
	;;
esac
exit $status

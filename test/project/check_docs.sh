#!/bin/sh
# Usage: check_docs.sh SOURCE_DIR
# The C program of docs/c.md is examples/minimal.c. Every relative link in the documents leads to a file, and to a heading of it.
# Excerpts of C++ and JavaScript are parts of programs that tests run. Every document is in the site's menu. What the
# migration tables name exists: on our side always, on the other side where that library is installed. README and the
# guide stay short enough to be read. Messages of the library name nothing of C. Lengths of our own code in
# docs/dependencies.md are true. CITATION.cff names whom packaging/project.json names.
set -eu
cd "$1"
status=0

# complain TEXT
complain()
{
	echo "$1"
	status=1
}

# slugs DOCUMENT: the anchors of its headings, as GitHub makes them
slugs()
{
	awk '/^ *(```|~~~)/ { fenced = !fenced } !fenced && /^#+ / { sub(/^#+ */, ""); print tolower($0) }' "$1" |
		sed -E 's/[^[:alnum:]_ -]//g; s/ /-/g'
}

program=$(awk '/^```c$/ { inside = 1; text = ""; next }
	/^```/ { if (inside && text ~ /int main/) { printf "%s", text; exit } inside = 0 }
	inside { text = text $0 "\n" }' docs/c.md)
if [ "$program" != "$(cat examples/minimal.c)" ]; then
	complain "docs/c.md: the first C program differs from examples/minimal.c"
fi

version=$(awk '/^#define SNUG_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' include/snug/snug.h)
if ! grep -qF "## $version" CHANGELOG.md; then
	complain "CHANGELOG.md has no entry '## $version'"
fi

# `FILES`, N lines: within a twentieth
wrong=$(grep -oE '`[^`]+`, [0-9,]+ lines' docs/dependencies.md | tr -d '`,' | while read -r files said _; do
	# shellcheck disable=SC2086 # a pattern
	lines=$(cat $files | wc -l)
	difference=$((lines - said))
	[ $((20 * ${difference#-})) -le "$lines" ] || echo "docs/dependencies.md: $files has $lines lines, not $said"
done)
[ -z "$wrong" ] || complain "$wrong"

author=$(sed -n 's/.*"author": "\(.*\)".*/\1/p' packaging/project.json)
grep -qxF "  - name: $author" CITATION.cff || complain "CITATION.cff does not name the author of packaging/project.json"

for document in *.md docs/*.md docs/*/*.md; do
	for link in $(grep -oE '\]\([^) ]+' "$document" | sed 's/^](//'); do
		file=${link%%#*}
		case $link in
		*://* | mailto:*) continue ;;
		\#*) path=$document ;;
		*) path=$(dirname "$document")/$file ;;
		esac
		# Pictures of the site are made with it: docs/site/build.py stops where one is missing.
		case $document:$file in docs/site/*:pictures/* | docs/site/*:strip.png | docs/site/*:kick-report.html) continue ;; esac
		[ -e "$path" ] || { complain "$document: no such file: $link"; continue; }
		case $link in
		*.md\#* | \#*) slugs "$path" | grep -qxF -e "${link#*#}" || complain "$document: no such heading: $link" ;;
		esac
	done
done

# What the library says reaches users of other languages too. Names in files of glTF are such words.
sentences=$(grep -rnoE --include='*.[ch]' '"([^"\\]|\\.)*"' src solvers io | grep -E '".* .*"$' |
	grep -E '\b(snug|sg|io|SNUG_)[A-Z]|->|&&|[^=]==|^(src|solvers).*\b[a-z]+[A-Z][a-z]' || true)
[ -z "$sentences" ] || complain "messages in words of C: $sentences"

for document in docs/*.md docs/bounds/*.md; do
	grep -q " ${document#docs/}\$" docs/site/mkdocs.yml || complain "docs/site/mkdocs.yml: $document is in no menu"
done
for header in include/snug/*.h; do
	grep -q " reference/$(basename "$header" .h).md\$" docs/site/mkdocs.yml || complain "docs/site/mkdocs.yml: $header is in no menu"
done

# The users' path is README and the guide of the site's menu.
guide=$(awk '/^  - Guide:/ { inside = 1; next } /^  - / { inside = 0 } inside { print "docs/" $NF }' docs/site/mkdocs.yml)
# shellcheck disable=SC2086 # a word each
words=$(cat README.md $guide | wc -w)
[ "$(echo "$guide" | wc -l)" -eq 6 ] || complain "docs/site/mkdocs.yml: the guide has not six pages"
[ "$words" -le 12000 ] || complain "README.md and the guide have $words words, more than 12,000"
[ "$(wc -l <README.md)" -le 130 ] || complain "README.md has more than 130 lines"

# excerpts LANGUAGE DOCUMENT SOURCE: every block of this language in DOCUMENT is part of SOURCE.
excerpts()
{
	awk -v language="$1" -v document="$2" 'NR == FNR { source = source $0 "\n"; next }
		$0 == "```" language { inside = 1; text = ""; next }
		/^```/ { if (inside) { ++count; if (!index(source, text)) { print document ": not in the program: " text; bad = 1 } } inside = 0 }
		inside { text = text $0 "\n" }
		END { if (!count) { print document ": no excerpt in " language; bad = 1 } exit bad }' "$3" "$2" || status=1
}
excerpts cpp docs/tutorial.md examples/crowd.cpp
excerpts js docs/tutorial.md web/package/README.md

# Files, commands, tests and public names of the papers' first table exist.
for word in $(awk '/^## / { inside = $0 == "## Where everything is" } inside && /^[|]/' docs/papers.md | grep -oE '`[^`]+`' | tr -d '`' | tr ' ' ':'); do
	case $word in
	*/*) [ -e "$word" ] ;;
	bench:* | scene:*) grep -q "^- ${word#*:} (" docs/lab.md ;;
	test_*) ls test/*/"$word.c" >/dev/null 2>&1 ;;
	program_*) grep -q "NAME ${word%_*}" test/program.cmake ;;
	*) grep -qw "$word" include/snug/*.h ;;
	esac || complain "docs/papers.md: there is no $word"
done

# names SECTION COLUMN: what a column of a migration table has in backticks, a word each
names()
{
	awk -F ' *[|] *' -v section="## $1" -v column="$(($2 + 1))" '/^## / { inside = $0 == section }
		inside && /^[|]/ && !/^[|]-/ { print $column }' docs/migration.md | grep -oE '`[A-Za-z_][A-Za-z0-9_]*`' | tr -d '`' | sort -u
}

# compare SECTION COLUMN DIRECTORY...: they are words of files there
compare()
{
	section=$1 column=$2
	shift 2
	for directory; do
		[ -d "$directory" ] || { echo "not compared: docs/migration.md with $section: no $directory"; return 0; }
	done
	list=$(names "$section" "$column")
	[ -n "$list" ] || complain "docs/migration.md: no names of $section"
	for name in $list; do
		grep -rqwE "$name" "$@" || complain "docs/migration.md: $section has no $name"
	done
}
for section in FCL Embree Bullet; do
	compare $section 2 include/snug
done
compare three-mesh-bvh 2 web/package
include=${SNUG_PEERS_INCLUDE:-/usr/include}
compare FCL 1 "$include/fcl"
compare Embree 1 "$include/embree3"
compare Bullet 1 "$include/bullet"
compare three-mesh-bvh 1 "${SNUG_WEB_MODULES:-build/web/node_modules}/three-mesh-bvh/src"
exit $status

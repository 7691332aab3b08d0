#!/bin/sh
# Usage: check_docs.sh SOURCE_DIR
# The README's C program is examples/minimal.c, and every relative link in the documents leads somewhere.
set -eu
cd "$1"
status=0

program=$(awk '/^```c$/ { inside = 1; text = ""; next }
	/^```/ { if (inside && text ~ /int main/) { printf "%s", text; exit } inside = 0 }
	inside { text = text $0 "\n" }' README.md)
if [ "$program" != "$(cat examples/minimal.c)" ]; then
	echo "README.md: the first C program differs from examples/minimal.c"
	status=1
fi

version=$(awk '/^#define SNUG_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' include/snug/snug.h)
if ! grep -qF "## $version" CHANGELOG.md; then
	echo "CHANGELOG.md has no entry '## $version'"
	status=1
fi

for document in *.md docs/*.md; do
	for link in $(grep -oE '\]\([^)# ]+' "$document" | sed 's/^](//'); do
		case $link in
		*://* | mailto:*) ;;
		*)
			if ! [ -e "$(dirname "$document")/$link" ]; then
				echo "$document: no such file: $link"
				status=1
			fi
			;;
		esac
	done
done
exit $status

#!/bin/sh
# Usage: check_snippets.sh SOURCE_DIR C_COMPILER [CXX_COMPILER]
# Every C snippet of the README and the documents compiles: as C99 and C17, and as C++17 if there is a compiler for it.
# Snippets that are no programs are put into a function that has the names they use.
set -eu
cd "$1"
c=$2
cxx=${3:-}
include=$PWD/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for document in README.md docs/*.md; do
	name=$(basename "$document" .md)
	awk -v stem="$work/$name" '/^```c$/ { file = sprintf("%s.%02d.txt", stem, ++count); next }
		/^```/ { file = "" } file != "" { print >file }' "$document"
done

status=0
count=0
for snippet in "$work"/*.txt; do
	source=${snippet%.txt}.c
	if grep -q 'int main' "$snippet"; then
		cp "$snippet" "$source"
	else
		{
			echo '#include <snug/snug.h>'
			echo 'void Snippet(const float* positions, uint32_t vertexCount, const uint32_t* triangles,'
			echo '    uint32_t triangleCount, uint32_t jointCount, const uint16_t* joints, const float* weights,'
			echo '    const float* matrices, uint32_t fieldCount, const float* displacements, const float* amplitudes,'
			echo '    snugModel* model, snugBody* body, snugBody* other, snugFrame frame);'
			echo 'void Snippet(const float* positions, uint32_t vertexCount, const uint32_t* triangles,'
			echo '    uint32_t triangleCount, uint32_t jointCount, const uint16_t* joints, const float* weights,'
			echo '    const float* matrices, uint32_t fieldCount, const float* displacements, const float* amplitudes,'
			echo '    snugModel* model, snugBody* body, snugBody* other, snugFrame frame)'
			echo '{'
			echo '(void)positions, (void)vertexCount, (void)triangles, (void)triangleCount, (void)jointCount, (void)joints;'
			echo '(void)weights, (void)matrices, (void)fieldCount, (void)displacements, (void)amplitudes, (void)model;'
			echo '(void)body, (void)other, (void)frame;'
			cat "$snippet"
			echo '}'
		} >"$source"
	fi
	count=$((count + 1))
	for standard in c99 c17; do
		"$c" -std=$standard -pedantic -Wall -Wextra -Wno-unused-variable -Wno-unused-but-set-variable -Werror -fsyntax-only -I"$include" "$source" || {
			echo "$(basename "$snippet" .txt) is not $standard"
			status=1
		}
	done
	# In C++ a list that leaves out members is as good as in C, but -Wextra does not know.
	if [ -n "$cxx" ]; then
		"$cxx" -x c++ -std=c++17 -pedantic -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-variable -Wno-unused-but-set-variable -Werror -fsyntax-only \
			-I"$include" "$source" || {
			echo "$(basename "$snippet" .txt) is not C++17"
			status=1
		}
	fi
done
if [ "$count" -lt 3 ]; then
	echo "only $count snippets found"
	status=1
fi
echo "$count snippets"
[ -n "$cxx" ] || [ $status -ne 0 ] || exec sh test/support/skip.sh c++ "no C++ compiler"
exit $status

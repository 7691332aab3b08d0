#!/bin/sh
# Usage: check_includes.sh SOURCE_DIR
# Modules include one another one way. Each line below names a folder and the folders whose headers its files may include
# besides their own; in src/ those are the modules before it. `snug` is the public headers, include/snug. What is not
# listed is free: tests and fuzz targets may include anything. A folder within a module, such as deform/rows, is a module of
# its own; `deform/*` are all of those. Prints each violation as FILE:LINE. Besides: no two files of src have one name, and
# no two types with a prefix, such as sgView, but for the one that each processor has in its own way.
set -eu
cd "$1"
twice=$({
	find src -name '*.[ch]' | sed 's,.*/,,' | sort | uniq -d
	find include src io solvers papers gpu lab program python web test -name '*.[ch]' | sort |
		xargs sed -nE 's/^typedef (struct|enum|union) ([a-z]+[A-Z][A-Za-z0-9]*)$/\2/p' | sort | uniq -d | grep -vx sgFpEnv || true
})
[ -z "$twice" ] || { echo "there twice: $twice"; exit 1; }
rules='
include/snug    snug
src/base        snug
src/simd        snug base
src/geometry    snug base simd
src/tree        snug base simd geometry
src/model       snug base simd geometry tree
src/deform      snug base simd geometry tree model
src/deform/rows    snug base simd geometry tree model deform
src/deform/bounds  snug base simd geometry tree model deform deform/rows
src/deform/fields  snug base simd geometry tree model deform deform/rows
src/deform/skin    snug base simd geometry tree model deform deform/rows deform/bounds deform/fields deform/skin/kernels
src/deform/skin/kernels  snug base simd geometry tree model deform deform/rows deform/bounds deform/fields deform/skin
src/body        snug base simd geometry tree model deform
src/query       snug base simd geometry tree model deform body
src/scene       snug base simd geometry tree model deform body query
io              snug
solvers         snug base geometry
program         snug io solvers geometry
examples        snug io
docs            snug io lab
python          snug io solvers
web             snug base
papers          snug lab solvers program base simd geometry tree model deform deform/* body query scene
gpu             snug gpu kernels base simd geometry tree model deform deform/*
lab             snug io program solvers papers gpu base simd geometry tree model deform deform/* body query scene
'
find include src io solvers papers gpu lab program examples docs python web -name '*.[ch]' -o -name '*.cpp' | sort |
	xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' /dev/null |
	awk -v rules="$rules" '
		BEGIN {
			count = split(rules, lines, "\n")
			for (i = 1; i <= count; ++i) {
				words = split(lines[i], word, " ")
				if (words < 2) continue
				own = word[1]
				sub(/^(src|include)\//, "", own)
				known[word[1]] = 1
				for (w = 2; w <= words; ++w) may[word[1] " " word[w]] = 1
				may[word[1] " " own] = 1
				ours[own] = 1
			}
			ours["test"] = ours["fuzz"] = ours["src"] = ours["include"] = 1
		}
		{
			split($0, place, ":")
			folder = place[1]
			sub(/\/[^\/]*$/, "", folder)
			if (folder !~ /^(src|include)\//) sub(/\/.*/, "", folder)
			text = $0
			sub(/^[^"<]*["<]/, "", text)
			sub(/[">].*/, "", text)
			to = text
			if (!sub(/\/[^\/]*$/, "", to)) next # a header beside it, or of the C library
			any = to
			sub(/\/.*/, "", any)
			if (!(to in ours)) to = any
			any = any "/*"
			++seen
			inQuotes = index($0, "\"") > 0
			if (!(to in ours) && !(to == ".." || inQuotes)) next # a header of another library
			if (!(folder in known)) reason = "no such module is known"
			else if (!((folder " " to) in may || (to ~ /\// && (folder " " any) in may))) reason = "not allowed in " folder
			else next
			printf "%s:%s: includes %s: %s\n", place[1], place[2], text, reason
			++wrong
		}
		END {
			if (seen < 100) { print "only " seen + 0 " includes were found: the test looks in the wrong place"; exit 1 }
			printf "%d includes between folders, %d against the rules\n", seen, wrong
			exit wrong > 0
		}'

#!/bin/sh
# Usage: check_ptx.sh KERNELS.ptx
# What the compiler made of the kernels: every floating-point operation says how it rounds, to nearest but where bounds
# are rounded outwards; shared memory is read as such (clang 19 forgets that of vectors with an index that varies);
# products and sums are fused only in kernels that make bounds; nothing is flushed to zero. Prints how many operations
# in double each kernel has, since GPUs for games do those 64 times slower.
set -eu
awk '
	/^\.visible \.entry/ { name = $3; sub(/\(.*/, "", name); sub(/^sgKernel_/, "", name); ++kernels }
	/^(\.visible )?\.func/ { name = "functions" }
	/^[[:space:]]*(@%p[0-9]+ )?(add|sub|mul|fma|mad|div|rcp|sqrt|rsqrt|ex2|lg2|sin|cos|tanh)\./ {
		operation = $1 ~ /^@/ ? $2 : $1
		isFloat = operation ~ /\.f(32|64|16)/
		all += isFloat
		if (isFloat && operation !~ /\.rn\./) { print name ": does not round to nearest: " operation; ++wrong }
		if (isFloat && operation ~ /ftz|approx|sat/) { print name ": " operation; ++wrong }
		if (isFloat && operation ~ /^(fma|mad)/ && name != "Roots" && name != "Make") { print name ": fused: " operation; ++wrong }
		if (isFloat && operation ~ /f64/) ++doubles[name]
	}
	/^[[:space:]]*cvt\..*\.f(32|64)\.f(32|64)/ && !/cvt\.(rn|rp|rm)\.f32\.f64|cvt\.f64\.f32/ { print name ": conversion: " $1; ++wrong }
	/^[[:space:]]*cvt\.r[pm]\.f32/ && name != "Roots" { print name ": rounds outwards: " $1; ++wrong }
	# Registers that lead to shared memory: what follows from an array of SHARED by additions, wherever those are.
	/^\.visible \.entry/ { count = 0 }
	{ line[++count] = $0 }
	/^}/ {
		split("", shared)
		for (round = 0; round < 6; ++round)
			for (i = 1; i <= count; ++i)
				if (line[i] ~ /^[[:space:]]*(mov|add)\.[a-z]*64/) {
					text = line[i]
					gsub(/[,;]/, " ", text)
					split(text, word, " ")
					if (word[3] ~ /Of_$/ || (word[3] in shared) || (word[4] in shared)) shared[word[2]] = 1
				}
		for (i = 1; i <= count; ++i)
			if (line[i] ~ /^[[:space:]]*(ld|st|atom)\./) {
				from = line[i]
				sub(/^[^[]*\[/, "", from)
				sub(/[]+].*/, "", from)
				if ((from in shared) && line[i] !~ /\.shared\./) { print name ": not read as shared: " line[i]; ++wrong }
			}
		count = 0
	}
	END {
		if (kernels < 11 || all < 300) { print "only " kernels + 0 " kernels and " all + 0 " operations"; exit 1 }
		printf "%d kernels, %d operations, %d wrong; in double:", kernels, all, wrong
		for (name in doubles) printf " %s %d", name, doubles[name]
		printf "\n"
		exit wrong > 0
	}' "$1"

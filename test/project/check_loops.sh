#!/bin/sh
# Usage: check_loops.sh SOURCE_DIR
# No loop goes on while `i < n || i % 8 != 0`. clang from 14 to 19 at least takes i for i % 8 in the body of such a loop
# where the 8 is a power of two (its pass IndVarSimplify merges the two into one counter, with any level from -O1). gcc
# does not.
#	for (unsigned i = 0; i < n || i % 8 != 0; ++i) out[i] = i % 8; // 8, 9, 10 ... after 7
# Rounding n up first, or a second loop, says the same. Prints each violation as FILE:LINE.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A loop's head may go over several lines; braces have lines of their own. What is divided in it is no counter where the
# quotient is what the next turn begins with.
cat >"$work/heads.awk" <<'END'
/(^|[ \t])(for|while) \(/ { head = ""; line = FNR }
line { head = head " " $0 }
line && /\)$|;$/ {
	if (head ~ /\|\|/ && head ~ /[A-Za-z0-9_\])] (%|&) [A-Z0-9(]/ && head !~ /number % 8 == 0 \|\| number == sgWorld_LevelCount/)
	{
		print FILENAME ":" line ":" head
	}
	line = 0
}
END
printf '\tfor (uint32_t i = 0; i < count ||\n\t\ti %% SG_LANES != 0; ++i)\n\t{\n' >"$work/wrong.c"
awk -f "$work/heads.awk" "$work/wrong.c" | grep -q 'wrong.c:1:' || { echo "nothing is found: the test looks for the wrong thing"; exit 1; }
find include src io solvers gpu lab program papers python/core web/core examples test -name '*.[ch]' -exec awk -f "$work/heads.awk" {} + >"$work/found"
if [ -s "$work/found" ]; then
	cat "$work/found"
	echo "clang makes wrong code of these loops: round the count up first"
	exit 1
fi

#!/bin/sh
# Usage: test_tutorial.sh SNUG MAKE_CHARACTER TUTORIAL
# Types the commands of docs/tutorial.md that begin with build/snug, with the program and the characters where a reader has
# them. Blocks of output that follow a command are printed by it, line by line and in this order. Blocks of Python are run one
# after the other in one interpreter, SNUG_PYTHON, which has the package; without it they are not run, and this says so.
set -eu
snug=$(realpath "$1")
make_character=$(realpath "$2")
tutorial=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p build/models
ln -s "$snug" build/snug
"$make_character" man build/models/man.glb >/dev/null
"$make_character" creature build/models/creature.glb >/dev/null

# Blocks of commands become 1.sh, 2.sh, …, the output after a block 1.txt and so on. Those of Python become one program and
# one text.
awk '/^```sh$/ { file = ++count ".sh"; out = count ".txt"; next } /^```python$/ { file = "tutorial.py"; out = "tutorial.txt"; next }
	/^```text$/ { file = out; next } /^```/ { file = ""; next } file != "" { print >file }' "$tutorial"

status=0
ran=0
compared=0
for commands in [0-9]*.sh; do
	grep -q '^build/snug' "$commands" || continue
	ran=$((ran + 1))
	name=${commands%.sh}
	if ! sh -e "$commands" >"$name.out" 2>&1; then
		echo "failed: $(cat "$commands"): $(tail -n 3 "$name.out")"
		status=1
	fi
	[ -e "$name.txt" ] || continue
	# Where the whole block begins in the output, or nowhere.
	if ! awk 'NR == FNR { wanted[++n] = $0; next } { line[++m] = $0 }
		END { for (i = 1; i + n - 1 <= m; ++i) { for (k = 1; k <= n && line[i + k - 1] == wanted[k]; ++k); if (k > n) exit 0 } exit 1 }' \
		"$name.txt" "$name.out"; then
		echo "docs/tutorial.md: not printed by $(head -n 1 "$commands"):"
		cat "$name.txt"
		status=1
	fi
	compared=$((compared + 1))
done
for file in kick.html kick.png; do
	[ -s $file ] || { echo "docs/tutorial.md: no $file was written"; status=1; }
done
[ -s tutorial.py ] && [ -s tutorial.txt ] || { echo "docs/tutorial.md: no Python, or nothing that it prints"; status=1; }
python="Python was not run: no SNUG_PYTHON"
if [ -n "${SNUG_PYTHON:-}" ]; then
	python="Python was run"
	"$SNUG_PYTHON" tutorial.py >tutorial.out || status=1
	diff tutorial.txt tutorial.out || { echo "docs/tutorial.md: Python prints something else"; status=1; }
fi
if [ $ran -lt 3 ] || [ $compared -lt 2 ]; then
	echo "docs/tutorial.md: only $ran commands and $compared outputs"
	status=1
fi
echo "$ran commands, $compared outputs; $python"
exit $status

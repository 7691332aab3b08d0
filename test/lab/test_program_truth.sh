#!/bin/sh
# Truth sets by the program: written, read back, scored; wrong, cut and foreign answers.
# usage: test_program_truth.sh SNUG
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

expect 0 "" truth set --pairs 800 --frames 2
holds 'pairs: 800, '
holds 'men: 2 frames, '
for name in pairs men creatures brains-light brains-heavy; do
	checks=$((checks + 1))
	[ -s set/$name.truth ] && [ -s set/$name.answers ] || fail "$name is not written"
done
checks=$((checks + 1))
[ "$(find set -type f | wc -l)" -eq 10 ] || fail "other files are there: $(ls set)"

# The same set again; another for another seed.
cp set/pairs.truth first
expect 0 "" truth set --pairs 800 --frames 2
checks=$((checks + 2))
cmp -s first set/pairs.truth || fail "the same set is written differently"
expect 0 "" truth other --pairs 800 --frames 1 --seed 2
cmp -s first other/pairs.truth && fail "another seed gives the same pairs"

expect 0 "" truth --score set set/pairs.answers set/men.answers set/creatures.answers set/brains-light.answers
holds '800 pairs, '
holds '0 missed, 0 invented'

# Answers that are wrong on purpose: all yes, all no. Made by hand, as another program would.
answers()
{
	python3 - "$1" "$2" <<'PYTHON'
import struct, sys
question = open('set/pairs.truth', 'rb').read()
count = struct.unpack_from('<Q', question, 32)[0]
payload = bytes([int(sys.argv[2])]) * ((count + 7) // 8)
value = 0xcbf29ce484222325
for byte in payload:
    value = ((value ^ byte) * 0x100000001b3) & 0xffffffffffffffff
header = struct.pack('<8sIIQQQI20x', b'snugtrut', 1, 3, value, struct.unpack_from('<Q', question, 16)[0], count, 0)
open(sys.argv[1], 'wb').write(header + payload)
PYTHON
}
if command -v python3 >/dev/null; then
	answers yes.answers 255
	expect 1 "" truth --score set yes.answers
	holds ' 0 missed, '
	grep -q 'all  .* 0 missed, 0 invented' out && fail "nothing was invented by saying yes to all"
	answers no.answers 0
	expect 1 "" truth --score set no.answers
	wanted=$(sed -n 's/.*all .* \([0-9]*\) intersect, .*/\1/p' out)
	holds "$wanted intersect, $wanted missed, 0 invented"
	expect 1 "which other does not have" truth --score other yes.answers
fi

# Cut, foreign, absent.
head -c 100 set/pairs.answers >cut.answers
expect 1 "damaged" truth --score set cut.answers
head -c 30 set/pairs.answers >short.answers
expect 1 "too short" truth --score set short.answers
echo nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense >nonsense.answers
expect 1 "no file of a truth set" truth --score set nonsense.answers
expect 1 "holds questions" truth --score set set/men.truth
expect 1 "cannot read" truth --score set nowhere.answers
expect 1 "cannot read the directory" truth --score nowhere set/men.answers

expect 2 "needs a directory and answers" truth --score set
expect 2 "at most" truth set --pairs 10000001
expect 2 "at most" truth set more
touch file
expect 1 "cannot make the directory" truth file/below

# Interrupted: no half-written file is left, whichever it was at.
# A shell lets what it runs beside itself ignore Ctrl-C, so it is asked to end in another way.
# is_half_written: some file is
is_half_written()
{
	[ -n "$(find interrupted -type f ! -name '*.truth' ! -name '*.answers' 2>/dev/null)" ]
}
"$snug" truth interrupted --pairs 3000000 >/dev/null 2>&1 &
pid=$!
await is_half_written
kill -TERM $pid
wait $pid
code=$?
checks=$((checks + 2))
[ $code -eq 143 ] || fail "an interrupted run exits with $code"
! is_half_written || fail "left behind: $(ls -A interrupted)"
finish

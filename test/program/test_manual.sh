#!/bin/sh
# The man page is one, and docs/program.md and docs/lab.md are what the program says of itself.
# usage: test_manual.sh SNUG PROGRAM_MD LAB_MD
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
page=$2
lab=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"

expect 0 "" --markdown
checks=$((checks + 1))
cmp -s out "$page" || fail "docs/program.md is stale: build/snug --markdown >docs/program.md"
expect 0 "" --markdown lab
checks=$((checks + 1))
cmp -s out "$lab" || fail "docs/lab.md is stale: build/snug --markdown lab >docs/lab.md"
expect 0 "" --man
holds '.TH SNUG 1'
holds '.SS snug check'
holds '.SH EXIT STATUS'
if command -v man >/dev/null && command -v groff >/dev/null; then
	cp out snug.1
	checks=$((checks + 1))
	LC_ALL=C MANROFFSEQ='' MANWIDTH=100 man --warnings -l ./snug.1 >rendered 2>err || fail "man cannot show the page"
	[ ! -s err ] || fail "the man page gives warnings"
	grep -q -- '--fail-on-contact' rendered || fail "the man page lacks an option"
else
	lack man "no man and groff to show the man page with (tools/install-dependencies test-all)"
fi
finish

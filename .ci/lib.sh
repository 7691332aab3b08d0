# Sourced by run and nightly: steps with a title and a time each, and a last line that counts the tests of all of them.
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp)

# Whatever happens, the last line counts; a step that fails without tests counts as one failure.
finish()
{
	local status=$?
	local passed failed
	passed=$(awk '/^[0-9]+ passed, [0-9]+ failed$/ { n += $1 } END { print n + 0 }' "$log")
	failed=$(awk '/^[0-9]+ passed, [0-9]+ failed$/ { n += $3 } END { print n + 0 }' "$log")
	rm -f "$log"
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		failed=1
	fi
	echo
	echo "$passed passed, $failed failed"
	exit "$status"
}
trap finish EXIT

# step TITLE COMMAND...: its result. Beside its time that of processors, which says more where others use them too.
step()
{
	local title=$1 result=0 TIMEFORMAT="== $1: %0R s, %0U + %0S s of processors"
	shift
	echo
	echo "== $title"
	time { "$@" 2>&1 | tee -a "$log" || result=$?; }
	return $result
}

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

# step TITLE COMMAND...: its result
step()
{
	local title=$1 start=$SECONDS result=0
	shift
	echo
	echo "== $title"
	"$@" 2>&1 | tee -a "$log" || result=$?
	echo "== $title: $((SECONDS - start)) s"
	return $result
}

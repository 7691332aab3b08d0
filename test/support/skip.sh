#!/bin/sh
# Usage: skip.sh WHAT REASON
# Ends a test that cannot run for want of WHAT: exits with 77, which says skipped, or fails if SNUG_REQUIRE asks for it.
# See skip.h.
case ",${SNUG_REQUIRE:-}," in
*,all,* | *",$1,"*)
	echo "FAILED, since SNUG_REQUIRE asks for it: $1: $2"
	exit 1
	;;
esac
echo "skipped: $1: $2"
exit 77

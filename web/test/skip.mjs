// Tests that cannot run for want of something are skipped, or fail where SNUG_REQUIRE asks for it: see test/support/skip.sh.
export function skipWithout(what, found, reason) {
	const required = (process.env.SNUG_REQUIRE ?? '').split(',');
	if (!found && (required.includes('all') || required.includes(what))) throw new Error(`${what}: ${reason}, and SNUG_REQUIRE asks for it`);
	return found ? false : `${what}: ${reason}`;
}

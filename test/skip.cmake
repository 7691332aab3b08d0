# A test that cannot run for want of something: skipped, or failed where SNUG_REQUIRE asks for it.
function(snug_add_skipped_test name what reason)
	add_test(NAME ${name} COMMAND sh ${PROJECT_SOURCE_DIR}/test/support/skip.sh ${what} ${reason})
	set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

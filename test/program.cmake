# The program, run by scripts as a user would run it.
if(NOT SNUG_BUILD_PROGRAM)
	return()
endif()

# Generated meshes as files.
add_executable(snug_make_obj program/make_obj.c)
target_link_libraries(snug_make_obj PRIVATE snug_scenes)
add_executable(snug_make_glb program/make_glb.c)
target_include_directories(snug_make_glb PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(snug_make_glb PRIVATE snug_scenes snug_test_files)

add_test(NAME program COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj>)
add_test(NAME program_files COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_files.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
add_test(NAME program_check COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_check.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>
	${PROJECT_SOURCE_DIR}/docs/check-json.md)
add_test(NAME program_page COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_page.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
add_test(NAME program_batch COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_batch.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
if(NOT SNUG_SANITIZE)
	add_test(NAME batch_dask COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/program/test_batch_dask.py
		$<TARGET_FILE:snug_program> ${PROJECT_SOURCE_DIR}/tools/snug-dask $<TARGET_FILE:snug_make_glb>)
	set_tests_properties(batch_dask PROPERTIES LABELS "long;long-4" TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
add_test(NAME program_near COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_near.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
add_test(NAME program_demo COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_demo.sh $<TARGET_FILE:snug_program>)
add_test(NAME program_solvers COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_solvers.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
function(snug_add_models_test name) # ARGN: arguments after the folder of models
	add_test(NAME ${name} COMMAND sh -c "exec sh '${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_models.sh' \
'$<TARGET_FILE:snug_program>' \"\${SNUG_MODELS:-${PROJECT_SOURCE_DIR}/build/models}\" ${ARGN}")
	set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()
snug_add_models_test(program_models)
snug_add_models_test(program_models_all all)
set_tests_properties(program_models_all PROPERTIES LABELS "long;long-4")
if(NOT SNUG_SANITIZE) # too slow there
	add_test(NAME program_bench COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lab/test_program_bench.sh $<TARGET_FILE:snug_program>)
	add_test(NAME program_bench_all COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lab/test_program_bench.sh
		$<TARGET_FILE:snug_program> all)
	set_tests_properties(program_bench program_bench_all PROPERTIES TIMEOUT 600)
	set_tests_properties(program_bench_all PROPERTIES LABELS "long;long-4")
	foreach(part IN ITEMS quick slow)
		add_test(NAME program_papers_${part} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/papers/test_program_papers.sh
			$<TARGET_FILE:snug_program> ${PROJECT_SOURCE_DIR}/docs/papers.md ${part})
	endforeach()
	set_tests_properties(program_papers_quick PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
	set_tests_properties(program_papers_slow PROPERTIES LABELS "long;long-4" TIMEOUT 1200 SKIP_RETURN_CODE 77)
	add_test(NAME program_scene COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lab/test_program_scene.sh $<TARGET_FILE:snug_program>)
	set_tests_properties(program_scene PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
add_test(NAME program_truth COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/lab/test_program_truth.sh $<TARGET_FILE:snug_program>)
snug_add_test(test_tally SOURCES program/test_tally.c LIBRARIES snug_commands)
snug_add_test(test_prove SOURCES program/test_prove.c support/rational.c support/rational_sweep.c LIBRARIES snug_commands snug_gmp LONG 100)
snug_add_test(test_prove_memory SOURCES program/test_prove_memory.c LIBRARIES snug_commands snug_test_files)
target_link_options(test_prove_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
if(SNUG_PYTHON)
	set(command ${SNUG_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/program/test_prove.py $<TARGET_FILE:snug_program>
		$<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb> $<TARGET_FILE:snug_make_character>
		${PROJECT_SOURCE_DIR}/tools/check-proof)
	add_test(NAME program_prove COMMAND ${command})
	set_tests_properties(program_prove PROPERTIES TIMEOUT 600)
	if(NOT SNUG_SANITIZE)
		add_test(NAME program_prove_all COMMAND ${command})
		set_tests_properties(program_prove_all PROPERTIES LABELS "long;long-4" TIMEOUT 3600 ENVIRONMENT SNUG_TEST_SCALE=17)
	endif()
else()
	snug_add_skipped_test(program_prove python "no python3 (tools/install-dependencies python)")
endif()
add_executable(test_view program/test_view.c)
target_include_directories(test_view PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(test_view PRIVATE snug_test_support snug_test_files)
add_test(NAME program_view COMMAND test_view $<TARGET_FILE:snug_program>)
set_tests_properties(program_view PROPERTIES TIMEOUT 60)
# Libraries of npm and PyPI, scored by a truth set: long, since they are downloaded.
if(NOT SNUG_SANITIZE)
	add_test(NAME score_peers COMMAND ${PROJECT_SOURCE_DIR}/tools/score-peers $<TARGET_FILE:snug_program>
		${PROJECT_BINARY_DIR}/peers 4)
	set_tests_properties(score_peers PROPERTIES LABELS "long;long-4" TIMEOUT 1200 SKIP_RETURN_CODE 77
		PASS_REGULAR_EXPRESSION "men: .* 0 missed, 0 invented")
endif()
add_test(NAME program_manual COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_manual.sh
	$<TARGET_FILE:snug_program> ${PROJECT_SOURCE_DIR}/docs/program.md ${PROJECT_SOURCE_DIR}/docs/lab.md)

# The generated characters as files, made as `make characters` makes them; judged by others where they are there.
add_test(NAME program_characters COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/program/test_program_characters.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_character>)
if(NOT SNUG_SANITIZE)
	add_test(NAME readme COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/test_readme.sh
		$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_character> ${PROJECT_SOURCE_DIR}/README.md)
	add_test(NAME tutorial COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/test_tutorial.sh
		$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_character> ${PROJECT_SOURCE_DIR}/docs/tutorial.md)
	add_test(NAME character_oracles COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/gltf_oracle/run.sh
		${PROJECT_BINARY_DIR}/gltf_oracle_characters $<TARGET_FILE:compare_three> --made $<TARGET_FILE:snug_make_character>)
	set_tests_properties(readme character_oracles PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
set_tests_properties(program program_batch program_characters program_check program_demo program_files program_near program_page program_solvers
	program_manual program_truth PROPERTIES
	TIMEOUT 600 SKIP_RETURN_CODE 77)

# The longest first, so that what is left fills the cores.
foreach(name IN ITEMS program_models program_papers_quick program_scene test_driver program_bench program program_check
		program_batch test_prove program_files program_page program_prove test_crowd test_meshless test_sweep test_front
		test_threads test_world test_certificates test_pair_lanes test_inside program_solvers test_counters test_scene_sweep)
	if(TEST ${name})
		set_tests_properties(${name} PROPERTIES COST 50)
	endif()
endforeach()
if(SNUG_SANITIZE)
	set_tests_properties(program_characters program_check program_demo program_files program_models program_page program_truth PROPERTIES LABELS heavy)
endif()

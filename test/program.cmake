# The program, run by scripts as a user would run it.
if(NOT SNUG_BUILD_PROGRAM)
	return()
endif()

# Generated meshes as files.
add_executable(snug_make_obj make_obj.c)
target_link_libraries(snug_make_obj PRIVATE snug_scenes snug_io)
add_executable(snug_make_glb make_glb.c io_files.c fbx_files.c)
target_include_directories(snug_make_glb PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(snug_make_glb PRIVATE snug_scenes m)

add_test(NAME program COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_program.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj>)
add_test(NAME program_files COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_program_files.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
add_test(NAME program_solvers COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_program_solvers.sh
	$<TARGET_FILE:snug_program> $<TARGET_FILE:snug_make_obj> $<TARGET_FILE:snug_make_glb>)
add_test(NAME program_models COMMAND sh -c "exec sh '${CMAKE_CURRENT_SOURCE_DIR}/test_program_models.sh' \
'$<TARGET_FILE:snug_program>' \"\${SNUG_MODELS:-${PROJECT_SOURCE_DIR}/../shared/models}\"")
add_test(NAME program_bench COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_program_bench.sh $<TARGET_FILE:snug_program>)
add_test(NAME program_manual COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/test_manual.sh
	$<TARGET_FILE:snug_program> ${PROJECT_SOURCE_DIR}/docs/program.md)
set_tests_properties(program program_bench program_files program_models program_solvers program_manual PROPERTIES
	TIMEOUT 600 SKIP_RETURN_CODE 77)

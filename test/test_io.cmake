# Tests of the readers, included by io/CMakeLists.txt: they need io/ and cmocka, nothing of the core.
find_library(CMOCKA_LIBRARY cmocka)
find_path(CMOCKA_INCLUDE_DIR cmocka.h)
if(NOT CMOCKA_LIBRARY OR NOT CMOCKA_INCLUDE_DIR)
	return() # test/CMakeLists.txt says what is missing
endif()
enable_testing()
set(io_test_dir ${PROJECT_SOURCE_DIR}/test)
set(io_oracle_dir ${PROJECT_BINARY_DIR}/gltf_oracle)

function(snug_add_io_test name)
	add_executable(${name} ${io_test_dir}/${name}.c ${io_test_dir}/fbx_files.c ${io_test_dir}/io_files.c
		${io_test_dir}/io_reference.c)
	target_include_directories(${name} SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
	target_compile_definitions(${name} PRIVATE SNUG_TEST_DIR="${io_test_dir}")
	target_link_libraries(${name} PRIVATE snug_io ${CMOCKA_LIBRARY} m)
	add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
	set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()

snug_add_io_test(test_io_gltf)
snug_add_io_test(test_io_errors)
snug_add_io_test(test_io_formats)
snug_add_io_test(test_io_models)
snug_add_io_test(test_io_polygon)
snug_add_io_test(test_io_fbx)
snug_add_io_test(test_io_memory)
target_link_options(test_io_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
foreach(name IN ITEMS test_io_gltf test_io_errors)
	add_test(NAME ${name}_long COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
	set_tests_properties(${name}_long PROPERTIES TIMEOUT 14400 LABELS long ENVIRONMENT SNUG_TEST_SCALE=20)
endforeach()

# Poses of real models, as three.js in node has them. Skipped without node, npm, the network or the models.
add_executable(test_io_three ${io_test_dir}/test_io_three.c)
target_link_libraries(test_io_three PRIVATE snug_io m)
add_executable(compare_three ${io_test_dir}/compare_three.c) # for tools/compare-with-three
target_link_libraries(compare_three PRIVATE snug_io m)
if(NOT SNUG_SANITIZE)
	add_test(NAME test_io_three COMMAND sh -c "exec sh '${io_test_dir}/gltf_oracle/run.sh' '${io_oracle_dir}' \
'$<TARGET_FILE:test_io_three>' \"\${SNUG_MODELS:-${PROJECT_SOURCE_DIR}/../shared/models}\"")
	set_tests_properties(test_io_three PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()

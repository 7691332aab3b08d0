# simd/lanes_check.c once per instruction set, for test_simd.
target_compile_definitions(test_simd PRIVATE ${SNUG_ISA_DEFINITIONS})
foreach(isa IN LISTS SNUG_INSTRUCTION_SETS)
	snug_add_kernels(snug_lanes_check_${isa} ${isa} ${PROJECT_SOURCE_DIR}/test/simd/lanes_check.c)
	target_sources(test_simd PRIVATE $<TARGET_OBJECTS:snug_lanes_check_${isa}>)
endforeach()

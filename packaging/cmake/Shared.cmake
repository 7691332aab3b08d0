# What the program, the papers and the laboratory share.

# Brute force to check answers with. What else the program shares needs a clock and files, which not every machine has.
add_library(snug_share STATIC ${PROJECT_SOURCE_DIR}/program/check/brute.c)
target_include_directories(snug_share PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(snug_share PUBLIC snug_internal)
if(NOT CMAKE_CROSSCOMPILING)
	target_sources(snug_share PRIVATE
		${PROJECT_SOURCE_DIR}/program/files/clock.c ${PROJECT_SOURCE_DIR}/program/pictures/html.c)
endif()
if(UNIX)
	target_link_libraries(snug_share PRIVATE m)
endif()

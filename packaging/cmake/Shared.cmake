# What the program, the papers and the laboratory share.

# Brute force to check answers with. What else the program shares needs a clock and files, which not every machine has.
add_library(snug_share STATIC ${PROJECT_SOURCE_DIR}/program/check/brute.c)
target_include_directories(snug_share PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(snug_share PUBLIC snug_internal)
if(NOT CMAKE_CROSSCOMPILING OR SNUG_BUILD_PROGRAM)
	# What all pages look like, and the program that shows them.
	set(page ${PROJECT_SOURCE_DIR}/web/page)
	add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/page_text.c
		COMMAND ${CMAKE_COMMAND} -D OUTPUT=${PROJECT_BINARY_DIR}/page_text.c "-DNAMES=htmlStyle$<SEMICOLON>htmlScript"
			"-DFILES=${page}/page.css$<SEMICOLON>${page}/viewer.js" -P ${PROJECT_SOURCE_DIR}/packaging/cmake/Embed.cmake
		DEPENDS ${page}/page.css ${page}/viewer.js ${PROJECT_SOURCE_DIR}/packaging/cmake/Embed.cmake VERBATIM)
	target_sources(snug_share PRIVATE ${PROJECT_BINARY_DIR}/page_text.c
		${PROJECT_SOURCE_DIR}/program/files/clock.c ${PROJECT_SOURCE_DIR}/program/pictures/html.c)
endif()
if(UNIX)
	target_link_libraries(snug_share PRIVATE m)
endif()
if(WIN32 AND SNUG_BUILD_PROGRAM)
	find_package(Threads REQUIRED)
	target_link_libraries(snug_share PUBLIC Threads::Threads) # MinGW has its clocks there
endif()

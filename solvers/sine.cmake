# Sines and cosines that are the same bits everywhere: for solvers, programs and scenes.
add_library(snug_sine STATIC ${PROJECT_SOURCE_DIR}/solvers/sine.c)
target_include_directories(snug_sine PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(snug_sine PUBLIC snug)
if(UNIX)
	target_link_libraries(snug_sine PRIVATE m)
endif()

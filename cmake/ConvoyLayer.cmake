# convoy_layer(NAME [REAL_TIME] [DEPS target...] [TEST_DEPS target...])
#
# Makes the target convoy_<name> (alias convoy::<name>) of every .cc file in the current folder, and the test program
# <name>_test of every *_test.cc file there. Slashes in NAME become underscores. REAL_TIME: the tests open real sockets
# or wait for a real clock, and have the label `processes`.
find_package(doctest QUIET)

# convoy_doctest(TARGET): makes a program one of doctest's. Its half of the library is compiled once for all: it takes
# longer than most tests. Of the tests' own sources eight are compiled at a time, in half the time: each file is a namespace
# of its name, since fixtures of the same names are in several.
function(convoy_doctest TARGET)
  if(NOT TARGET convoy_test_main)
    add_library(convoy_test_main OBJECT ${PROJECT_SOURCE_DIR}/src/core/test_main.cpp)
    target_link_libraries(convoy_test_main PRIVATE doctest::doctest)
    set_target_properties(convoy_test_main PROPERTIES UNITY_BUILD OFF)
  endif()
  target_sources(${TARGET} PRIVATE $<TARGET_OBJECTS:convoy_test_main>)
  target_link_libraries(${TARGET} PRIVATE doctest::doctest)
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ${CMAKE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 8)
  # What is tested is compiled as users have it; the tests themselves a fifth sooner. At -O1, GCC 12 takes variables for
  # uninitialized that are not.
  target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O1> $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
endfunction()

function(convoy_layer NAME)
  cmake_parse_arguments(LAYER "REAL_TIME" "" "DEPS;TEST_DEPS;SOURCES" ${ARGN})
  string(REPLACE "/" "_" id ${NAME})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(APPEND sources ${LAYER_SOURCES})
  if(sources)
    add_library(convoy_${id} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(convoy_${id} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(convoy::${id} ALIAS convoy_${id})
  target_include_directories(convoy_${id} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(convoy_${id} ${scope} ${LAYER_DEPS})
  if(BUILD_TESTING AND tests)
    add_executable(${id}_test ${tests})
    target_link_libraries(${id}_test PRIVATE convoy_${id} ${LAYER_TEST_DEPS})
    convoy_doctest(${id}_test)
    add_test(NAME ${NAME} COMMAND ${id}_test --no-version --no-path-filenames=1)
    set_tests_properties(${NAME} PROPERTIES TIMEOUT 600)
    if(LAYER_REAL_TIME)
      set_tests_properties(${NAME} PROPERTIES LABELS processes)
    endif()
  endif()
endfunction()

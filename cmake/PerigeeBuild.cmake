# Compiler settings, and the functions for layers, tests and fuzz targets.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_QUICK "-O2")

# Public headers that the build makes.
set(PERIGEE_GENERATED_INCLUDE ${PROJECT_BINARY_DIR}/generated/include)

# The libraries with TLS and with interceptors, which libperigee loads by these names.
set(PERIGEE_TLS_FILE libperigee_tls.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(PERIGEE_DYNAMIC_FILE libperigee_dynamic.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(PERIGEE_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")
option(PERIGEE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(PERIGEE_WERROR "Warnings are errors" ON)
option(PERIGEE_QUICK "Build only what ./quickstart shows, as fast as possible" OFF)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  add_compile_definitions(_FILE_OFFSET_BITS=64)  # sizes and offsets of files beyond 2 GiB
endif()

find_program(PERIGEE_CCACHE ccache)
if(PERIGEE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths are relative to the source tree, so that clones share compiled objects. This is a script,
  # because a launcher with arguments cannot be passed to other builds.
  set(launcher ${PROJECT_BINARY_DIR}/compiler-launcher)
  file(WRITE ${launcher}
       "#!/bin/sh\n"
       "CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR='${PROJECT_SOURCE_DIR}' CCACHE_NOHASHDIR=1 exec '${PERIGEE_CCACHE}' \"$@\"\n")
  file(CHMOD ${launcher} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                     WORLD_READ WORLD_EXECUTE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
find_program(PERIGEE_MOLD mold)
if(PERIGEE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Sources of a target are compiled in batches of this size (unity build), because most of the
# compile time is spent on headers. 1 compiles each source alone.
set(PERIGEE_BATCH_SIZE 10 CACHE STRING "Sources that are compiled together; 1: each alone")
if(PERIGEE_BATCH_SIZE GREATER 1)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${PERIGEE_BATCH_SIZE})
endif()

# Full builds are faster with batches. After a change of one source, its whole batch is compiled again.
option(PERIGEE_BATCH_ALL "Compile in batches also what is compiled separately otherwise" OFF)
if(PERIGEE_BATCH_ALL)
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
  # The compiler of a batch needs up to 800 MiB. With a first heap of this size (KiB), g++ collects
  # garbage rarely, and takes about 7 % less time.
  add_compile_options("$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>")
endif()

# perigee_compile_separately(<target>...): for targets whose sources use the same local names. With
# PERIGEE_BATCH_ALL a script chooses batches without such clashes.
function(perigee_compile_separately)
  foreach(target IN LISTS ARGV)
    if(PERIGEE_BATCH_ALL)
      perigee_choose_batches(${target})
    else()
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
  endforeach()
endfunction()

# With these options, ccache can keep objects that were made with compiled headers.
set(PERIGEE_PRECOMPILED_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                                "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")

# perigee_precompile_headers(<target> <header>...): for full builds, compiles headers that most sources
# of the target include.
function(perigee_precompile_headers target)
  if(PERIGEE_BATCH_ALL AND NOT PERIGEE_QUICK)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_options(${target} PRIVATE ${PERIGEE_PRECOMPILED_OPTIONS})
  endif()
endfunction()

# perigee_choose_batches(<target>): groups the sources that the target has now. Later sources, and
# sources that the build generates, are compiled separately.
function(perigee_choose_batches target)
  get_target_property(of_target ${target} SOURCES)
  set(sources "")
  set(paths "")
  foreach(source IN LISTS of_target)
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(is_generated ${path} GENERATED)
    if(path MATCHES "[.]cpp$" AND EXISTS ${path} AND NOT is_generated)
      list(APPEND sources ${source})
      list(APPEND paths ${path})
    endif()
  endforeach()
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/batches.py ${PERIGEE_BATCH_SIZE} ${paths}
    OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  # A source that another source includes looks like a header to g++.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(source batch IN ZIP_LISTS sources batches)
    if(batch GREATER 0)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${batch})
    endif()
  endforeach()
endfunction()

# perigee_batch_generated(<target>): compiles the sources that perigee_idl has added so far, five in a
# batch. The rest of the target stays as it is.
function(perigee_batch_generated target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_idl/.*All[.]cpp$")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(count 0)
  foreach(source IN LISTS sources)
    math(EXPR batch "${count} / 5")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_idl_${batch})
  endforeach()
endfunction()

find_package(Threads REQUIRED)

# Functions in one library call each other directly: no symbol may be replaced. The initial-exec model
# needs space for the library's thread-local variables in the static TLS block. They are small enough.
add_compile_options(-fno-semantic-interposition -fno-plt -ftls-model=initial-exec)
add_link_options(-Wl,-Bsymbolic-functions -Wl,-z,now)
# Functions that nothing calls are left out of what users get.
add_compile_options($<$<CONFIG:Release,RelWithDebInfo>:-ffunction-sections> $<$<CONFIG:Release,RelWithDebInfo>:-fdata-sections>)
add_link_options($<$<CONFIG:Release,RelWithDebInfo>:-Wl,--gc-sections>)

add_library(perigee_options INTERFACE)
# Options structs use designated initialisers, and other fields keep their defaults: no warning for
# them.
target_compile_options(perigee_options INTERFACE -Wall -Wextra -Wconversion -Wshadow
                                                 -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(PERIGEE_WERROR)
  target_compile_options(perigee_options INTERFACE -Werror)
endif()
if(PERIGEE_SANITIZE)
  add_compile_options(-fsanitize=${PERIGEE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PERIGEE_SANITIZE})
endif()

# Enters a layer's folder.
macro(perigee_add_layer folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endmacro()

# perigee_add_unoptimised_layer(<folder>): enters the folder of a layer that each call does not run.
# Full builds with sanitizers compile it without optimisation, in less than half of the time.
function(perigee_add_unoptimised_layer folder)
  if(PERIGEE_BATCH_ALL)
    string(REPLACE -O1 -O0 CMAKE_CXX_FLAGS_SANITIZE "${CMAKE_CXX_FLAGS_SANITIZE}")
  endif()
  perigee_add_layer(${folder})
endfunction()

# perigee_layer(<name> SOURCES <file>... [DEPENDS <layer>...] [SYSTEM_LIBRARIES <target>...] [SMALL])
#
# SMALL: optimised for size (-Os). For layers that run at the start, for connections, or after errors,
# and not in each call.
#
# An object library perigee_<name>, alias perigee::<name>. DEPENDS names the layers below that it may
# use. Object libraries do not pass their objects on, so the closure of a layer and the libraries
# that it needs are kept as global properties, for perigee_link_layers.
function(perigee_layer name)
  cmake_parse_arguments(ARG "SMALL" "" "SOURCES;DEPENDS;SYSTEM_LIBRARIES" ${ARGN})
  add_library(perigee_${name} OBJECT ${ARG_SOURCES})
  add_library(perigee::${name} ALIAS perigee_${name})
  target_include_directories(
    perigee_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(perigee_${name} PRIVATE PERIGEE_BUILDING)
  if(ARG_SMALL)
    set_property(GLOBAL APPEND PROPERTY PERIGEE_SMALL_LAYERS ${name})
    target_compile_options(perigee_${name} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
  endif()
  # Fuzzed code reports its coverage to functions in the sanitizers' libraries.
  if(PERIGEE_FUZZ AND PERIGEE_SANITIZE)
    target_compile_options(perigee_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  target_link_libraries(perigee_${name} PRIVATE perigee_options ${ARG_SYSTEM_LIBRARIES})
  set(closure ${name})
  set(system_libraries ${ARG_SYSTEM_LIBRARIES})
  foreach(dependency IN LISTS ARG_DEPENDS)
    get_property(below GLOBAL PROPERTY PERIGEE_CLOSURE_${dependency})
    get_property(below_system GLOBAL PROPERTY PERIGEE_SYSTEM_LIBRARIES_${dependency})
    list(APPEND closure ${below})
    list(APPEND system_libraries ${below_system})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  list(REMOVE_DUPLICATES system_libraries)
  set_property(GLOBAL PROPERTY PERIGEE_CLOSURE_${name} ${closure})
  set_property(GLOBAL PROPERTY PERIGEE_SYSTEM_LIBRARIES_${name} ${system_libraries})
endfunction()

# perigee_layer_group(<name> LAYERS <layer>...): a name for several layers, to link them or to
# depend on them.
function(perigee_layer_group name)
  cmake_parse_arguments(ARG "" "" "LAYERS" ${ARGN})
  foreach(property CLOSURE SYSTEM_LIBRARIES)
    set(joined "")
    foreach(layer IN LISTS ARG_LAYERS)
      get_property(of_layer GLOBAL PROPERTY PERIGEE_${property}_${layer})
      list(APPEND joined ${of_layer})
    endforeach()
    list(REMOVE_DUPLICATES joined)
    set_property(GLOBAL PROPERTY PERIGEE_${property}_${name} ${joined})
  endforeach()
endfunction()

# perigee_link_layers(<target> <layer>...): links the layers and all layers that they depend on.
function(perigee_link_layers target)
  set(closure "")
  set(system_libraries "")
  foreach(layer IN LISTS ARGN)
    get_property(layer_closure GLOBAL PROPERTY PERIGEE_CLOSURE_${layer})
    get_property(layer_system GLOBAL PROPERTY PERIGEE_SYSTEM_LIBRARIES_${layer})
    list(APPEND closure ${layer_closure})
    list(APPEND system_libraries ${layer_system})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  list(REMOVE_DUPLICATES system_libraries)
  foreach(layer IN LISTS closure)
    target_link_libraries(${target} PRIVATE perigee_${layer})
  endforeach()
  target_link_libraries(${target} PRIVATE ${system_libraries} Threads::Threads)
endfunction()

# perigee_layer_sources(<layer> <variable>): sets `variable` to the paths of the sources of a layer.
function(perigee_layer_sources layer variable)
  get_target_property(sources perigee_${layer} SOURCES)
  get_target_property(folder perigee_${layer} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/]")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# perigee_test_support(<file> <variable>): an object library of a source in tests/support/, created by
# the first call; `variable` is set to its name.
function(perigee_test_support file variable)
  get_filename_component(name ${file} NAME_WE)
  set(library perigee_test_${name})
  if(NOT TARGET ${library})
    add_library(${library} OBJECT ${PROJECT_SOURCE_DIR}/tests/support/${name}.cpp)
    target_include_directories(
      ${library} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests
                         ${PERIGEE_GENERATED_INCLUDE})
    target_link_libraries(${library} PRIVATE perigee_options)
    if(TARGET perigee_headers_id)
      add_dependencies(${library} perigee_headers_id)
    endif()
  endif()
  set(${variable} ${library} PARENT_SCOPE)
endfunction()

# perigee_use_test_headers(<target>): the target's sources read the headers of PERIGEE_TEST_HEADERS in
# compiled form. Sources that configure doctest before they include it read them as text.
function(perigee_use_test_headers target)
  target_precompile_headers(${target} REUSE_FROM ${PERIGEE_TEST_HEADERS})
  target_compile_options(${target} PRIVATE ${PERIGEE_PRECOMPILED_OPTIONS})
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    if(EXISTS ${path})
      file(STRINGS ${path} configuring REGEX "define DOCTEST_CONFIG" LIMIT_COUNT 1)
      if(configuring)
        set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endif()
  endforeach()
endfunction()

# perigee_test(<name> SOURCES <file>... LAYERS <layer>... [LIBRARIES <target>...] [SEPARATE <file>...]
#              [WITHOUT_MEMORY <file>...])
#
# A doctest program with the tests of one layer. Tests of layers with threads have the label
# `threads`: the thread sanitizer's build makes and runs only these (target threaded_tests). Sources
# in tests/support/ are compiled once, for all programs. For each <part>_test.cpp of SEPARATE, CTest
# runs the program once more, as <name>_<part>: long tests then run at the same time as the others.
# Sources of WITHOUT_MEMORY let allocations fail. They are left out of the thread sanitizer's build,
# whose allocator cannot be replaced.
set(PERIGEE_THREADED_LAYERS event transport transport_tcp transport_local transport_shared_memory tcp engine orb poa async runtime runtime_server)
add_custom_target(threaded_tests)
function(perigee_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBRARIES;SEPARATE;WITHOUT_MEMORY" ${ARGN})
  if(NOT PERIGEE_SANITIZE STREQUAL "thread")
    list(APPEND ARG_SOURCES ${ARG_WITHOUT_MEMORY})
  endif()
  set(sources "")
  set(support "")
  foreach(source IN LISTS ARG_SOURCES ITEMS ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
    if(source MATCHES "/tests/support/[a-z_]+[.]cpp$")
      perigee_test_support(${source} library)
      list(APPEND support ${library})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  add_executable(${name} ${sources})
  perigee_compile_separately(${name})
  if(PERIGEE_TEST_HEADERS)
    perigee_use_test_headers(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${support})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE perigee_options ${ARG_LIBRARIES})
  perigee_link_layers(${name} ${ARG_LAYERS})
  set(tests ${name})
  set(excluded "")
  foreach(source IN LISTS ARG_SEPARATE)
    if(NOT source IN_LIST ARG_SOURCES)
      message(FATAL_ERROR "perigee_test(${name}): ${source} is not one of its sources")
    endif()
    string(REGEX REPLACE "_test[.]cpp$" "" part ${source})
    add_test(NAME ${name}_${part} COMMAND ${name} "--source-file=*/${source}")
    list(APPEND tests ${name}_${part})
    list(APPEND excluded "*/${source}")
  endforeach()
  list(JOIN excluded "," excluded)
  if(excluded)
    set(excluded "--source-file-exclude=${excluded}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${excluded})
  # Far more than a test needs: ends tests that hang. QEMU is slow.
  if(CMAKE_CROSSCOMPILING)
    set(timeout 3600)
  else()
    set(timeout 300)
  endif()
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${timeout})
  foreach(layer IN LISTS ARG_LAYERS)
    if(layer IN_LIST PERIGEE_THREADED_LAYERS)
      set_tests_properties(${tests} PROPERTIES LABELS threads)
      add_dependencies(threaded_tests ${name})
    endif()
  endforeach()
endfunction()

# perigee_fuzz_target(<name> SOURCES <file>... LAYERS <layer>...)
#
# A libFuzzer program, and a test with the label `fuzz` that runs it for a short time, starting from
# fuzz/corpus/<name>. New inputs and findings go to the build folder.
set(PERIGEE_FUZZ_SECONDS 20 CACHE STRING "How long the test of each fuzz target runs")
set(PERIGEE_FUZZ_SEED 1 CACHE STRING "The seed of the fuzz targets; 0: another one for each run")
function(perigee_fuzz_target name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE perigee_options)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  perigee_link_layers(${name} ${ARG_LAYERS})
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}.found)
  file(MAKE_DIRECTORY ${found})
  set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
  if(NOT EXISTS ${corpus})
    set(corpus "")
  endif()
  add_test(NAME ${name} COMMAND ${name} -max_total_time=${PERIGEE_FUZZ_SECONDS} -rss_limit_mb=1024
                                -seed=${PERIGEE_FUZZ_SEED} -artifact_prefix=${found}/ ${found} ${corpus})
  math(EXPR timeout "${PERIGEE_FUZZ_SECONDS} + 900")
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endfunction()

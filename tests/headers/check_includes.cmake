# Fails if SOURCE includes, directly or not, one of the standard headers that client headers avoid.
# Variables: COMPILER, SOURCE, INCLUDE (a list of include folders).
cmake_policy(VERSION 3.25)
set(forbidden iostream coroutine thread chrono expected)

list(TRANSFORM INCLUDE PREPEND -I)
execute_process(COMMAND ${COMPILER} -std=c++20 -M ${INCLUDE} ${SOURCE}
                OUTPUT_VARIABLE dependencies COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[ \\\n]+" ";" dependencies "${dependencies}")
foreach(dependency IN LISTS dependencies)
  get_filename_component(name "${dependency}" NAME)
  # Names of standard headers have no extension, so this is true for <thread>, but not for thread.h.
  if(name IN_LIST forbidden)
    message(SEND_ERROR "${SOURCE} includes <${name}> (${dependency})")
  endif()
endforeach()
list(LENGTH dependencies count)
if(count LESS 10)
  message(FATAL_ERROR "The compiler listed only ${count} dependencies: the check does not work")
endif()

# Compiles IDL files as part of a build: used by Perigee itself and installed with the package.
#
#   perigee_idl(<target> FILES <file.idl>... [INCLUDES <folder>...] [DEFINES <name[=text]>...]
#               [ANNOTATIONS <file>...] [OPTIONS <option>...] [IDL_VERSION 3|4] [ANY] [KEEP_INCLUDE_PATH]
#               [AMI] [AMI_POLLING] [AMH] [ASYNC] [REPOSITORY] [CLIENT_ONLY])
#       Adds the generated source to the target, and its folder to the includes of the target and
#       of targets that link it. For stock.idl, the source is stockAll.cpp. It includes the
#       other sources so that their common headers are read once. A change of an IDL file, or of a
#       file that it includes, generates the sources again.
#
#       ANY: also generates TypeCodes and insertion into any (stockA.h, stockA.cpp). An included
#       file needs ANY if the including file has it.
#
#       AMH: asynchronous servants of all interfaces (stockAmhS.h, stockAmhS.cpp). A file with base
#       interfaces needs AMH if the file with the derived interfaces has it. Without AMH, only
#       annotated interfaces have asynchronous servants.
#
#       ASYNC, AMI: the same for calls by coroutines and servants of coroutines (stockAsync.h,
#       stockAsync.cpp, stockAsyncS.h, stockAsyncS.cpp), and for asynchronous calls (stockAmiC.h,
#       stockAmiC.cpp, stockAmiS.h, stockAmiS.cpp).
#
#       AMI_POLLING: the same as AMI, with pollers. The target must link Perigee::dynamic.
#
#       REPOSITORY: also generates a description of the IDL (stockR.h, stockR.cpp), with which a server
#       answers _get_interface. The target must link Perigee::repository.
#
#       CLIENT_ONLY: leaves out the files of servants. A target with only the client's files may link
#       Perigee::client, a smaller library, instead of Perigee::perigee. Asynchronous calls by
#       coroutines (ASYNC) need Perigee::perigee.
#
#       KEEP_INCLUDE_PATH: generated files include each other by the paths that the IDL files use in
#       #include.
#       Each generated file is in the folder of its IDL file, relative to the first folder of
#       INCLUDES that contains it, or else to the present source folder. So files in different
#       folders may have the same name.
#
#   perigee_idl_library(<name> FILES ...the same...)
#       A static library of the generated sources, linked with Perigee::perigee; with CLIENT_ONLY and
#       without ASYNC, with Perigee::client.
#
# PERIGEE_IDL_EXECUTABLE: the compiler to run, if the compiler of this build or package cannot run
# here (cross builds).

set(PERIGEE_IDL_EXECUTABLE "" CACHE FILEPATH "The IDL compiler to run; empty: Perigee's own")

function(_perigee_idl_compiler command_variable dependency_variable)
  if(PERIGEE_IDL_EXECUTABLE)
    set(command "${PERIGEE_IDL_EXECUTABLE}")
  elseif(TARGET Perigee::perigee-idl)
    set(command Perigee::perigee-idl)
  elseif(DEFINED Perigee_idl_FOUND)  # by find_package
    message(FATAL_ERROR "perigee_idl: the IDL compiler is not installed (Debian: perigee-idl); install it, "
                        "or set PERIGEE_IDL_EXECUTABLE")
  else()
    set(command perigee-idl)  # inside Perigee's own tree; the target may be defined later
  endif()
  set(${command_variable} "${command}" PARENT_SCOPE)
  set(${dependency_variable} "${command}" PARENT_SCOPE)
endfunction()

# Adds commands that generate the files of one IDL file in `folder`. Sets `sources_variable` to the
# files that a target needs.
function(_perigee_idl_generate idl_file folder options sources_variable)
  _perigee_idl_compiler(command dependency)
  get_filename_component(path "${idl_file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(name "${path}" NAME_WLE)
  set(endings C S)
  set(words --any --ami --ami --amh --async --async --repository)
  set(word_endings A AmiC AmiS AmhS Async AsyncS R)
  foreach(word ending IN ZIP_LISTS words word_endings)
    if(word IN_LIST options)
      list(APPEND endings ${ending})
    endif()
  endforeach()
  if("--client-only" IN_LIST options)
    list(REMOVE_ITEM endings S AmiS AmhS AsyncS)
  endif()
  # With other endings, an old dependency file would name outputs that the command no longer has: Ninja
  # would refuse the build folder.
  string(JOIN "-" kinds ${endings})
  set(depend_file "${folder}/${name}-${kinds}.d")
  set(sources "")
  set(included "")  # files that stockAll.cpp includes
  foreach(ending IN LISTS endings)
    list(APPEND sources "${folder}/${name}${ending}.h")
    list(APPEND included "${folder}/${name}${ending}.cpp")
  endforeach()
  list(APPEND sources "${folder}/${name}All.cpp")
  add_custom_command(
    OUTPUT ${sources} ${included}  # Ninja requires that the dependency file begins with the first output
    COMMAND ${command} ${options} --one-source --output-dir "${folder}" --depend-file "${depend_file}"
            "${path}"
    DEPENDS "${path}" ${dependency}
    DEPFILE "${depend_file}"
    COMMENT "Compiling IDL ${idl_file}"
    VERBATIM)
  set(${sources_variable} "${sources}" PARENT_SCOPE)
endfunction()

# The folder of `idl_file`, relative to the first of `roots` that contains it; empty if none does.
function(_perigee_idl_subfolder idl_file roots variable)
  get_filename_component(path "${idl_file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(folder "${path}" DIRECTORY)
  set(${variable} "" PARENT_SCOPE)
  foreach(root IN LISTS roots)
    get_filename_component(root "${root}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(IS_PREFIX root "${folder}" NORMALIZE is_inside)
    if(is_inside)
      file(RELATIVE_PATH subfolder "${root}" "${folder}")
      set(${variable} "${subfolder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(perigee_idl target)
  cmake_parse_arguments(ARG "ANY;KEEP_INCLUDE_PATH;AMI;AMI_POLLING;AMH;ASYNC;REPOSITORY;CLIENT_ONLY" "IDL_VERSION"
                        "FILES;INCLUDES;DEFINES;ANNOTATIONS;OPTIONS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "perigee_idl(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_FILES)
    message(FATAL_ERROR "perigee_idl(${target}): needs FILES <file.idl>...")
  endif()
  set(options "")
  foreach(folder IN LISTS ARG_INCLUDES)
    get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options -I "${folder}")
  endforeach()
  foreach(definition IN LISTS ARG_DEFINES)
    list(APPEND options -D "${definition}")
  endforeach()
  foreach(annotations IN LISTS ARG_ANNOTATIONS)
    get_filename_component(annotations "${annotations}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options --annotate "${annotations}")
  endforeach()
  list(APPEND options ${ARG_OPTIONS})
  if(ARG_IDL_VERSION)
    list(APPEND options --idl ${ARG_IDL_VERSION})
  endif()
  if(ARG_ANY)
    list(APPEND options --any)
  endif()
  if(ARG_AMI OR ARG_AMI_POLLING)  # --ami-polling includes --ami, which names the files
    list(APPEND options --ami)
  endif()
  if(ARG_AMI_POLLING)
    list(APPEND options --ami-polling)
  endif()
  if(ARG_AMH)
    list(APPEND options --amh)
  endif()
  if(ARG_ASYNC)
    list(APPEND options --async)
  endif()
  if(ARG_REPOSITORY)
    list(APPEND options --repository)
  endif()
  if(ARG_CLIENT_ONLY)
    list(APPEND options --client-only)
  endif()
  if(ARG_KEEP_INCLUDE_PATH)
    list(APPEND options --keep-include-path)
  endif()

  # A folder for each target: two targets of one folder may compile the same file.
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_idl")
  foreach(idl_file IN LISTS ARG_FILES)
    set(output_folder "${folder}")
    if(ARG_KEEP_INCLUDE_PATH)
      _perigee_idl_subfolder("${idl_file}" "${ARG_INCLUDES};${CMAKE_CURRENT_SOURCE_DIR}" subfolder)
      if(subfolder)
        string(APPEND output_folder "/${subfolder}")
      endif()
    endif()
    file(MAKE_DIRECTORY "${output_folder}")
    _perigee_idl_generate("${idl_file}" "${output_folder}" "${options}" sources)
    target_sources(${target} PRIVATE ${sources})
  endforeach()
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
endfunction()

function(perigee_idl_library name)
  add_library(${name} STATIC)
  target_compile_features(${name} PUBLIC cxx_std_20)
  cmake_parse_arguments(ARG "CLIENT_ONLY;ASYNC;AMI_POLLING;REPOSITORY" "" "" ${ARGN})
  if(ARG_REPOSITORY)
    target_link_libraries(${name} PUBLIC Perigee::repository)
  endif()
  if(ARG_AMI_POLLING)
    target_link_libraries(${name} PUBLIC Perigee::dynamic)
  endif()
  if(ARG_CLIENT_ONLY AND NOT ARG_ASYNC)
    target_link_libraries(${name} PUBLIC Perigee::client)
  else()
    target_link_libraries(${name} PUBLIC Perigee::perigee)
  endif()
  perigee_idl(${name} ${ARGN})
endfunction()

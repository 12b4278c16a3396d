# Debian packages, one for each component of the installation; scripts/packages builds and checks them.
# Names and versions follow from project(VERSION): libperigee<major>.<minor> is named after the SONAME.
set(PERIGEE_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Revision 0 is older than revision 1 of a package in Debian itself.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)
set(PERIGEE_DEBIAN_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# As for other Debian tools, the environment names the maintainer.
set(contact_name "Perigee maintainers")
set(contact_address maintainers@perigee.invalid)
if(NOT "$ENV{DEBFULLNAME}" STREQUAL "")
  set(contact_name "$ENV{DEBFULLNAME}")
endif()
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(contact_address "$ENV{DEBEMAIL}")
endif()
set(CPACK_PACKAGE_CONTACT "${contact_name} <${contact_address}>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perigee)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime development idl tools documents)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime idl)
set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SOURCE perigee)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src/perigee)

# A line of a description has at most 79 characters.
set(about "Perigee compiles OMG IDL to the IDL-to-C++11 mapping. Programs call objects in
other processes by GIOP, over TCP, TLS, UNIX-domain sockets and UDP.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libperigee${PERIGEE_SOVERSION})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs
                                               ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "object request broker in C++ (shared libraries)
${about}
.
This package contains the shared libraries that programs are linked with.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libperigee-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libspdlog-dev, liburing-dev, libssl-dev")  # of the static libraries
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "perigee-doc, perigee-tools")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "object request broker in C++ (development files)
${about}
.
This package contains the headers, the static libraries, a CMake package, and
files for pkg-config.")

set(CPACK_DEBIAN_IDL_PACKAGE_NAME perigee-idl)
set(CPACK_DEBIAN_IDL_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_IDL_DESCRIPTION "compiler of OMG IDL to C++, for libperigee
${about}
.
This package contains the compiler and the standard IDL files.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME perigee-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "programs for object references, names, events and measurements of CORBA
${about}
.
This package contains the command perigee. It explains and changes object
references. It shows and changes the names in a naming service, and the
protocols of a running server. It passes requests from one protocol to another,
makes certificates for a first try of TLS, and measures calls. The program
perigee-names is a naming service, and perigee-events is an event service.")

set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_NAME perigee-doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTS_DESCRIPTION "object request broker in C++ (documents and examples)
${about}
.
This package contains the documents in Markdown, and the sources of the
examples.")

# Files that only the packages have: FinishPackages.cmake adds them.
string(TIMESTAMP PERIGEE_DEBIAN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, if set
foreach(file shlibs changelog.Debian)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/${file}.in ${PROJECT_BINARY_DIR}/debian/${file} @ONLY)
endforeach()
set(PERIGEE_PACKAGE_NAMES "")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  list(APPEND PERIGEE_PACKAGE_NAMES ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()
foreach(script FinishPackages RemoveLdconfigScripts)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${script}.cmake.in ${PROJECT_BINARY_DIR}/${script}.cmake @ONLY)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/FinishPackages.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/RemoveLdconfigScripts.cmake)
include(CPack)

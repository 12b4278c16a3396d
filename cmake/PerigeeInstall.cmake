# Installs the documents with the examples, and adds the targets `installation` and `uninstall`. The
# libraries and programs are installed by the folders of their sources.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/perigee)
foreach(file README.md CHANGELOG.md SECURITY.md LICENSE)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${documents} COMPONENT documents)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${documents} COMPONENT documents
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
        PATTERN man EXCLUDE
        PATTERN site EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${documents} COMPONENT documents
        USE_SOURCE_PERMISSIONS)

# All that `cmake --install` needs.
add_custom_target(installation)
foreach(target perigee_client_shared perigee_server_shared perigee_tls_shared perigee_bridge_shared perigee_dynamic_shared
               perigee_repository_shared perigee_repository_static
               perigee_client_static perigee_server_static perigee_tls_static perigee_bridge_static perigee_dynamic_static perigee_naming_shared perigee_names perigee_events_shared perigee_events perigee-idl perigee-ifr perigee_tool whitebox_probed jitter_server
               jitter_server_unpooled tls_peers naming_peers events_peers durable_peers demux_linear demux_hash demux_perfect demux_sorted)
  if(TARGET ${target})
    add_dependencies(installation ${target})
  endif()
endforeach()

# Folders that contain nothing but files of Perigee.
set(PERIGEE_OWN_FOLDERS
    ${CMAKE_INSTALL_INCLUDEDIR}/perigee ${CMAKE_INSTALL_LIBDIR}/cmake/Perigee ${CMAKE_INSTALL_DATADIR}/perigee
    ${CMAKE_INSTALL_LIBEXECDIR}/perigee ${documents})
configure_file(${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake.in ${PROJECT_BINARY_DIR}/Uninstall.cmake @ONLY)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/Uninstall.cmake
                    COMMENT "Removing the installed files")
endif()

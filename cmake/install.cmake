# SPDX-License-Identifier: MIT
# Libraries, headers, the CMake package, the pkg-config files and what there is to read.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY SDPOWER_INSTALLED)
install(TARGETS ${libraries} EXPORT sdpower-targets)

set(headers ${SDPOWER_CORE_HEADERS})
set(modules libsdpower)
if(TARGET sdpower_hosted)
  list(APPEND headers ${SDPOWER_HOSTED_HEADERS})
  list(APPEND modules libsdpower-hosted)
endif()
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

if(TARGET sdpower-cmd)
  install(TARGETS sdpower-cmd)
  install(FILES src/cmd/sdpower.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES src/cmd/completion/sdpower.bash RENAME sdpower
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES src/cmd/completion/sdpower.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES src/cmd/completion/sdpower.zsh RENAME _sdpower
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# In docs/ as here, which is how the headers and the README name them.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/BENCHMARKS.md docs/DESIGN.md docs/POLICY.md docs/PORTING.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES examples/hello.c examples/readme.c examples/record.c
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY examples/samples DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sdpower)
install(EXPORT sdpower-targets NAMESPACE sdpower:: DESTINATION ${package})
configure_package_config_file(cmake/sdpower-config.cmake.in sdpower-config.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(sdpower-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sdpower-config.cmake
  ${PROJECT_BINARY_DIR}/sdpower-config-version.cmake DESTINATION ${package})

# Absolute folders (as some distributions configure) are taken as they are.
foreach(kind LIBDIR INCLUDEDIR)
  set(pc_${kind} "\\\${prefix}/${CMAKE_INSTALL_${kind}}")
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}})
    set(pc_${kind} ${CMAKE_INSTALL_${kind}})
  endif()
endforeach()
# Written when installing, because cmake --install --prefix may still change the prefix.
foreach(module IN LISTS modules)
  install(CODE "
    set(PROJECT_VERSION \"${PROJECT_VERSION}\")
    set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
    set(pc_LIBDIR \"${pc_LIBDIR}\")
    set(pc_INCLUDEDIR \"${pc_INCLUDEDIR}\")
    configure_file(\"${PROJECT_SOURCE_DIR}/${module}.pc.in\"
      \"${PROJECT_BINARY_DIR}/${module}.pc\" @ONLY)")
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# SPDX-License-Identifier: MIT

# sdpower_objects(NAME): every file is compiled once, into objects that the static and the
# shared library share.
function(sdpower_objects name)
  add_library(${name} OBJECT)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  # libatomic_ops reads words as unsigned int, which is another type than uint32_t on some
  # 32-bit targets; see docs/PORTING.md.
  target_compile_options(${name} PRIVATE -Wconversion -Wvla -fno-strict-aliasing)
  target_link_libraries(${name} PRIVATE sdpower_flags PkgConfig::ATOMIC_OPS)
endfunction()

# While the major version is 0, a minor one may break programs that were linked before it.
set(SDPOWER_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(SDPOWER_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()

# sdpower_libraries(NAME OBJECTS MAP): NAME (static) and NAME_shared, known to hosts as
# sdpower::static and sdpower::shared (core), or sdpower::hosted-static and
# sdpower::hosted-shared; sdpower::sdpower and sdpower::hosted follow BUILD_SHARED_LIBS.
function(sdpower_libraries name objects map)
  string(REPLACE _ - output ${name})
  string(REGEX REPLACE "^sdpower-?(.*)$" "\\1" short ${output})
  set(prefix)
  set(alias sdpower)
  if(short)
    set(prefix ${short}-)
    set(alias ${short})
  endif()

  add_library(${name} STATIC $<TARGET_OBJECTS:${objects}>)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} EXPORT_NAME ${prefix}static)
  add_library(sdpower::${prefix}static ALIAS ${name})
  set(libraries ${name})

  if(SDPOWER_SHARED)
    add_library(${name}_shared SHARED $<TARGET_OBJECTS:${objects}>)
    set_target_properties(${name}_shared PROPERTIES OUTPUT_NAME ${output}
      EXPORT_NAME ${prefix}shared LINK_DEPENDS ${map}
      VERSION ${PROJECT_VERSION} SOVERSION ${SDPOWER_SOVERSION})
    target_link_options(${name}_shared PRIVATE -Wl,--version-script=${map} -Wl,--as-needed)
    if(NOT SDPOWER_SANITIZE)
      target_link_options(${name}_shared PRIVATE -Wl,-z,defs)
    endif()
    add_library(sdpower::${prefix}shared ALIAS ${name}_shared)
    list(APPEND libraries ${name}_shared)
  endif()

  foreach(library IN LISTS libraries)
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  endforeach()
  if(BUILD_SHARED_LIBS AND SDPOWER_SHARED)
    add_library(sdpower::${alias} ALIAS ${name}_shared)
  else()
    add_library(sdpower::${alias} ALIAS ${name})
  endif()
  set(SDPOWER_LIBRARIES ${libraries} PARENT_SCOPE)
  set_property(GLOBAL APPEND PROPERTY SDPOWER_INSTALLED ${libraries})
endfunction()

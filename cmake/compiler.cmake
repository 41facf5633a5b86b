# SPDX-License-Identifier: MIT
# Flags of everything built here; they reach no host that uses add_subdirectory.

add_library(sdpower_flags INTERFACE)
target_compile_options(sdpower_flags INTERFACE
  -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
  $<$<BOOL:${SDPOWER_WERROR}>:-Werror>)
target_compile_definitions(sdpower_flags INTERFACE $<$<CONFIG:Debug>:SDPOWER_DEBUG>)

if(SDPOWER_SANITIZE)
  add_compile_options(-fsanitize=${SDPOWER_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${SDPOWER_SANITIZE})
  # gcc warns that TSan models no fence. It need not: the words on both sides are atomic, so
  # there is no race to report, and the order itself is for the tests.
  if(SDPOWER_SANITIZE MATCHES thread)
    add_compile_options($<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()

# Coverage for libFuzzer in everything; the targets themselves: tests/fuzz.
if(SDPOWER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

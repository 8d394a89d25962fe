# Flags of all our code, as one interface target.
add_library(tritcheck_flags INTERFACE)
target_include_directories(tritcheck_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tritcheck_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-qual
                                                 $<$<BOOL:${TRITCHECK_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlapping copies in "literal" + std::string (GCC bug 105329)
  target_compile_options(tritcheck_flags INTERFACE -Wno-restrict)
endif()
if(TRITCHECK_SANITIZE)
  # a target with the property TRITCHECK_UNSANITIZED (the bug museum) is spared
  target_compile_options(tritcheck_flags INTERFACE
                         $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRITCHECK_UNSANITIZED>>>:-fsanitize=${TRITCHECK_SANITIZE}>
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tritcheck_flags INTERFACE -fsanitize=${TRITCHECK_SANITIZE})
endif()

# For code that spends its time elsewhere: what the compiler saves is worth more than what the code loses. Under
# sanitizers optimising is what takes the compiler longest.
set(TRITCHECK_LIGHT -O1)
if(TRITCHECK_SANITIZE)
  set(TRITCHECK_LIGHT -O0)
endif()

# Where programs go: <build>/bin, and the runners where an installed tritcheck has them too, relative to itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(TRITCHECK_FUZZ)
  # coverage for libFuzzer in everything it calls, which neither the bug museum nor a target with TRITCHECK_UNCOVERED is
  set(covered $<NOT:$<OR:$<BOOL:$<TARGET_PROPERTY:TRITCHECK_UNSANITIZED>>,$<BOOL:$<TARGET_PROPERTY:TRITCHECK_UNCOVERED>>>>)
  target_compile_options(tritcheck_flags INTERFACE $<${covered}:-fsanitize=fuzzer-no-link>)
  target_link_options(tritcheck_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

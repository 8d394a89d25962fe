# find_package(tritcheck): the program, the header of plug-ins, and a function that makes a test of a plug-in.
#
#   target_link_libraries(my_kernels PRIVATE tritcheck::kernel)     # include/tritcheck/kernel.h
#   tritcheck_add_test(my_kernels [NAME name] [ARGS option...])     # a CTest: tritcheck verify --lib <my_kernels> ...
get_filename_component(tritcheck_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET tritcheck::tritcheck)
  find_program(TRITCHECK_PROGRAM tritcheck HINTS "${tritcheck_prefix}/bin" NO_DEFAULT_PATH)
  if(NOT TRITCHECK_PROGRAM)
    set(tritcheck_FOUND FALSE)
    set(tritcheck_NOT_FOUND_MESSAGE "there is no ${tritcheck_prefix}/bin/tritcheck beside this file; install tritcheck again")
    return()
  endif()
  add_executable(tritcheck::tritcheck IMPORTED)
  set_target_properties(tritcheck::tritcheck PROPERTIES IMPORTED_LOCATION "${TRITCHECK_PROGRAM}")
  add_library(tritcheck::kernel INTERFACE IMPORTED)
  set_target_properties(tritcheck::kernel PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${tritcheck_prefix}/include")
endif()

# The test passes if every kernel of the plug-in does; if it fails, its output says what is wrong and how to see it again.
function(tritcheck_add_test plugin)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "NAME" "ARGS")
  if(NOT TARGET ${plugin})
    message(FATAL_ERROR "tritcheck_add_test: there is no target ${plugin}")
  endif()
  if(NOT test_NAME)
    set(test_NAME tritcheck.${plugin})
  endif()
  add_test(NAME ${test_NAME} COMMAND tritcheck::tritcheck verify --lib $<TARGET_FILE:${plugin}> ${test_ARGS})
endfunction()

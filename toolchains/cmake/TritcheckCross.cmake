# For every toolchain of TRITCHECK_CROSS a build of the runner alone, from the same sources, inside this build tree. It is
# part of `all` and looks for changes each time; its runner lies, and is installed, beside the native one.
if(TRITCHECK_CROSS AND NOT TRITCHECK_RUNNER_ONLY)
  include(ExternalProject)
  foreach(arch IN LISTS TRITCHECK_CROSS)
    set(toolchain ${PROJECT_SOURCE_DIR}/toolchains/${arch}.cmake)
    # the runner is built by the same compiler as the program, so that a run shows what that compiler makes of a kernel
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND EXISTS ${PROJECT_SOURCE_DIR}/toolchains/${arch}-clang.cmake)
      set(toolchain ${PROJECT_SOURCE_DIR}/toolchains/${arch}-clang.cmake)
    endif()
    if(NOT EXISTS ${toolchain})
      message(FATAL_ERROR "TRITCHECK_CROSS: there is no ${toolchain}; see toolchains/ for what there is")
    endif()
    ExternalProject_Add(tritcheck-runner-${arch}
      SOURCE_DIR ${PROJECT_SOURCE_DIR}
      BINARY_DIR ${PROJECT_BINARY_DIR}/cross/${arch}
      PREFIX ${PROJECT_BINARY_DIR}/cross/${arch}-steps
      CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DTRITCHECK_RUNNER_ONLY=ON
                 -DTRITCHECK_WERROR=${TRITCHECK_WERROR} -DTRITCHECK_LIBEXEC=${TRITCHECK_LIBEXEC}
                 -DTRITCHECK_EXTRA=${TRITCHECK_EXTRA}
      BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target tritcheck-runner tritcheck-library-runner
                                               tritcheck-block-museum
      INSTALL_COMMAND ""
      BUILD_ALWAYS ON
      BUILD_BYPRODUCTS ${TRITCHECK_LIBEXEC}/${arch}/tritcheck-runner
                       ${TRITCHECK_LIBEXEC}/${arch}/tritcheck-library-runner
                       ${TRITCHECK_LIBEXEC}/${arch}/tritcheck-block-museum.so)
    install(PROGRAMS ${TRITCHECK_LIBEXEC}/${arch}/tritcheck-runner ${TRITCHECK_LIBEXEC}/${arch}/tritcheck-library-runner
                     ${TRITCHECK_LIBEXEC}/${arch}/tritcheck-block-museum.so
            DESTINATION libexec/tritcheck/${arch})
  endforeach()
endif()

# PCRE2, 8-bit: the regular expressions of tokenisers. Found by file names, since neither pkg-config nor PCRE2's own CMake
# files need be there. Sets PCRE2_FOUND and makes the target PCRE2::8BIT; -DPCRE2_ROOT=FOLDER points to another copy.
find_path(PCRE2_INCLUDE_DIR pcre2.h)
find_library(PCRE2_LIBRARY NAMES pcre2-8 pcre2-8-static)
mark_as_advanced(PCRE2_INCLUDE_DIR PCRE2_LIBRARY)

if(PCRE2_INCLUDE_DIR)
  file(STRINGS ${PCRE2_INCLUDE_DIR}/pcre2.h lines REGEX "^#define +PCRE2_(MAJOR|MINOR) +[0-9]+")
  string(REGEX REPLACE "^.*MAJOR +([0-9]+).*MINOR +([0-9]+).*$" "\\1.\\2" PCRE2_VERSION "${lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PCRE2 REQUIRED_VARS PCRE2_LIBRARY PCRE2_INCLUDE_DIR VERSION_VAR PCRE2_VERSION
  REASON_FAILURE_MESSAGE "the tokeniser needs PCRE2 (8-bit): install libpcre2-dev, or whatever your system calls the \
development files of pcre2, or give its folder as -DPCRE2_ROOT=FOLDER")

if(PCRE2_FOUND AND NOT TARGET PCRE2::8BIT)
  add_library(PCRE2::8BIT UNKNOWN IMPORTED)
  set_target_properties(PCRE2::8BIT PROPERTIES IMPORTED_LOCATION ${PCRE2_LIBRARY}
                                               INTERFACE_INCLUDE_DIRECTORIES ${PCRE2_INCLUDE_DIR})
endif()

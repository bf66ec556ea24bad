# `muster --version` names the commit and the day of the build; both can be given, for repeatable packages.
find_package(Git QUIET)
set(MUSTER_COMMIT "" CACHE STRING "Commit shown by --version")
set(commit "${MUSTER_COMMIT}")
if(NOT commit AND GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # A build behind another commit names that one.
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} rev-parse --git-path logs/HEAD
                  OUTPUT_VARIABLE moves OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  cmake_path(ABSOLUTE_PATH moves BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(EXISTS "${moves}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${moves}")
  endif()
endif()
if(NOT commit)
  set(commit "unknown")
endif()
string(TIMESTAMP build_date "%Y-%m-%d" UTC)  # honours SOURCE_DATE_EPOCH
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.h.in ${CMAKE_BINARY_DIR}/generated/version.h @ONLY)

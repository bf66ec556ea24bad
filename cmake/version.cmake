# `muster --version` names the commit and the day of the build; both can be given, for repeatable packages.
find_package(Git QUIET)
set(MUSTER_COMMIT "" CACHE STRING "Commit shown by --version")
set(commit "${MUSTER_COMMIT}")
if(NOT commit AND GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
string(TIMESTAMP build_date "%Y-%m-%d" UTC)  # honours SOURCE_DATE_EPOCH
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.h.in ${CMAKE_BINARY_DIR}/generated/version.h @ONLY)

# Compiler and linker settings that every target shares.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                    -Wthread-safety -Wimplicit-fallthrough -Werror -fno-omit-frame-pointer
                    -Wno-missing-field-initializers -Wno-missing-designated-field-initializers)
# One setting for libraries and programs alike, or they could not share a precompiled header.
add_compile_options(-fPIE)
add_link_options(-fuse-ld=mold -pie)
add_compile_definitions(BOOST_ASIO_NO_DEPRECATED _GLIBCXX_ASSERTIONS)

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()
if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
  set(MUSTER_STATIC OFF)
endif()
if(MUSTER_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
  set(MUSTER_STATIC OFF)
endif()

# A precompiled header and ccache agree only when clang leaves the time stamp out of the former; paths
# are made relative so that every clone of the project shares what one of them compiled.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

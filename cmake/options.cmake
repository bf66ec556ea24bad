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

# Clones of the project share compiled objects: no absolute path of the tree takes part in ccache's hash. ccache makes
# the paths in a command relative to CCACHE_BASEDIR, debug information names the build folder as ".", the precompiled
# header is hashed by its .sum file (compile_pch.sh), and its source header, which CMake passes by an absolute path, is
# left out of the command. -fno-pch-timestamp: ccache restores files with other modification times.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>" -fdebug-compilation-dir=.)
endif()

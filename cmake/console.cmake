# muster_embed_console(TARGET): builds the web console with npm and embeds it, as compressed files, in TARGET. Without npm
# TARGET has no console, and its address says what is missing. .incbin, and not an array in C++: the assembler copies a
# megabyte in no time.
function(muster_embed_console target)
  set(dir ${CMAKE_BINARY_DIR}/console)
  file(MAKE_DIRECTORY ${dir})
  set(source ${dir}/console_bundle.cc)
  file(WRITE ${source}.new "#include \"apps/console_bundle.h\"

asm(R\"(
.section .rodata
.balign 16
.global muster_console_begin
.global muster_console_end
muster_console_begin:
.incbin \"${dir}/console.pack\"
muster_console_end:
.byte 0
.text
)\");

extern \"C\" const char muster_console_begin[];
extern \"C\" const char muster_console_end[];

namespace muster::apps {

std::string_view ConsoleBundle() {
  return {muster_console_begin, size_t(muster_console_end - muster_console_begin)};
}

}  // namespace muster::apps
")
  file(COPY_FILE ${source}.new ${source} ONLY_IF_DIFFERENT)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/console/src/* ${CMAKE_SOURCE_DIR}/console/public/*)
  list(APPEND inputs ${CMAKE_SOURCE_DIR}/tools/console.sh ${CMAKE_SOURCE_DIR}/console/index.html ${CMAKE_SOURCE_DIR}/console/package.json
       ${CMAKE_SOURCE_DIR}/console/package-lock.json ${CMAKE_SOURCE_DIR}/console/vite.config.mjs ${CMAKE_SOURCE_DIR}/console/tools/pack.mjs)
  add_custom_command(OUTPUT ${dir}/console.pack
    COMMAND ${CMAKE_SOURCE_DIR}/tools/console.sh ${dir}/console.pack
    DEPENDS ${inputs} VERBATIM)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${dir}/console.pack SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${source})
endfunction()

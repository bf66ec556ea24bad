# cmake -DROOT=folder -DFILES="a,b" -DOUT=file.cc -P embed.cmake: the files' texts as a C++ source. Texts, and not #embed:
# the compiler cache does not see what #embed reads.
string(REPLACE "," ";" files "${FILES}")
set(text "#include \"launcher/companions.h\"\n\nnamespace muster::launcher {\nnamespace {\n\nconstexpr CompanionFile kFiles[] = {\n")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" content)
  string(APPEND text "    {\"${file}\", R\"~muster~(${content})~muster~\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const CompanionFile> CompanionFiles() { return kFiles; }\n\n}  // namespace muster::launcher\n")
file(WRITE "${OUT}" "${text}")

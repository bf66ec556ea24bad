#include "objects/part_log.h"

#include <fmt/format.h>

#include "base/crc32c.h"
#include "base/text.h"

namespace muster::objects {
namespace {

std::string Sealed(const std::string& text) {
  return fmt::format("\n{} {:08x}\n", text, Crc32c(text));
}

// The text before the checksum; nothing if the line is torn.
std::optional<std::string_view> Unsealed(std::string_view line) {
  const size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(0, blank);
  if (fmt::format("{:08x}", Crc32c(text)) != line.substr(blank + 1)) return std::nullopt;
  return text;
}

}  // namespace

std::string WritePlaceLine(int64_t size) { return Sealed(fmt::format("place {}", size)); }

std::optional<int64_t> ReadPlaceLine(std::string_view line) {
  constexpr std::string_view kWord = "place ";
  const auto text = Unsealed(line);
  if (!text || !text->starts_with(kWord)) return std::nullopt;
  return ParseInt(text->substr(kWord.size()));
}

std::string WritePartLine(const Part& part) {
  return Sealed(fmt::format("{} {} {} {} {} {} {}", part.number, part.size, part.mtime_ms,
                            s3::Hex(part.md5), part.file.empty() ? "-" : part.file,
                            part.checksum ? Lower(s3::ChecksumName(part.checksum->kind)) : "-",
                            part.checksum ? part.checksum->value : "-"));
}

std::optional<Part> ReadPartLine(std::string_view line) {
  const auto text = Unsealed(line);
  if (!text) return std::nullopt;
  const auto words = Split(*text, ' ');
  if (words.size() != 7) return std::nullopt;
  const auto number = ParseInt(words[0]), size = ParseInt(words[1]), mtime = ParseInt(words[2]);
  const auto md5 = s3::FromHex(words[3]);
  if (!number || !size || !mtime || !md5) return std::nullopt;
  Part part{static_cast<int>(*number), *size, *mtime, *md5, words[4] == "-" ? "" : words[4], {}};
  if (const auto kind = s3::ChecksumKind(words[5])) part.checksum = s3::Checksum{*kind, words[6]};
  return part;
}

}  // namespace muster::objects

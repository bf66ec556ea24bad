#include "objects/object_meta.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::objects {
namespace {

// "1 MTIME SIZE ETAG[ a]" and one line per further property: a letter, a blank, the value. A tab
// separates two values. The bytes %, tab and line breaks are escaped.
constexpr char kType = 't', kKnownType = 'T', kHeader = 'h', kUser = 'u', kTag = 'g',
               kChecksum = 'c', kComposite = 'C', kParts = 'p', kPartDigests = 'P';

// The serialised metadata stays below 64 KiB.
constexpr size_t kMostPartDigests = 24 << 10;

// Default content types of clients, abbreviated so that the metadata fits into the inode: a larger
// attribute takes a separate block for each object.
constexpr std::pair<std::string_view, std::string_view> kKnownTypes[] = {
    {"o", "application/octet-stream"},
    {"b", "binary/octet-stream"},
    {"j", "application/json"},
    {"p", "text/plain; charset=utf-8"},
    {"y", "text/x-python; charset=utf-8"},
    {"c", "text/csv; charset=utf-8"},
    {"g", "application/gzip"},
    {"t", "application/x-tar"},
    {"z", "application/zip"}};

std::string Guard(std::string_view text) {
  std::string guarded;
  for (const char c : text) {
    if (c == '%' || c == '\t' || c == '\n' || c == '\0') {
      guarded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      guarded += c;
    }
  }
  return guarded;
}

std::string Unguard(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      bytes += s3::FromHex(text.substr(i + 1, 2)).value_or("");
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

std::optional<int64_t> HexNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The digest as base64 without padding; the part behind the dash unchanged.
std::string ShortEtag(const std::string& etag) {
  if (etag.empty()) return "-";
  const size_t dash = std::min(etag.find('-'), etag.size());
  const auto raw = s3::FromHex(std::string_view(etag).substr(0, dash));
  if (!raw || raw->size() != 16) return etag;
  return s3::Base64(*raw).substr(0, 22) + etag.substr(dash);
}

std::string LongEtag(std::string_view text) {
  if (text == "-") return {};
  const auto raw = s3::FromBase64(std::string(text.substr(0, 22)) + "==");
  if (!raw || raw->size() != 16) return std::string(text);
  return s3::Hex(*raw).append(text.substr(22));
}

void AddLine(std::string& text, char kind, std::string_view first,
             std::optional<std::string_view> second = std::nullopt) {
  text.append({'\n', kind, ' '}).append(Guard(first));
  if (second) text.append("\t").append(Guard(*second));
}

void AddType(std::string& text, const std::string& type) {
  for (const auto& [code, known] : kKnownTypes) {
    if (type == known) return AddLine(text, kKnownType, code);
  }
  if (!type.empty()) AddLine(text, kType, type);
}

bool ReadFirstLine(std::string_view line, ObjectMeta& meta) {
  const auto words = Split(line, ' ');
  if (words.size() < 4 || words[0] != "1") return false;
  const auto mtime = HexNumber(words[1]), size = HexNumber(words[2]);
  if (!mtime || !size) return false;
  meta.mtime_ns = *mtime;
  meta.size = *size;
  meta.etag = LongEtag(words[3]);
  meta.appendable = words.size() > 4 && words[4] == "a";
  return true;
}

void ReadLine(std::string_view line, ObjectMeta& meta) {
  if (line.size() < 2) return;
  const std::string_view rest = line.substr(2);
  const size_t tab = std::min(rest.find('\t'), rest.size());
  std::string first = Unguard(rest.substr(0, tab));
  std::string second = Unguard(rest.substr(std::min(tab + 1, rest.size())));
  switch (line[0]) {
    case kType:
      meta.content_type = std::move(first);
      break;
    case kKnownType:
      for (const auto& [code, type] : kKnownTypes) {
        if (first == code) meta.content_type = type;
      }
      break;
    case kHeader:
      meta.headers.emplace_back(std::move(first), std::move(second));
      break;
    case kUser:
      meta.user.emplace_back(std::move(first), std::move(second));
      break;
    case kTag:
      meta.tags.emplace_back(std::move(first), std::move(second));
      break;
    case kChecksum:
    case kComposite:
      if (const auto kind = s3::ChecksumKind(first)) {
        meta.checksum = s3::Checksum{*kind, std::move(second), line[0] == kComposite};
      }
      break;
    case kParts:
      meta.parts = ReadPartRuns(first);
      break;
    case kPartDigests:
      meta.part_digests = s3::FromBase64(first).value_or("");
      break;
    default:  // a property of a later version
      break;
  }
}

}  // namespace

std::optional<s3::Checksum> ObjectMeta::ChecksumOfPart(int64_t number) const {
  if (!checksum) return std::nullopt;
  const size_t each = s3::DigestSize(checksum->kind);
  const auto count = static_cast<size_t>(CountParts(parts));
  if (number < 1 || std::cmp_greater(number, count) || part_digests.size() != each * count) {
    return std::nullopt;
  }
  const size_t at = each * static_cast<size_t>(number - 1);
  return s3::Checksum{checksum->kind, s3::Base64(std::string_view(part_digests).substr(at, each)),
                      checksum->composite};
}

std::string WriteMeta(const ObjectMeta& meta) {
  std::string text = fmt::format("1 {:x} {:x} {}", meta.mtime_ns, meta.size, ShortEtag(meta.etag));
  if (meta.appendable) text += " a";
  if (meta.checksum) {
    AddLine(text, meta.checksum->composite ? kComposite : kChecksum,
            Lower(s3::ChecksumName(meta.checksum->kind)), meta.checksum->value);
  }
  if (const auto parts = WritePartRuns(meta.parts); !parts.empty()) AddLine(text, kParts, parts);
  if (!meta.part_digests.empty() && meta.part_digests.size() <= kMostPartDigests) {
    AddLine(text, kPartDigests, s3::Base64(meta.part_digests));
  }
  AddType(text, meta.content_type);
  for (const auto& [name, value] : meta.headers) AddLine(text, kHeader, name, value);
  for (const auto& [name, value] : meta.user) AddLine(text, kUser, name, value);
  for (const auto& [name, value] : meta.tags) AddLine(text, kTag, name, value);
  return text;
}

std::optional<ObjectMeta> ReadMeta(std::string_view text) {
  ObjectMeta meta;
  bool first = true;
  while (first || !text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (first && !ReadFirstLine(line, meta)) return std::nullopt;
    if (!first) ReadLine(line, meta);
    first = false;
  }
  return meta;
}

std::string IdentityEtag(uint64_t inode, int64_t mtime_ns, int64_t size) {
  return s3::Hex(
             s3::DigestOf(s3::DigestKind::kMd5, fmt::format("{} {} {}", inode, mtime_ns, size))) +
         "-1";
}

}  // namespace muster::objects

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace muster {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr char32_t kInvalidPoint = 0xFFFFFFFF;

struct Decoded {
  char32_t point;  // kInvalidPoint for invalid bytes
  size_t length;   // at least 1; for invalid bytes the length of the truncated character
};

struct Range {
  char32_t first, last;
};

// The valid range of the second byte excludes overlong forms, surrogates and values above Unicode.
Range SecondByte(unsigned char lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

// Precondition: `text` is not empty.
Decoded Decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {kInvalidPoint, 1};
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t point = lead & (0xFFu >> (length + 1));
  Range allowed = SecondByte(lead);
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size()) return {kInvalidPoint, i};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < allowed.first || byte > allowed.last) return {kInvalidPoint, i};
    point = (point << 6) | (byte & 0x3Fu);
    allowed = {0x80, 0xBF};
  }
  return {point, length};
}

// The length of the terminal escape sequence at the start of `text`, which begins with ESC. An
// unterminated string sequence (title, hyperlink) counts as two bytes, so that it cannot hide the
// rest.
size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return 1;
  const char kind = text[1];
  if (kind == '[') {
    size_t end = 2;
    while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3F) ++end;
    return end < text.size() && text[end] >= 0x40 && text[end] <= 0x7E ? end + 1 : end;
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    for (size_t i = 2; i < text.size(); ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == '\x1B' && i + 1 < text.size() && text[i + 1] == '\\') return i + 2;
    }
    return 2;
  }
  size_t end = 1;
  while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x2F) ++end;
  return end < text.size() && text[end] >= 0x30 && text[end] <= 0x7E ? end + 1 : end;
}

// C0 and C1 controls, line separators, and bidirectional marks, which can make a text look like
// another one.
bool IsControl(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C ||
         (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

// Sorted for the binary search below. Covers the scripts that terminals support; marks of other
// scripts count as one column.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x05BF, 0x05BF},  {0x05C1, 0x05C2},
    {0x05C4, 0x05C5}, {0x0610, 0x061A}, {0x064B, 0x065F},   {0x0670, 0x0670},  {0x06D6, 0x06DC},
    {0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED},   {0x0900, 0x0902},  {0x093C, 0x093C},
    {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},  {0x0E47, 0x0E4E},
    {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200F},  {0x2028, 0x202E},
    {0x2060, 0x2069}, {0x20D0, 0x20F0}, {0x302A, 0x302D},   {0x3099, 0x309A},  {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0001, 0xE01EF}};

constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4C6},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6DF}, {0x1F6EB, 0x1F6EC},
    {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD}};

bool IsIn(std::span<const Range> ranges, char32_t point) {
  const auto after = std::ranges::upper_bound(ranges, point, {}, &Range::first);
  return after != ranges.begin() && point <= std::prev(after)->last;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Decoded next = Decode(text.substr(i));
    if (next.point == kInvalidPoint) return false;
    i += next.length;
  }
  return true;
}

std::string CleanUtf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Decoded next = Decode(text.substr(i));
    clean += next.point == kInvalidPoint ? kReplacement : text.substr(i, next.length);
    i += next.length;
  }
  return clean;
}

std::string Printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\x1B') {
      i += EscapeLength(text.substr(i));
      continue;
    }
    const Decoded next = Decode(text.substr(i));
    if (next.point == kInvalidPoint) {
      clean += kReplacement;
    } else if (next.point == '\n') {
      clean += ' ';
    } else if (next.point == '\t' || !IsControl(next.point)) {
      clean += text.substr(i, next.length);
    }
    i += next.length;
  }
  return clean;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (size_t i = 0; i < text.size();) {
    const Decoded next = Decode(text.substr(i));
    i += next.length;
    if (next.point == kInvalidPoint) {
      ++width;
    } else if (!IsControl(next.point) && !IsIn(kZeroWidth, next.point)) {
      width += IsIn(kWide, next.point) ? 2 : 1;
    }
  }
  return width;
}

}  // namespace muster

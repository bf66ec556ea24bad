#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::objects {

constexpr size_t kLongestKey = 1024;

// Every key has a path below its bucket, and no path leaves it. Components of a key are the names
// on disk wherever that can be: "data/train.csv" is data/train.csv. What cannot be a name begins
// with '%' and one of "=-+:x" there:
//   %=NAME   the name itself: empty, ".", "..", or one that looks like one of these
//   %xNAME   the name with %00 and %25 for NUL and '%'
//   %-NAME   the object whose own name is taken by a folder: "a" beside "a/b"
//   %+PART   the first 253 bytes of a name above 255; a folder, in it more, and %:PART as the last
enum class Form { kPlain, kBeside };
std::string PathOfKey(std::string_view key, Form form = Form::kPlain);

// A name on disk (pieces of a long name joined) as a key component; nothing for names that no key
// has.
struct KeyName {
  std::string text;
  bool beside = false;
};
std::optional<KeyName> ReadKeyName(std::string_view name);

// Whether a name on disk is a piece of a long name, and the bytes that it contributes.
std::optional<std::string_view> LongNamePart(std::string_view name);  // %+
std::optional<std::string_view> LongNameEnd(std::string_view name);   // %:

}  // namespace muster::objects

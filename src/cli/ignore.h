#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The rules of one .gitignore or .musterignore file, as git reads them: comments, negation with
// '!', "folder/", patterns anchored by a '/', '*', '?', '[a-z]', "**". Matching takes time in the
// length of pattern times path, whatever the pattern.
class IgnoreRules {
 public:
  enum class Answer { kNone, kIgnored, kKept };

  static IgnoreRules Parse(std::string_view text);

  // What the last rule that matches says of `path`, which is relative to the folder of the file and
  // has '/' between its parts.
  Answer Match(std::string_view path, bool is_folder) const;
  bool empty() const { return rules_.empty(); }

 private:
  struct Element {
    enum class Kind { kByte, kOne, kClass, kStar, kFolders, kRest } kind;
    char byte = 0;
    std::bitset<256> set;
  };
  struct Rule {
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // matches the whole path, not just its last part
    bool literal = false;   // bytes alone, in `text`
    std::string text;
    std::vector<Element> elements;
  };
  class PatternReader;

  static void ParseLine(std::string_view line, std::vector<Rule>& rules);
  static bool Matches(const Rule& rule, std::string_view text);

  std::vector<Rule> rules_;
};

}  // namespace muster::cli

#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The rules of a .gitignore or .musterignore file with git's syntax: comments, negation with '!',
// "folder/", anchoring by '/', '*', '?', '[a-z]', "**". Matching takes time proportional to pattern
// length times path length.
class IgnoreRules {
 public:
  enum class Answer { kNone, kIgnored, kKept };

  static IgnoreRules Parse(std::string_view text);

  // The result of the last rule that matches `path`, which is relative to the folder of the file.
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
    bool anchored = false;  // matches the whole path rather than its last component
    bool literal = false;   // a literal text without wildcards
    std::string text;
    std::vector<Element> elements;
  };
  class PatternReader;

  static void ParseLine(std::string_view line, std::vector<Rule>& rules);
  static bool Matches(const Rule& rule, std::string_view text);

  std::vector<Rule> rules_;
};

}  // namespace muster::cli

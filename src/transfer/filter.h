#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::transfer {

// Whether `text` matches `pattern`: '*' any bytes including '/', '?' one byte, "[a-c]" and "[!x]"
// one byte of a set. The time is at most proportional to the product of both lengths.
bool Matches(std::string_view pattern, std::string_view text);

// Selects objects below a source by their relative name. The last matching rule decides. Without a
// match an object is included, unless the first rule is an include.
struct Filter {
  struct Rule {
    bool include = true;
    std::string pattern;  // a pattern without '/' is also compared with the last component
  };
  std::vector<Rule> rules;

  bool Takes(std::string_view name) const;
};

}  // namespace muster::transfer

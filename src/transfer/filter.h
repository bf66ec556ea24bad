#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::transfer {

// Whether `text` has the shape of `pattern`: '*' any bytes ('/' too), '?' one byte, "[a-c]" and
// "[!x]" one of a set. Time grows with the product of both lengths at most.
bool Matches(std::string_view pattern, std::string_view text);

// Which objects below a source take part, by their relative name. The last rule that matches
// decides; without a match everything does, unless the first rule is an include.
struct Filter {
  struct Rule {
    bool include = true;
    std::string pattern;  // without a '/' it is held against the last component too
  };
  std::vector<Rule> rules;

  bool Takes(std::string_view name) const;
};

}  // namespace muster::transfer

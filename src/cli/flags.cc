#include "cli/flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/habits.h"

namespace muster::cli {
namespace {

const Flag* FindLong(std::span<const Flag> table, std::string_view name) {
  for (const Flag& flag : table)
    if (name == flag.name) return &flag;
  return nullptr;
}

const Flag* FindLetter(std::span<const Flag> table, char letter) {
  for (const Flag& flag : table)
    if (flag.letter == letter) return &flag;
  return nullptr;
}

std::unexpected<Error> UnknownLong(std::span<const Flag> table, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Flag& flag : table) names.push_back(flag.name);
  const std::string_view close = DidYouMean(name, names);
  std::string next = HintForFlag(name, table);
  if (next.empty() && !close.empty()) next = fmt::format("did you mean --{}?", close);
  return Fail(Code::kInvalid, fmt::format("unknown flag --{}", Printable(name)), std::move(next));
}

// Reads the arguments in one pass; `at_` is the current one.
class Reader {
 public:
  Reader(std::span<const Flag> table, std::span<const std::string> arguments)
      : table_(table), arguments_(arguments) {}

  Result<Args> Read() {
    for (; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument == "--") {
        args_.has_rest = true;
        args_.rest.assign(arguments_.begin() + long(at_) + 1, arguments_.end());
        break;
      }
      if (argument.starts_with("--")) {
        MUSTER_TRY(Long(argument.substr(2)));
      } else if (argument.size() > 1 && argument[0] == '-') {
        MUSTER_TRY(Letters(argument.substr(1)));
      } else {
        args_.words.push_back(argument);
      }
    }
    return std::move(args_);
  }

 private:
  Status Long(std::string_view text) {
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const Flag* flag = FindLong(table_, name);
    if (!flag) return UnknownLong(table_, name);
    if (equals == std::string_view::npos) return Take(*flag, fmt::format("--{}", name));
    if (!flag->value)
      return Fail(Code::kInvalid, fmt::format("--{} takes no value, found {}", name,
                                              ShellQuote(Printable(text.substr(equals + 1)))));
    args_.Set(flag->name, text.substr(equals + 1));
    return {};
  }

  Status Letters(std::string_view letters) {
    for (size_t i = 0; i < letters.size(); ++i) {
      const Flag* flag = FindLetter(table_, letters[i]);
      if (!flag) return UnknownLetter(letters, i);
      const std::string_view tail = letters.substr(i + 1);
      if (!flag->value || tail.empty()) {
        MUSTER_TRY(Take(*flag, fmt::format("-{}", letters[i])));
        continue;
      }
      args_.Set(flag->name, tail.starts_with('=') ? tail.substr(1) : tail);
      return {};
    }
    return {};
  }

  Status UnknownLetter(std::string_view letters, size_t i) const {
    std::string next = HintForFlag(letters.substr(i, 1), table_);
    if (i == 0 && FindLong(table_, letters)) next = fmt::format("did you mean --{}?", letters);
    const std::string shown = Printable(i == 0 ? letters : letters.substr(i, 1));
    return Fail(Code::kInvalid, fmt::format("unknown flag -{}", shown), std::move(next));
  }

  // A switch, or a flag with its value in the next argument.
  Status Take(const Flag& flag, const std::string& shown) {
    if (!flag.value) {
      args_.Set(flag.name, "");
      return {};
    }
    const bool is_last = at_ + 1 >= arguments_.size();
    if (is_last || arguments_[at_ + 1] == "--" || IsKnownLong(arguments_[at_ + 1])) {
      const std::string found =
          is_last ? "found nothing" : fmt::format("found {}", arguments_[at_ + 1]);
      return Fail(Code::kInvalid, fmt::format("{} needs {}, {}", shown, flag.value, found));
    }
    args_.Set(flag.name, arguments_[++at_]);
    return {};
  }

  bool IsKnownLong(std::string_view text) const {
    return text.starts_with("--") && FindLong(table_, text.substr(2, text.find('=') - 2));
  }

  std::span<const Flag> table_;
  std::span<const std::string> arguments_;
  size_t at_ = 0;
  Args args_;
};

}  // namespace

bool Args::Has(std::string_view flag) const {
  for (const auto& entry : flags_)
    if (entry.first == flag) return true;
  return false;
}

std::string Args::Get(std::string_view flag, std::string_view fallback) const {
  for (auto entry = flags_.rbegin(); entry != flags_.rend(); ++entry)
    if (entry->first == flag) return entry->second;
  return std::string(fallback);
}

std::vector<std::pair<std::string, std::string>> Args::AllOf(std::string_view one,
                                                             std::string_view other) const {
  std::vector<std::pair<std::string, std::string>> found;
  std::ranges::copy_if(flags_, std::back_inserter(found),
                       [&](const auto& flag) { return flag.first == one || flag.first == other; });
  return found;
}

std::vector<std::string> Args::All(std::string_view flag) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : flags_)
    if (name == flag) values.push_back(value);
  return values;
}

Result<std::optional<int64_t>> Args::Int(std::string_view flag, int64_t low, int64_t high) const {
  if (!Has(flag)) return std::nullopt;
  const std::string text = Get(flag);
  const std::optional<int64_t> number = ParseInt(text);
  if (!number || *number < low || *number > high)
    return Fail(Code::kInvalid, fmt::format("--{}: found {}, expected a whole number from {} to {}",
                                            flag, ShellQuote(Printable(text)), low, high));
  return number;
}

void Args::Set(std::string_view flag, std::string_view value) { flags_.emplace_back(flag, value); }

Result<Args> ParseFlags(std::span<const Flag> table, std::span<const std::string> arguments) {
  return Reader(table, arguments).Read();
}

}  // namespace muster::cli

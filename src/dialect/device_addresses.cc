#include "dialect/device_addresses.h"

#include <arpa/inet.h>

#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::dialect {

namespace {

constexpr size_t kLongestRule = 256;
constexpr int64_t kLargest = 1'000'000'000;  // keeps products within 64 bits
constexpr int kDeepest = 32;
constexpr std::string_view kAddressKey = "address_";

bool IsAddress(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

// An expression in braces, parsed by recursive descent. Nothing if it is invalid.
class Sum {
 public:
  Sum(std::string_view text, int server, int device)
      : text_(text), server_(server), device_(device) {}

  std::optional<int64_t> Value() {
    const auto value = Terms(0);
    return value && at_ == text_.size() ? value : std::nullopt;
  }

 private:
  char Next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::optional<int64_t> Terms(int depth) {
    auto value = Factors(depth);
    while (value && (Next() == '+' || Next() == '-')) {
      const char sign = text_[at_++];
      const auto more = Factors(depth);
      if (!more) return std::nullopt;
      value = Small(sign == '+' ? *value + *more : *value - *more);
    }
    return value;
  }

  std::optional<int64_t> Factors(int depth) {
    auto value = Atom(depth);
    while (value && std::string_view("*/%").contains(Next()) && Next() != '\0') {
      const char sign = text_[at_++];
      const auto more = Atom(depth);
      if (!more || (sign != '*' && *more == 0)) return std::nullopt;
      value = Small(sign == '*' ? *value * *more : sign == '/' ? *value / *more : *value % *more);
    }
    return value;
  }

  std::optional<int64_t> Atom(int depth) {
    if (depth > kDeepest) return std::nullopt;
    const char c = Next();
    if (c == 's' || c == 'd') {
      ++at_;
      return c == 's' ? server_ : device_;
    }
    if (c == '(') {
      ++at_;
      const auto value = Terms(depth + 1);
      if (Next() != ')') return std::nullopt;
      ++at_;
      return value;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const auto number = ParseInt(text_.substr(begin, at_ - begin));
    return number ? Small(*number) : std::nullopt;
  }

  static std::optional<int64_t> Small(int64_t value) {
    return value >= -kLargest && value <= kLargest ? std::optional(value) : std::nullopt;
  }

  std::string_view text_;
  int64_t server_, device_;
  size_t at_ = 0;
};

std::unexpected<Error> BadRule(std::string_view rule, std::string_view part) {
  return Fail(Code::kInvalid,
              fmt::format("the address rule \"{}\" cannot be read at \"{}\"", Printable(rule),
                          Printable(part)),
              fmt::format("write it like {}", kPlanesRule));
}

}  // namespace

Result<std::map<int, std::string>> ParseHccnConf(std::string_view text) {
  std::map<int, std::string> addresses;
  size_t number = 0;
  for (const std::string& line : Split(text, '\n')) {
    ++number;
    const std::string_view trimmed = Trim(line);
    const size_t equal = trimmed.find('=');
    if (!trimmed.starts_with(kAddressKey) || equal == std::string_view::npos) continue;
    const auto device =
        ParseInt(Trim(trimmed.substr(kAddressKey.size(), equal - kAddressKey.size())));
    const std::string address(Trim(trimmed.substr(equal + 1)));
    if (!device || *device < 0 || *device > 1023 || !IsAddress(address)) {
      return Fail(Code::kInvalid, fmt::format("hccn.conf, line {}: found \"{}\", expected "
                                              "address_N=ADDRESS",
                                              number, Printable(trimmed)));
    }
    if (!addresses.emplace(int(*device), address).second) {
      return Fail(
          Code::kInvalid,
          fmt::format("hccn.conf, line {}: device {} has an address already", number, *device));
    }
  }
  return addresses;
}

Result<std::vector<std::string>> PickAddresses(const std::map<int, std::string>& known,
                                               const std::vector<int>& devices) {
  std::vector<std::string> picked;
  picked.reserve(devices.size());
  for (const int device : devices) {
    const auto found = known.find(device);
    if (found == known.end()) {
      return Fail(Code::kNotFound, fmt::format("hccn.conf has no address_{}", device),
                  "set it with hccn_tool, or give the addresses yourself");
    }
    picked.push_back(found->second);
  }
  return picked;
}

Result<std::string> AddressByRule(std::string_view rule, int server, int device) {
  if (rule.size() > kLongestRule) return BadRule(rule.substr(0, kLongestRule), "its end");
  std::string address;
  for (size_t at = 0; at < rule.size();) {
    if (rule[at] != '{') {
      address += rule[at++];
      continue;
    }
    const size_t end = rule.find('}', at);
    if (end == std::string_view::npos) return BadRule(rule, rule.substr(at));
    const auto value = Sum(rule.substr(at + 1, end - at - 1), server, device).Value();
    if (!value) return BadRule(rule, rule.substr(at, end - at + 1));
    address += std::to_string(*value);
    at = end + 1;
  }
  if (IsAddress(address)) return address;
  return Fail(Code::kInvalid,
              fmt::format("the address rule \"{}\" gives \"{}\" for server {}, device {}",
                          Printable(rule), Printable(address), server, device),
              "choose a rule that gives an IP address for every device");
}

}  // namespace muster::dialect

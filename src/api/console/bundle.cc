#include "api/console/bundle.h"

#include <optional>

#include "base/json.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr size_t kLengthDigits = 8;

std::unexpected<Error> Damaged() {
  return Fail(Code::kCorrupt, "the web console in this executable is damaged",
              "build the executable again");
}

// The bytes that an index entry [offset, length] stands for.
std::optional<std::string_view> Slice(std::string_view data, const json::object& entry,
                                      std::string_view name) {
  const json::array* range = GetArray(entry, name);
  if (range == nullptr || range->size() != 2) return std::nullopt;
  const auto* offset = range->at(0).if_int64();
  const auto* length = range->at(1).if_int64();
  if (offset == nullptr || length == nullptr || *offset < 0 || *length < 0) return std::nullopt;
  if (size_t(*offset) > data.size() || size_t(*length) > data.size() - size_t(*offset))
    return std::nullopt;
  return data.substr(size_t(*offset), size_t(*length));
}

}  // namespace

Result<Bundle> ReadBundle(std::string_view packed) {
  Bundle bundle;
  if (packed.empty()) return bundle;
  const auto size = ParseInt(packed.substr(0, kLengthDigits));
  if (!size || *size < 0 || packed.size() < kLengthDigits + size_t(*size)) return Damaged();
  const auto index = ParseJson(packed.substr(kLengthDigits, size_t(*size)));
  if (!index || !index->is_object()) return Damaged();
  const std::string_view data = packed.substr(kLengthDigits + size_t(*size));
  for (const auto& [path, value] : index->get_object()) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) return Damaged();
    const auto plain = Slice(data, *entry, "plain");
    const auto gzip = Slice(data, *entry, "gzip");
    const auto brotli = Slice(data, *entry, "brotli");
    if (!plain || !gzip || !brotli) return Damaged();
    bundle[std::string(path)] = {std::string(GetString(*entry, "type")), *plain, *gzip, *brotli};
  }
  return bundle;
}

}  // namespace muster::api

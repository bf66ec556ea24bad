#include "objects/listing.h"

#include <algorithm>

namespace muster::objects {
namespace {

// The prefix of the key up to the delimiter, which groups it with other keys; empty if there is
// none.
std::string_view CommonPrefix(std::string_view key, const ListQuery& query) {
  if (query.delimiter.empty() || !key.starts_with(query.prefix)) return {};
  const size_t at = key.find(query.delimiter, query.prefix.size());
  return at == std::string_view::npos ? std::string_view()
                                      : key.substr(0, at + query.delimiter.size());
}

// Nothing if no key can match.
std::optional<std::string> FirstOf(const ListQuery& query) {
  if (query.after.empty()) return query.prefix;
  const std::string_view common = CommonPrefix(query.after, query);
  const auto behind = common.empty() ? std::optional(query.after + '\0') : AfterPrefix(common);
  if (!behind) return std::nullopt;
  return std::max(*behind, query.prefix);
}

}  // namespace

Result<ListPage> ListKeys(KeyWalk& walk, const ListQuery& query, const Examine& examine) {
  ListPage page;
  const auto first = FirstOf(query);
  if (!first || query.most <= 0) return page;
  MUSTER_TRY(walk.Seek(*first));
  while (true) {
    MUSTER_ASSIGN(const auto key, walk.Next());
    if (!key || !key->starts_with(query.prefix)) return page;
    const auto count = page.keys.size() + page.prefixes.size();
    const std::string common(CommonPrefix(*key, query));
    ListedKey listed{.key = *key};
    if (common.empty() && !examine(walk, listed)) continue;
    if (count >= static_cast<size_t>(query.most)) {
      page.truncated = true;
      return page;
    }
    page.last = common.empty() ? *key : common;
    if (common.empty()) {
      page.keys.push_back(std::move(listed));
    } else {
      page.prefixes.push_back(common);
      walk.Skip(common);
    }
  }
}

}  // namespace muster::objects

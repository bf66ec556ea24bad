#include "launcher/view_fallback.h"

#include <algorithm>

#include "launcher/view_plan.h"

namespace muster::launcher {
namespace {

bool IsNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '%' || c == '@';
}

// Replaces `names[i].first` by `.second` where it is a separate word, or a path prefix followed by
// a slash; the longest name has precedence.
std::string Replaced(std::string_view text, const Pairs& names) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const bool begins = at == 0 || (!IsNamePart(text[at - 1]) && text[at - 1] != '/') ||
                        text.substr(0, at).ends_with("file://");
    const std::pair<std::string, std::string>* best = nullptr;
    for (const auto& name : names) {
      if (!begins || name.first.empty() || !text.substr(at).starts_with(name.first)) continue;
      const size_t end = at + name.first.size();
      if (end < text.size() && IsNamePart(text[end])) continue;
      if (best == nullptr || best->first.size() < name.first.size()) best = &name;
    }
    if (best == nullptr) {
      out += text[at++];
    } else {
      out += best->second;
      at += best->first.size();
    }
  }
  return out;
}

Pairs SourcesOf(const View& view) {
  Pairs names;
  for (const ViewMount& mount : view.mounts) names.emplace_back(mount.path, mount.source);
  return names;
}

Pairs AddressesOf(const NodeOrder& order) {
  Pairs names;
  for (const auto& [node, name] : *order.aliases) {
    if (node >= 0 && size_t(node) < order.hosts->size())
      names.emplace_back(name, (*order.hosts)[size_t(node)].first);
  }
  return names;
}

}  // namespace

std::string WithSources(std::string_view text, const View& view) {
  return Replaced(text, SourcesOf(view));
}

void WithoutView(NodeOrder& order, const std::function<bool(const std::string&)>& is_there) {
  View view = std::move(*order.view);
  std::erase_if(view.mounts, [&](const ViewMount& mount) {
    return (mount.scratch || mount.if_absent) && is_there(mount.path);
  });
  const Pairs names = SourcesOf(view);
  const Pairs addresses = AddressesOf(order);
  const auto lead = [&](std::string& text) { text = Replaced(text, names); };
  const auto lead_all = [&](Pairs& env) {
    for (auto& [name, value] : env) {
      lead(value);
      if (name.ends_with("_HOSTS")) value = Replaced(value, addresses);
    }
  };
  lead_all(order.env);
  lead(order.boot_file);
  for (std::string& folder : order.folders) lead(folder);
  for (OrderFile& file : order.files) {
    lead(file.path);
    file.content = Replaced(*file.content, names);
  }
  if (order.pre_start) std::ranges::for_each(order.pre_start->words, lead);
  for (RankOrder& rank : order.ranks) {
    for (std::string& word : rank.argv) {
      lead(word);
      word = Replaced(word, addresses);
    }
    lead(rank.cwd);
    lead_all(rank.env);
  }
  // A link outside the job's folders would be created on the machine itself.
  std::erase_if(view.links, [&](const auto& link) {
    return std::ranges::none_of(
        view.mounts, [&](const ViewMount& mount) { return IsWithin(link.first, mount.path); });
  });
  for (auto& [path, target] : view.links) lead(path);
  for (ViewMount& mount : view.mounts) mount.path = mount.source;
  order.view = std::move(view);
}

}  // namespace muster::launcher

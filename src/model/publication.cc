#include "model/publication.h"

#include <fmt/format.h>

namespace muster {
namespace {

constexpr int kVersion = 1;

std::string Text(const json::object& from, std::string_view key) {
  return std::string(GetString(from, key));
}

// Applies `take` to each member of a list, which must be an object.
template <typename Take>
Status ReadList(const json::object& from, std::string_view key, Take take) {
  const auto* list = GetArray(from, key);
  if (list == nullptr) return {};
  for (const json::value& one : *list) {
    const auto* member = one.if_object();
    if (member == nullptr || !take(*member))
      return Fail(Code::kCorrupt, fmt::format("a publication whose {} are not whole", key));
  }
  return {};
}

}  // namespace

json::object ToJsonObject(const Publication& publication) {
  json::array outputs, logs;
  for (const auto& [name, folder, to, sync_ms, overwrite] : publication.outputs)
    outputs.push_back(json::object{{"name", name},
                                   {"folder", folder},
                                   {"to", to},
                                   {"sync_ms", sync_ms},
                                   {"overwrite", overwrite}});
  for (const auto& [path, name] : publication.logs)
    logs.push_back(json::object{{"path", path}, {"name", name}});
  return {{"version", kVersion},
          {"job", publication.job},
          {"attempt", publication.attempt},
          {"job_name", publication.job_name},
          {"state", publication.state},
          {"data_dir", publication.data_dir},
          {"record_dir", publication.record_dir},
          {"outputs", std::move(outputs)},
          {"logs_to", publication.logs_to},
          {"logs", std::move(logs)}};
}

Result<Publication> PublicationFromJson(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return Fail(Code::kCorrupt, "a publication must be a JSON object");
  if (const int64_t version = GetInt(*object, "version"); version != kVersion)
    return Fail(Code::kInvalid,
                fmt::format("a publication of version {}, this launcher knows version {}", version,
                            kVersion),
                "use the same muster on the server and on the nodes");
  Publication publication{.job = GetInt(*object, "job"),
                          .attempt = int(GetInt(*object, "attempt", 1)),
                          .job_name = Text(*object, "job_name"),
                          .state = Text(*object, "state"),
                          .data_dir = Text(*object, "data_dir"),
                          .record_dir = Text(*object, "record_dir"),
                          .outputs = {},
                          .logs_to = Text(*object, "logs_to"),
                          .logs = {}};
  if (publication.data_dir.empty() || publication.record_dir.empty())
    return Fail(Code::kCorrupt, "a publication without data_dir or record_dir");
  MUSTER_TRY(ReadList(*object, "outputs", [&](const json::object& one) {
    publication.outputs.push_back({Text(one, "name"), Text(one, "folder"), Text(one, "to"),
                                   GetInt(one, "sync_ms"), GetBool(one, "overwrite")});
    return !publication.outputs.back().folder.empty() && !publication.outputs.back().to.empty();
  }));
  MUSTER_TRY(ReadList(*object, "logs", [&](const json::object& one) {
    publication.logs.push_back({Text(one, "path"), Text(one, "name")});
    return !publication.logs.back().path.empty() && !publication.logs.back().name.empty();
  }));
  if (!publication.logs.empty() && publication.logs_to.empty())
    return Fail(Code::kCorrupt, "a publication of logs that go nowhere");
  return publication;
}

}  // namespace muster

#include "api/console/job_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "api/console/download.h"
#include "base/json.h"
#include "base/text.h"
#include "objects/folder.h"

namespace muster::api {
namespace {

constexpr size_t kMostEntries = 5000;

using SharedReply = std::shared_ptr<http::Reply>;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Entry {
  std::string name;
  struct stat status = {};
  bool is_folder() const { return S_ISDIR(status.st_mode); }
};

int64_t MtimeMs(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

// "a/b", without what could lead out of a folder.
Status CheckPath(std::string_view path) {
  for (const std::string& part : Split(path, '/'))
    if (part.empty() || part == "." || part == "..")
      return Fail(Code::kInvalid, "path is not a path below an output folder");
  return {};
}

// The folders of a job that have outputs, by name; the folder of the job itself has an empty name.
std::map<std::string, os::Path> OutputsOf(const lifecycle::Conductor& conductor, const Job& job) {
  std::map<std::string, os::Path> folders;
  folders[""] = conductor.JobDir(job.id) / "outputs";
  for (const auto& [name, folder] : conductor.OutputFolders(job)) folders[name] = folder;
  return folders;
}

// Where a request points: an output folder, and a path in it.
struct Target {
  os::Path root;
  std::string path;
};

Result<Target> TargetOf(const JobFileParts& parts, const http::Request& request) {
  MUSTER_ASSIGN(const Job job, parts.conductor.Find(ParseInt(request.Param("id")).value_or(0)));
  const std::string output(request.Query("output").value_or(""));
  const auto folders = OutputsOf(parts.conductor, job);
  const auto found = folders.find(output);
  if (found == folders.end())
    return Fail(Code::kNotFound, fmt::format("job {} has no output of this name", job.id));
  Target target{found->second, std::string(request.Query("path").value_or(""))};
  if (!target.path.empty()) MUSTER_TRY(CheckPath(target.path));
  return target;
}

Result<std::vector<Entry>> ReadEntries(const Target& target) {
  std::vector<Entry> entries;
  auto root = objects::Folder::Open(target.root);
  if (!root && root.error().code == Code::kNotFound) return entries;
  if (!root) return std::unexpected(root.error());
  MUSTER_ASSIGN(os::Fd fd,
                root->Open(target.path.empty() ? "." : target.path, O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(fd.get()));
  if (!directory) return FailErrno(errno, "read the folder");
  const int at = fd.Release();
  while (const dirent* item = ::readdir(directory.get())) {
    Entry entry{item->d_name};
    if (entry.name == "." || entry.name == "..") continue;
    if (::fstatat(at, item->d_name, &entry.status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(entry.status.st_mode) && !entry.is_folder()) continue;
    entries.push_back(std::move(entry));
    if (entries.size() > kMostEntries) break;
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::pair(!a.is_folder(), a.name) < std::pair(!b.is_folder(), b.name);
  });
  return entries;
}

Result<http::Response> ListingAnswer(const Target& target) {
  MUSTER_ASSIGN(std::vector<Entry> entries, ReadEntries(target));
  const bool truncated = entries.size() > kMostEntries;
  if (truncated) entries.resize(kMostEntries);
  json::array list;
  for (const Entry& entry : entries)
    list.push_back(json::object{{"name", entry.name},
                                {"folder", entry.is_folder()},
                                {"size", entry.is_folder() ? 0 : int64_t{entry.status.st_size}},
                                {"mtime_ms", MtimeMs(entry.status)}});
  return http::JsonResponse(200,
                            json::object{{"entries", std::move(list)}, {"truncated", truncated}});
}

void ListFiles(const JobFileParts& parts, const http::Request& request, http::Reply reply) {
  Result<Target> target = TargetOf(parts, request);
  if (!target) return reply.Send(http::ErrorResponse(target.error()));
  parts.pool.Run([&loop = parts.loop, target = *std::move(target),
                  reply = std::make_shared<http::Reply>(std::move(reply))]() mutable {
    auto answer = std::make_shared<Result<http::Response>>(ListingAnswer(target));
    loop.Post([reply = std::move(reply), answer] {
      reply->Send(*answer ? **answer : http::ErrorResponse(answer->error()));
    });
  });
}

Result<http::FileBody> OpenFile(const Target& target) {
  MUSTER_ASSIGN(const objects::Folder root, objects::Folder::Open(target.root));
  MUSTER_ASSIGN(os::Fd file, root.Open(target.path, O_RDONLY | O_NONBLOCK));
  struct stat status;
  if (::fstat(file.get(), &status) != 0) return FailErrno(errno, "look at the file");
  if (!S_ISREG(status.st_mode)) return Fail(Code::kInvalid, "path names no file");
  return http::FileBody{std::move(file), 0, status.st_size};
}

void SendJobFile(const JobFileParts& parts, const http::Request& request, http::Reply reply) {
  Result<Target> target = TargetOf(parts, request);
  if (!target) return reply.Send(http::ErrorResponse(target.error()));
  auto file = OpenFile(*target);
  if (!file) return reply.Send(http::ErrorResponse(file.error()));
  http::Response head = DownloadHead(target->path, file->length);
  file->length = DownloadLength(request, file->length);
  reply.SendFile(std::move(head), *std::move(file));
}

void ListOutputs(const JobFileParts& parts, const http::Request& request, http::Reply reply) {
  const auto job = parts.conductor.Find(ParseInt(request.Param("id")).value_or(0));
  if (!job) return reply.Send(http::ErrorResponse(job.error()));
  json::array outputs;
  for (const auto& [name, folder] : OutputsOf(parts.conductor, *job))
    outputs.push_back(json::object{{"name", name}, {"folder", folder.string()}});
  reply.Send(http::JsonResponse(200, json::object{{"outputs", std::move(outputs)}}));
}

}  // namespace

void AddJobFileRoutes(http::Router& router, JobFileParts parts) {
  const auto add = [&](std::string path, auto run) {
    router.Add({.method = "GET",
                .pattern = "/api/v1/console/jobs/{id}" + path,
                .handler = [parts, run](const http::Request& request, http::Reply reply) {
                  run(parts, request, std::move(reply));
                }});
  };
  add("/outputs", ListOutputs);
  add("/files", ListFiles);
  add("/file", SendJobFile);
}

}  // namespace muster::api

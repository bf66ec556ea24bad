#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "store/code_store.h"

namespace muster::store {
namespace {

constexpr size_t kMaxName = 255;  // bytes of one component, the limit of file systems

// An entry in error messages: printable and at most one line long.
std::string Shown(std::string_view path) {
  constexpr size_t kLongest = 120;
  std::string text = Printable(path.substr(0, kLongest));
  if (path.size() > kLongest) text += "…";
  return fmt::format("\"{}\"", text);
}

std::unexpected<Error> Refuse(std::string_view path, std::string_view why) {
  return Fail(Code::kInvalid, fmt::format("code manifest: entry {}: {}", Shown(path), why));
}

// Why these are not the components of a valid relative path; null if they are.
const char* WrongComponent(std::string_view name) {
  if (name.empty()) return "has an empty component";
  if (name == "." || name == "..") return "has a component \".\" or \"..\"";
  if (name.size() > kMaxName) return "has a component of more than 255 bytes";
  return nullptr;
}

// As above, for any text that is used in the file system.
const char* WrongText(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > kMaxCodePath) return "is longer than 2048 bytes";
  if (text.find('\0') != std::string_view::npos) return "contains a NUL byte";
  if (!IsUtf8(text)) return "is not UTF-8";
  if (text.front() == '/') return "is absolute";
  return nullptr;
}

Status CheckPath(std::string_view path) {
  if (const char* wrong = WrongText(path)) return Refuse(path, fmt::format("its path {}", wrong));
  size_t depth = 0;
  for (const std::string& name : Split(path, '/')) {
    if (const char* wrong = WrongComponent(name))
      return Refuse(path, fmt::format("its path {}", wrong));
    if (++depth > kMaxCodeDepth)
      return Refuse(path, fmt::format("it is more than {} folders deep", kMaxCodeDepth));
  }
  return {};
}

// ".." may occur only at the start of a target, and at most once per folder above the link. Then no
// chain of links leaves the tree: no folder of the tree is a link, so each link ascends from its
// own position and then descends.
Status CheckLink(const CodeFile& file) {
  if (const char* wrong = WrongText(file.link))
    return Refuse(file.path, fmt::format("its link target {}", wrong));
  auto room = std::ranges::count(file.path, '/');
  bool climbing = true;
  for (const std::string& name : Split(file.link, '/')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      climbing = false;
    } else if (!climbing) {
      return Refuse(file.path, "its link target has \"..\" behind a name");
    } else if (--room < 0) {
      return Refuse(file.path, fmt::format("its link target {} is outside of the code folder",
                                           Shown(file.link)));
    }
  }
  if (file.executable) return Refuse(file.path, "it is a link and executable");
  if (file.sha256 != os::Sha256(file.link))
    return Refuse(file.path, "its sum is not of its target");
  if (file.size != int64_t(file.link.size()))
    return Refuse(file.path, fmt::format("its size is {}, its target has {} bytes", file.size,
                                         file.link.size()));
  return {};
}

Status CheckFile(const CodeFile& file) {
  MUSTER_TRY(CheckPath(file.path));
  if (!IsSha256(file.sha256))
    return Refuse(file.path, "\"sha256\" is not 64 lower-case hex digits");
  if (file.size < 0 || file.size > kMaxCodeFileSize)
    return Refuse(file.path,
                  fmt::format("its size {} is not between 0 and {}", file.size, kMaxCodeFileSize));
  return file.link.empty() ? Status{} : CheckLink(file);
}

// With '/' sorted below all other bytes, the entries of a folder directly follow its name.
bool BeforeByComponent(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(
      a, b, {}, [](char c) { return c == '/' ? 0 : uint8_t(c); },
      [](char c) { return c == '/' ? 0 : uint8_t(c); });
}

Status CheckTogether(const CodeManifest& manifest) {
  std::vector<std::string_view> paths;
  paths.reserve(manifest.files.size());
  for (const CodeFile& file : manifest.files) paths.push_back(file.path);
  std::ranges::sort(paths, BeforeByComponent);
  for (size_t i = 1; i < paths.size(); ++i) {
    const std::string_view before = paths[i - 1];
    const std::string_view path = paths[i];
    if (path == before) return Refuse(path, "it is there twice");
    if (path.starts_with(before) && path[before.size()] == '/')
      return Refuse(before,
                    fmt::format("it is a file or link, and also the folder of {}", Shown(path)));
  }
  return {};
}

Result<CodeFile> FileFromJson(const json::value& value, size_t index) {
  const auto refuse = [index](std::string_view path, std::string_view why) {
    return path.empty()
               ? Fail(Code::kInvalid, fmt::format("code manifest: files[{}]: {}", index, why))
               : Refuse(path, why);
  };
  const auto* object = value.if_object();
  if (object == nullptr) return refuse("", "expected an object");
  CodeFile file;
  file.path = GetString(*object, "path");
  for (const auto& [key, member] : *object) {
    if (key == "path" || key == "sha256" || key == "link") {
      if (!member.is_string()) return refuse(file.path, fmt::format("\"{}\" is not a text", key));
    } else if (key == "size") {
      if (!member.is_int64()) return refuse(file.path, "\"size\" is not a whole number");
    } else if (key == "executable") {
      if (!member.is_bool()) return refuse(file.path, "\"executable\" is neither true nor false");
    } else {
      return refuse(file.path, fmt::format("unknown member {}", Shown(key)));
    }
  }
  for (const char* needed : {"path", "sha256", "size"})
    if (!object->contains(needed))
      return refuse(file.path, fmt::format("\"{}\" is missing", needed));
  if (object->contains("link") && GetString(*object, "link").empty())
    return refuse(file.path, "its link target is empty");
  file.sha256 = GetString(*object, "sha256");
  file.size = GetInt(*object, "size");
  file.executable = GetBool(*object, "executable");
  file.link = GetString(*object, "link");
  return file;
}

}  // namespace

bool IsSha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string ManifestHash(const CodeManifest& manifest) {
  std::vector<const CodeFile*> files;
  files.reserve(manifest.files.size());
  for (const CodeFile& file : manifest.files) files.push_back(&file);
  std::ranges::sort(files, {},
                    [](const CodeFile* file) -> const std::string& { return file->path; });
  std::string text = "muster code 1\n";
  for (const CodeFile* file : files) {
    const char kind = !file->link.empty() ? 'l' : file->executable ? 'x' : 'f';
    // The length makes the line unambiguous for any path.
    text += fmt::format("{} {} {}:{}\n", kind, file->sha256, file->path.size(), file->path);
  }
  return os::Sha256(text);
}

json::object ToJsonObject(const CodeManifest& manifest) {
  json::array files;
  for (const CodeFile& file : manifest.files) {
    json::object object{{"path", file.path}, {"sha256", file.sha256}, {"size", file.size}};
    if (file.executable) object["executable"] = true;
    if (!file.link.empty()) object["link"] = file.link;
    files.push_back(std::move(object));
  }
  return {{"files", std::move(files)}};
}

Status CheckManifest(const CodeManifest& manifest) {
  if (manifest.files.size() > kMaxCodeFiles)
    return Fail(Code::kTooLarge,
                fmt::format("code manifest: {} files, at most {} are allowed",
                            manifest.files.size(), kMaxCodeFiles),
                "leave out data and environments with .musterignore");
  for (const CodeFile& file : manifest.files) MUSTER_TRY(CheckFile(file));
  return CheckTogether(manifest);
}

Result<CodeManifest> CodeManifestFromJson(const json::value& value) {
  const auto* object = value.if_object();
  const auto* files = object != nullptr ? GetArray(*object, "files") : nullptr;
  if (files == nullptr || object->size() != 1)
    return Fail(Code::kInvalid, "code manifest: expected {\"files\": [...]} and nothing else");
  CodeManifest manifest;
  if (files->size() <= kMaxCodeFiles) {
    manifest.files.reserve(files->size());
    for (size_t i = 0; i < files->size(); ++i) {
      MUSTER_ASSIGN(CodeFile file, FileFromJson((*files)[i], i));
      manifest.files.push_back(std::move(file));
    }
  } else {
    manifest.files.resize(files->size());  // refused below without parsing
  }
  MUSTER_TRY(CheckManifest(manifest));
  return manifest;
}

}  // namespace muster::store

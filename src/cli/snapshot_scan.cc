#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/folder_sizes.h"
#include "cli/ignore.h"
#include "cli/snapshot.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIgnoreHint = "list it in .musterignore, or take it out of the folder";
constexpr size_t kNamedAtMost = 5;

// The rules of one folder from both files; `prefix` is the path of the folder in the tree with a
// trailing '/', empty for the root.
struct Level {
  std::string prefix;
  IgnoreRules git, muster;
};

std::string NamedFew(const std::vector<std::string>& names) {
  std::vector<std::string> few(names.begin(),
                               names.begin() + long(std::min(names.size(), kNamedAtMost)));
  std::string text = Join(few, ", ");
  if (names.size() > few.size()) text += fmt::format(" and {} more", names.size() - few.size());
  return text;
}

class Scanner {
 public:
  Scanner(os::Path root, const SnapshotOptions& options) : options_(options) {
    snapshot_.root = std::move(root);
  }

  Result<Snapshot> Scan() {
    MUSTER_TRY(Folder(""));
    if (!links_out_.empty())
      return Fail(Code::kInvalid,
                  fmt::format("the code folder {} has symbolic links to files outside of it: {}",
                              snapshot_.root.string(), NamedFew(links_out_)),
                  "replace each by a copy, or list it in .musterignore");
    if (snapshot_.bytes > options_.limit) return TooLarge();
    Note("not a file", skipped_);
    Note("a virtual environment of Python, which works at its own place only", environments_);
    Note("the data folder of a server", data_folders_);
    std::ranges::sort(snapshot_.files, {}, &SnapshotFile::path);
    return std::move(snapshot_);
  }

  Result<std::string> ExcludedPart(const std::string& path) {
    for (size_t begin = 0;;) {
      const std::string prefix = path.substr(0, begin);
      MUSTER_ASSIGN(const std::vector<std::string> names, Names(snapshot_.root / prefix));
      if (SkipsFolder(prefix, names)) return prefix;
      MUSTER_ASSIGN(Level level, ReadLevel(prefix, names));
      levels_.push_back(std::move(level));
      const size_t slash = path.find('/', begin);
      const bool is_folder = slash != std::string::npos;
      const std::string part = path.substr(0, slash);
      if (part == ".git" || Ignored(part, is_folder)) return is_folder ? part + "/" : part;
      if (!is_folder) return std::string();
      begin = slash + 1;
    }
  }

 private:
  // `prefix` as in Level.
  Status Folder(const std::string& prefix) {
    const os::Path path = snapshot_.root / prefix;
    MUSTER_ASSIGN(std::vector<std::string> names, Names(path));
    if (SkipsFolder(prefix, names)) return {};
    MUSTER_ASSIGN(Level level, ReadLevel(prefix, names));
    levels_.push_back(std::move(level));
    for (const std::string& name : names) MUSTER_TRY(Entry(prefix, name));
    levels_.pop_back();
    return {};
  }

  // A virtual environment has links and paths that name its own place. A server's data folder
  // holds the snapshots themselves. `names` is sorted.
  bool SkipsFolder(const std::string& prefix, const std::vector<std::string>& names) {
    const auto has = [&](const char* name) { return std::ranges::binary_search(names, name); };
    if (prefix.empty()) return false;
    if (has("pyvenv.cfg") && has("bin")) {
      environments_.push_back(Printable(prefix));
      return true;
    }
    if (!has("journal.db") || !has("jobs")) return false;
    data_folders_.push_back(Printable(prefix));
    return true;
  }

  void Note(const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    snapshot_.notes.push_back(fmt::format("left out of the code ({}): {}", what, NamedFew(names)));
  }

  static Result<std::vector<std::string>> Names(const os::Path& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(path.c_str()), closedir);
    if (!dir) return FailErrno(errno, fmt::format("read the code folder {}", path.string()));
    std::vector<std::string> names;
    while (const dirent* entry = readdir(dir.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && name != ".git") names.emplace_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  Result<Level> ReadLevel(const std::string& prefix, const std::vector<std::string>& names) const {
    Level level{prefix, {}, {}};
    for (auto [file, rules] :
         {std::pair(".gitignore", &level.git), std::pair(".musterignore", &level.muster)}) {
      if (!std::ranges::binary_search(names, file)) continue;
      const os::Path path = snapshot_.root / prefix / file;
      struct stat info{};
      if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      MUSTER_ASSIGN(const std::string text, os::ReadFile(path, 1 << 20));
      *rules = IgnoreRules::Parse(text);
    }
    return level;
  }

  bool Ignored(const std::string& path, bool is_folder) const {
    using Answer = IgnoreRules::Answer;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      const std::string_view inner = std::string_view(path).substr(level->prefix.size());
      for (const IgnoreRules* rules : {&level->muster, &level->git}) {
        const Answer answer = rules->Match(inner, is_folder);
        if (answer != Answer::kNone) return answer == Answer::kIgnored;
      }
    }
    return false;
  }

  Status Entry(const std::string& prefix, const std::string& name) {
    const std::string path = prefix + name;
    const os::Path full = snapshot_.root / path;
    struct stat info{};
    if (lstat(full.c_str(), &info) != 0) {
      if (errno == ENOENT) return {};  // removed since the listing: treated as absent
      return FailErrno(errno, fmt::format("look at {}", full.string()));
    }
    if (Ignored(path, S_ISDIR(info.st_mode))) return {};
    if (!IsUtf8(name))
      return Fail(Code::kInvalid,
                  fmt::format("the file name {} in the code folder is not UTF-8", Printable(path)),
                  "rename it, or list it in .musterignore");
    if (S_ISDIR(info.st_mode)) return Folder(path + "/");
    if (S_ISLNK(info.st_mode)) return Link(path);
    if (!S_ISREG(info.st_mode)) {
      skipped_.push_back(Printable(path));
      return {};
    }
    if (faccessat(AT_FDCWD, full.c_str(), R_OK, AT_EACCESS) != 0) {
      auto failure = FailErrno(errno, fmt::format("read {}", full.string()));
      failure.error().next = kIgnoreHint;
      return failure;
    }
    return Add({path, "", info.st_size, (info.st_mode & 0100) != 0, ""});
  }

  Status Add(SnapshotFile file) {
    snapshot_.bytes += file.size;
    sizes_.Add(file.path, file.size);
    snapshot_.files.push_back(std::move(file));
    if (int64_t(snapshot_.files.size()) > options_.max_files) return TooMany();
    return {};
  }

  Status Link(const std::string& path) {
    const os::Path full = snapshot_.root / path;
    char buffer[PATH_MAX];
    const ssize_t size = readlink(full.c_str(), buffer, sizeof buffer);
    if (size < 0) return FailErrno(errno, fmt::format("read the link {}", full.string()));
    const fs::path target(std::string(buffer, size_t(size)));
    const fs::path folder = fs::path(path).parent_path();
    const fs::path inside = target.is_absolute() ? target.lexically_relative(snapshot_.root)
                                                 : (folder / target).lexically_normal();
    if (!StaysInside(inside, full)) {
      links_out_.push_back(Printable(fmt::format("{} -> {}", path, target.string())));
      return {};
    }
    // An absolute target refers to this machine rather than to the snapshot.
    const std::string kept = target.is_absolute()
                                 ? inside.lexically_relative(folder.empty() ? "." : folder).string()
                                 : target.string();
    return Add({path, os::Sha256(kept), int64_t(kept.size()), false, kept});
  }

  // Checks both the text and the resolved target: ".." after another link may lead elsewhere.
  bool StaysInside(const fs::path& inside, const os::Path& full) const {
    if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") return false;
    std::error_code error;
    const fs::path real = fs::canonical(full, error);
    if (error) return true;  // the target does not exist
    const fs::path relative = real.lexically_relative(snapshot_.root);
    return !relative.empty() && *relative.begin() != "..";
  }

  std::unexpected<Error> TooLarge() const {
    return Fail(Code::kTooLarge,
                fmt::format("the code folder {} has {}, more than the limit of {}; largest: {}",
                            snapshot_.root.string(), HumanSize(snapshot_.bytes),
                            HumanSize(options_.limit), sizes_.Largest(kNamedAtMost)),
                "list data and results in .musterignore, or raise the limit with --code-limit");
  }

  std::unexpected<Error> TooMany() const {
    return Fail(
        Code::kTooLarge,
        fmt::format("the code folder {} has more than {} files; largest so far: {}",
                    snapshot_.root.string(), options_.max_files, sizes_.Largest(kNamedAtMost)),
        "list data and environments in .musterignore, or point --code at a smaller folder");
  }

  const SnapshotOptions& options_;
  Snapshot snapshot_;
  FolderSizes sizes_;
  std::vector<Level> levels_;  // root first
  std::vector<std::string> links_out_, skipped_, environments_, data_folders_;
};

}  // namespace

Result<Snapshot> ScanFolder(const os::Path& folder, const SnapshotOptions& options) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) {
    auto failure =
        FailErrno(error.value(), fmt::format("find the code folder {}", folder.string()));
    failure.error().next = "name an existing folder with --code or `code:`, or --code none";
    return failure;
  }
  struct stat info{};
  if (stat(root.c_str(), &info) != 0)
    return FailErrno(errno, fmt::format("look at the code folder {}", root.string()));
  if (!S_ISDIR(info.st_mode))
    return Fail(
        Code::kInvalid,
        fmt::format("the code folder {} is {}, expected a folder", folder.string(),
                    S_ISREG(info.st_mode) ? "a file" : "not a folder"),
        fmt::format("name the folder around it: {}", ShellQuote(root.parent_path().string())));
  return Scanner(root, options).Scan();
}

Result<std::string> ExcludedPart(const os::Path& folder, const std::string& path) {
  const SnapshotOptions options;
  return Scanner(folder, options).ExcludedPart(path);
}

}  // namespace muster::cli

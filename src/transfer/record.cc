#include "transfer/record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <charconv>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/crc32c.h"
#include "base/json.h"
#include "s3/digest.h"

namespace muster::transfer {
namespace {

constexpr int64_t kLargest = 256 << 20;
constexpr auto kKept = std::chrono::hours(24 * 7);
constexpr size_t kWorthAWrite = 16 << 10;
constexpr int64_t kLongestWaitMs = 200;

// Removes journals of copies that were not resumed for a week.
void RemoveOld(const os::Path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".record") continue;
    const auto when = std::filesystem::last_write_time(entry.path(), error);
    if (error || std::filesystem::file_time_type::clock::now() - when < kKept) continue;
    if (!os::IsLocked(entry.path())) std::filesystem::remove(entry.path(), error);
  }
}

// The JSON of a line with a correct checksum; nothing otherwise.
std::optional<std::string_view> Checked(std::string_view line) {
  uint32_t crc = 0;
  if (line.size() < 10 || line[8] != ' ') return std::nullopt;
  const auto [end, error] = std::from_chars(line.data(), line.data() + 8, crc, 16);
  const std::string_view text = line.substr(9);
  if (error != std::errc() || end != line.data() + 8 || Crc32c(text) != crc) return std::nullopt;
  return text;
}

}  // namespace

Result<std::unique_ptr<Record>> Record::Open(const os::Path& folder, std::string_view identity) {
  MUSTER_TRY(os::MakeDirs(folder, 0700));
  RemoveOld(folder);
  const os::Path path = folder / (os::Sha256(identity).substr(0, 32) + ".record");
  MUSTER_ASSIGN(os::Fd fd, os::Open(path, O_RDWR | O_CREAT | O_APPEND, 0600));
  MUSTER_ASSIGN(const bool mine, os::TryLock(fd.get()));
  struct stat opened = {}, named = {};
  const bool removed = ::fstat(fd.get(), &opened) != 0 || ::stat(path.c_str(), &named) != 0 ||
                       // Removed by the process that held it until now.
                       opened.st_ino != named.st_ino;
  if (!mine || removed) {
    return Fail(Code::kConflict, "the same copy is under way already",
                "wait for it, or stop it first");
  }
  auto text = os::ReadFile(path, kLargest);
  if (!text && text.error().code != Code::kTooLarge) return std::unexpected(text.error());
  std::unique_ptr<Record> record(new Record(path, std::move(fd)));
  const MutexLock lock(record->mutex_);
  record->Load(text ? *text : std::string());
  return record;
}

void Record::Load(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      // The last line is torn by a kill; the next line must not be appended to it.
      (void)os::WriteAll(fd_.get(), "\n");
      return;
    }
    if (const auto json = Checked(text.substr(0, end))) Take(*json);
    text.remove_prefix(end + 1);
  }
}

void Record::Take(std::string_view text) {
  const auto value = ParseJson(text);
  const json::object* line = value ? value->if_object() : nullptr;
  if (line == nullptr) return;
  const auto object = s3::FromHex(GetString(*line, "object"));
  const std::string_view kind = GetString(*line, "kind");
  if (!object) return;
  if (kind == "begin") {
    begun_[*object] = {.identity = std::string(GetString(*line, "identity")),
                       .upload = std::string(GetString(*line, "upload")),
                       .with_crc = GetBool(*line, "crc"),
                       .part_size = GetInt(*line, "part_size")};
  } else if (kind == "part") {
    const auto it = begun_.find(*object);
    if (it == begun_.end()) return;
    it->second.parts[static_cast<int>(GetInt(*line, "number"))] = {
        std::string(GetString(*line, "etag")), std::string(GetString(*line, "digest"))};
  } else if (kind == "forget") {
    begun_.erase(*object);
  } else if (kind == "done") {
    begun_.erase(*object);
    done_[*object] = GetString(*line, "identity");
  }
}

void Record::Write(const std::string& json) {
  Add(json);
  Flush();
}

void Record::Add(const std::string& json) {
  fmt::format_to(std::back_inserter(waiting_), "{:08x} {}\n", Crc32c(json), json);
}

void Record::Flush() {
  if (waiting_.empty()) return;
  (void)os::WriteAll(fd_.get(), waiting_);
  waiting_.clear();
  flushed_ms_ = SystemClock().SteadyMs();
}

Record::~Record() {
  const MutexLock lock(mutex_);
  Flush();
}

std::optional<Record::Begun> Record::Find(const std::string& object) const {
  const MutexLock lock(mutex_);
  const auto it = begun_.find(object);
  return it == begun_.end() ? std::nullopt : std::optional(it->second);
}

bool Record::WasDone(const std::string& object, const std::string& identity) const {
  const MutexLock lock(mutex_);
  const auto it = done_.find(object);
  return it != done_.end() && it->second == identity;
}

bool Record::HasDone() const {
  const MutexLock lock(mutex_);
  return !done_.empty();
}

void Record::Begin(const std::string& object, const Begun& begun) {
  const MutexLock lock(mutex_);
  begun_[object] = begun;
  Write(ToJson(json::object{{"kind", "begin"},
                            {"object", s3::Hex(object)},
                            {"identity", begun.identity},
                            {"upload", begun.upload},
                            {"crc", begun.with_crc},
                            {"part_size", begun.part_size}}));
}

void Record::AddPart(const std::string& object, int number, const DonePart& part) {
  const MutexLock lock(mutex_);
  Write(ToJson(json::object{{"kind", "part"},
                            {"object", s3::Hex(object)},
                            {"number", number},
                            {"etag", part.etag},
                            {"digest", part.digest}}));
}

void Record::Forget(const std::string& object) {
  const MutexLock lock(mutex_);
  if (begun_.erase(object) == 0) return;
  Write(ToJson(json::object{{"kind", "forget"}, {"object", s3::Hex(object)}}));
}

void Record::Done(const std::string& object, const std::string& identity) {
  const MutexLock lock(mutex_);
  begun_.erase(object);
  Add(ToJson(json::object{{"kind", "done"}, {"object", s3::Hex(object)}, {"identity", identity}}));
  if (waiting_.size() >= kWorthAWrite || SystemClock().SteadyMs() - flushed_ms_ >= kLongestWaitMs) {
    Flush();
  }
}

void Record::Remove() {
  const MutexLock lock(mutex_);
  waiting_.clear();
  std::error_code error;
  std::filesystem::remove(path_, error);
}

}  // namespace muster::transfer

// Parsers of the store: code manifests from clients, and documents in rows of a modified journal.
// Accepted or rejected, without a crash.
#include <filesystem>

#include "base/testing/fuzz.h"
#include "os/temp_dir.h"
#include "store/code_store.h"
#include "store/journal.h"
#include "store/sqlite.h"
#include "store/test_jobs.h"

namespace {

using namespace muster;

// Rejected, or equal after a round trip through JSON.
void CheckManifest(std::string_view text) {
  const auto value = ParseJson(text);
  if (!value) return;
  const auto manifest = store::CodeManifestFromJson(*value);
  if (!manifest) return;
  for (const store::CodeFile& file : manifest->files) {
    const std::filesystem::path path(file.path);
    Require(!path.is_absolute() && path.lexically_normal() == path);
  }
  const auto again = store::CodeManifestFromJson(store::ToJsonObject(*manifest));
  Require(again && again->files == manifest->files);
  Require(store::ManifestHash(*again) == store::ManifestHash(*manifest));
}

// One job with an attempt and an event, whose columns are overwritten from outside.
class Rows {
 public:
  Rows() : journal_(OpenJournal(dir_)), db_(*store::Database::Open(dir_ / "journal.db")) {
    Attempt attempt;
    attempt.token = "token";
    Require(store::WriteAndWait(*journal_,
                                {store::PutJob{store::MakeJob(1)}, store::PutAttempt{1, attempt},
                                 store::AddEvent{1, 1, "state", {}}})
                .has_value());
    Require(db_.Script("PRAGMA synchronous = OFF").has_value());
  }

  void Check(const char* sql, std::string_view text) {
    if (!db_.Run(sql, {store::SqlValue(text)})) return;
    if (const auto job = journal_->FindJob(1); job && *job) (void)ToJsonObject(**job);
    (void)journal_->UnfinishedJobs();
    (void)journal_->Events(1, 0, 10);
    if (const auto rows = journal_->ListJobs({})) Require(rows->size() <= 1);
  }

 private:
  static std::unique_ptr<store::Journal> OpenJournal(const os::TempDir& dir) {
    auto opened = store::Journal::Open(dir / "journal.db");
    Require(opened.has_value());
    return std::move(*opened);
  }

  os::TempDir dir_;
  std::unique_ptr<store::Journal> journal_;
  store::Database db_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Rows rows;
  const auto [which, text] = Choose(data, size, 6);
  switch (which) {
    case 0:
      CheckManifest(text);
      break;
    case 1:
      rows.Check("UPDATE specs SET doc = ?1", text);
      break;
    case 2:
      rows.Check("UPDATE attempts SET doc = ?1", text);
      break;
    case 3:
      rows.Check("UPDATE events SET data = ?1", text);
      break;
    case 4:
      rows.Check("UPDATE jobs SET state = ?1", text);
      break;
    case 5:
      rows.Check("UPDATE jobs SET devices = ?1, name = ?1, reason = ?1", text);
      break;
  }
  return 0;
}

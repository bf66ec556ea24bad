#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {
// A recently used snapshot is kept for a while; the second look finds it old enough.
constexpr int64_t kSecondLookMs = 11 * 60'000;
}  // namespace

void Conductor::Impl::CollectCode() {
  if (std::exchange(collecting, true)) return;
  parts.pool.Run([this, still = here, &loop = parts.loop, &journal = parts.journal,
                  &code = parts.code, now = Now()] {
    const auto freed =
        code.Collect([&](const std::string& hash) { return journal.UsesCode(hash); }, now);
    if (!freed) {
      LogWarning("unused code stays for now: {}", freed.error().text);
    } else if (freed->trees + freed->blobs > 0) {
      LogInfo("{} code snapshots that no job uses are gone, {} freed", freed->trees,
              HumanSize(freed->bytes));
    }
    loop.Post([this, still] {
      if (*still) collecting = false;
    });
  });
}

void Conductor::Impl::CollectCodeTwice() {
  CollectCode();
  if (std::exchange(second_look_due, true)) return;
  parts.loop.After(kSecondLookMs, [this, still = here] {
    if (!*still) return;
    second_look_due = false;
    CollectCode();
  });
}

}  // namespace muster::lifecycle

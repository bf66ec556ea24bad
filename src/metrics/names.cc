#include "metrics/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace muster::metrics {

namespace {

constexpr size_t kLongestName = 24;

using Row = std::pair<std::string_view, std::string_view>;

// Sorted by the name in the log.
constexpr std::array kNames = std::to_array<Row>({
    {"acc", "accuracy"},
    {"acc1", "accuracy"},
    {"acc@1", "accuracy"},
    {"accuracy", "accuracy"},
    {"epoch", "epoch"},
    {"epochs", "epochs"},
    {"eval_accuracy", "accuracy"},
    {"global_step", "step"},
    {"images_per_sec", "throughput"},
    {"images_per_second", "throughput"},
    {"ips", "throughput"},
    {"items_per_second", "throughput"},
    {"iter", "step"},
    {"iteration", "step"},
    {"iterations", "steps"},
    {"learning_rate", "learning_rate"},
    {"loss", "loss"},
    {"lr", "learning_rate"},
    {"max_epochs", "epochs"},
    {"max_steps", "steps"},
    {"num_epochs", "epochs"},
    {"samples_per_sec", "throughput"},
    {"samples_per_second", "throughput"},
    {"step", "step"},
    {"steps", "steps"},
    {"test_acc", "accuracy"},
    {"test_accuracy", "accuracy"},
    {"throughput", "throughput"},
    {"tokens_per_second", "throughput"},
    {"top1", "accuracy"},
    {"total_epochs", "epochs"},
    {"total_steps", "steps"},
    {"train_acc", "accuracy"},
    {"train_accuracy", "accuracy"},
    {"train_loss", "loss"},
    {"val_acc", "val_accuracy"},
    {"val_accuracy", "val_accuracy"},
    {"val_loss", "val_loss"},
});
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

constexpr std::array<std::string_view, 17> kThings{
    "example", "examples",  "frames",   "image",   "images",   "imgs",
    "img",     "items",     "pictures", "records", "sample",   "samples",
    "seq",     "sequences", "tokens",   "words",   "sentences"};

// Lower case into `buffer`; empty when it is too long to be one of ours.
std::string_view Lowered(std::string_view word, std::array<char, kLongestName>& buffer) {
  if (word.size() > kLongestName) return {};
  std::transform(word.begin(), word.end(), buffer.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return {buffer.data(), word.size()};
}

}  // namespace

std::string_view CommonName(std::string_view name) {
  std::array<char, kLongestName> buffer;
  const std::string_view word = Lowered(name, buffer);
  const auto found =
      std::lower_bound(kNames.begin(), kNames.end(), word,
                       [](const Row& row, std::string_view w) { return row.first < w; });
  return found != kNames.end() && found->first == word ? found->second : std::string_view();
}

bool IsCountedThing(std::string_view word) {
  std::array<char, kLongestName> buffer;
  return std::find(kThings.begin(), kThings.end(), Lowered(word, buffer)) != kThings.end();
}

}  // namespace muster::metrics

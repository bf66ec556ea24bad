#include "lifecycle/watchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::lifecycle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchersTest : public testing::Test {
 protected:
  Watchers::Id Add(std::optional<JobId> job, std::string name) {
    return watchers_.Add(job, [this, name = std::move(name)] { told_.push_back(name); });
  }
  std::vector<std::string> Tell(const std::set<JobId>& changed) {
    told_.clear();
    watchers_.Tell(changed);
    return told_;
  }

  Watchers watchers_;
  std::vector<std::string> told_;
};

TEST_F(WatchersTest, WatchersOfAChangedJobAndOfAllJobsAreCalled) {
  Add(1, "one");
  Add(2, "two");
  Add(std::nullopt, "all");
  Add(1, "one again");
  EXPECT_THAT(Tell({1}), ElementsAre("all", "one", "one again"));
  EXPECT_THAT(Tell({1, 2}), ElementsAre("all", "one", "one again", "two"));
  EXPECT_THAT(Tell({3}), ElementsAre("all"));
  EXPECT_THAT(Tell({}), IsEmpty());
}

TEST_F(WatchersTest, RemovedWatchersAreNotCalled) {
  const auto one = Add(1, "one"), all = Add(std::nullopt, "all");
  watchers_.Remove(one);
  watchers_.Remove(one);
  EXPECT_THAT(Tell({1}), ElementsAre("all"));
  watchers_.Remove(all);
  EXPECT_THAT(Tell({1}), IsEmpty());
  EXPECT_EQ(watchers_.size(), 0u);
}

TEST_F(WatchersTest, WatcherMayRemoveItselfAndOthers) {
  Watchers::Id first = 0, second = 0;
  first = watchers_.Add(1, [&] {
    watchers_.Remove(first);
    watchers_.Remove(second);
    told_.emplace_back("first");
  });
  second = Add(1, "second");
  Add(1, "third");
  EXPECT_THAT(Tell({1}), ElementsAre("first", "third"));
}

}  // namespace
}  // namespace muster::lifecycle

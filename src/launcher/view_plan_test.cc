#include "launcher/view_plan.h"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;

// Paths with a trailing '/' are folders, "a -> b" are links, others are files.
class SomeFiles : public MachineFiles {
 public:
  explicit SomeFiles(const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) {
      if (const size_t arrow = entry.find(" -> "); arrow != std::string::npos) {
        found_[entry.substr(0, arrow)] = Found::kLink;
        targets_[entry.substr(0, arrow)] = entry.substr(arrow + 4);
      } else if (entry.ends_with('/')) {
        found_[entry.substr(0, entry.size() - 1)] = Found::kFolder;
      } else {
        found_[entry] = Found::kFile;
      }
    }
  }
  Found Look(const std::string& path) const override {
    const auto it = found_.find(path);
    return it == found_.end() ? Found::kNothing : it->second;
  }
  bool LeadsToFile(const std::string& path) const override {
    return Look(path) == Found::kFile ||
           (Look(path) == Found::kLink && Look(targets_.at(path)) == Found::kFile);
  }
  std::vector<std::string> List(const std::string& folder) const override {
    const std::string front = folder == "/" ? "/" : folder + "/";
    std::vector<std::string> names;
    for (const auto& [path, found] : found_) {
      if (path.starts_with(front) && path.find('/', front.size()) == std::string::npos)
        names.push_back(path.substr(front.size()));
    }
    return names;
  }
  std::string LinkTarget(const std::string& path) const override { return targets_.at(path); }

 private:
  std::map<std::string, Found> found_;
  std::map<std::string, std::string> targets_;
};

// "folder /a", "file /a", "link /a -> b", "bind /a <- /b"; the folder or file below a bind is
// omitted.
std::vector<std::string> Shown(const View& view, const SomeFiles& machine) {
  std::vector<std::string> shown;
  const ViewPlan plan = PlanView(view, "/root", machine);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ViewStep& step = plan.steps[i];
    switch (step.kind) {
      case ViewStep::Kind::kFolder:
      case ViewStep::Kind::kFile:
        if (i + 1 == plan.steps.size() || plan.steps[i + 1].kind != ViewStep::Kind::kBind)
          shown.push_back("folder " + step.path);
        break;
      case ViewStep::Kind::kLink:
        shown.push_back(fmt::format("link {} -> {}", step.path, step.source));
        break;
      case ViewStep::Kind::kBind:
        shown.push_back(fmt::format("bind {} <- {}", step.path, step.source));
        break;
      case ViewStep::Kind::kCopy:
        shown.push_back(fmt::format("copy {} <- {}", step.path, step.source));
    }
  }
  return shown;
}

TEST(ViewPlanTest, MissingNamesAreAddedToThoseOfTheMachine) {
  const SomeFiles machine({"/bin -> usr/bin", "/etc/", "/usr/", "/init"});
  EXPECT_THAT(Shown({.mounts = {{"/cache", "/jobs/1/cache"}}, .links = {}, .keep = {}}, machine),
              ElementsAre("link /bin -> usr/bin", "bind /etc <- /etc", "bind /init <- /init",
                          "bind /usr <- /usr", "bind /cache <- /jobs/1/cache"));
}

TEST(ViewPlanTest, FolderWithAMissingNameIsRebuilt) {
  const SomeFiles machine({"/home/", "/home/li/", "/home/note", "/usr/"});
  EXPECT_THAT(Shown({.mounts = {{"/home/ma-user", "/j/home"}, {"/home/ma-user/log", "/j/log"}},
                     .links = {},
                     .keep = {}},
                    machine),
              ElementsAre("folder /home", "bind /home/li <- /home/li",
                          "bind /home/note <- /home/note", "bind /usr <- /usr",
                          "bind /home/ma-user <- /j/home", "bind /home/ma-user/log <- /j/log"));
}

TEST(ViewPlanTest, FilesOfEtcAreCopiedCompletely) {
  std::vector<std::string> entries{"/etc/", "/etc/apt/", "/etc/mtab -> /proc/mounts"};
  for (int i = 0; i < 600; ++i) entries.push_back(fmt::format("/etc/x{}.conf", i));
  const auto shown = Shown({.mounts = {{"/etc/volcano", "/j/volcano"}}, .links = {}, .keep = {}},
                           SomeFiles(entries));
  EXPECT_THAT(shown, SizeIs(604));
  EXPECT_THAT(
      shown,
      IsSupersetOf({"folder /etc", "bind /etc/apt <- /etc/apt", "link /etc/mtab -> /proc/mounts",
                    "copy /etc/x0.conf <- /etc/x0.conf", "bind /etc/volcano <- /j/volcano"}));
}

TEST(ViewPlanTest, ExistingFolderIsCoveredInPlace) {
  const SomeFiles machine({"/tmp/", "/tmp/x", "/usr/"});
  EXPECT_THAT(Shown({.mounts = {{"/tmp", "/j/tmp"}}, .links = {}, .keep = {}}, machine),
              ElementsAre("bind /usr <- /usr", "bind /tmp <- /j/tmp"));
}

TEST(ViewPlanTest, LinksDoNotLeaveTheView) {
  const SomeFiles machine({"/data -> /mnt/data", "/home -> /usr/home", "/home/li/", "/usr/"});
  EXPECT_THAT(
      Shown(
          {.mounts = {{"/data", "/j/data"}, {"/home/ma-user", "/j/home"}}, .links = {}, .keep = {}},
          machine),
      ElementsAre("folder /home", "bind /home/li <- /home/li", "bind /usr <- /usr",
                  "bind /data <- /j/data", "bind /home/ma-user <- /j/home"));
}

TEST(ViewPlanTest, KeptPathsAreBoundOverWhatHidesThem) {
  const SomeFiles machine({"/tmp/", "/tmp/data/", "/tmp/muster", "/srv/"});
  EXPECT_THAT(Shown({.mounts = {{"/tmp", "/tmp/data/j/tmp"}},
                     .links = {},
                     .keep = {"/tmp/data", "/tmp/muster", "/srv", "/tmp/gone", "/tmpx"}},
                    machine),
              ElementsAre("bind /srv <- /srv", "bind /tmp <- /tmp/data/j/tmp",
                          "bind /tmp/data <- /tmp/data", "bind /tmp/muster <- /tmp/muster"));
}

TEST(ViewPlanTest, MissingUserSourceIsReported) {
  const SomeFiles machine({"/usr/"});
  ViewMount given{"/in/data_0", "/nowhere"};
  given.given = true;
  const ViewPlan plan = PlanView({.mounts = {given}, .links = {}, .keep = {}}, "", machine);
  EXPECT_THAT(plan.missing, ElementsAre("/in/data_0 (there is no /nowhere)"));
  EXPECT_THAT(plan.steps, SizeIs(2));
}

TEST(ViewPlanTest, OptionalNameIsSkippedIfTheMachineHasIt) {
  ViewMount data{"/data", "/j/data"};
  data.if_absent = true;
  const View view{.mounts = {data}, .links = {}, .keep = {}};
  EXPECT_THAT(Shown(view, SomeFiles({"/data/"})), ElementsAre("bind /data <- /data"));
  EXPECT_THAT(Shown(view, SomeFiles({"/usr/"})),
              ElementsAre("bind /usr <- /usr", "bind /data <- /j/data"));
}

TEST(ViewPlanTest, CrowdedFoldersKeepOnlyRequiredEntries) {
  std::vector<std::string> entries{"/home/"};
  for (int i = 0; i < 1000; ++i) entries.push_back(fmt::format("/home/u{}/", i));
  const View view{.mounts = {{"/home/ma-user", "/j/home"}}, .links = {}, .keep = {"/home/u7/data"}};
  EXPECT_THAT(
      Shown(view, SomeFiles(entries)),
      ElementsAre("folder /home", "bind /home/u7 <- /home/u7", "bind /home/ma-user <- /j/home"));
  const ViewPlan plan = PlanView(view, "/home/u9", SomeFiles(entries));
  EXPECT_THAT(plan.missing, ElementsAre(HasSubstr("most of /home")));
  EXPECT_THAT(plan.steps, SizeIs(7));
}

TEST(ViewPlanTest, FileOfTheUserIsAFileInTheView) {
  ViewMount given{"/in/data_0", "/set.rec"};
  given.given = true;
  const ViewPlan plan =
      PlanView({.mounts = {given}, .links = {}, .keep = {}}, "", SomeFiles({"/set.rec"}));
  EXPECT_EQ(plan.steps[2].kind, ViewStep::Kind::kFile);
  EXPECT_THAT(plan.missing, IsEmpty());
}

TEST(ViewPlanTest, LinkOfTheUserIsResolved) {
  ViewMount given{"/in/data_0", "/link"};
  given.given = true;
  const View view{.mounts = {given}, .links = {}, .keep = {}};
  const auto kind = [&](const std::vector<std::string>& entries) {
    const ViewPlan plan = PlanView(view, "", SomeFiles(entries));
    return plan.steps[plan.steps.size() - 2].kind;
  };
  EXPECT_EQ(kind({"/link -> /file", "/file"}), ViewStep::Kind::kFile);
  EXPECT_EQ(kind({"/link -> /set", "/set/"}), ViewStep::Kind::kFolder);
}

TEST(ViewPlanTest, LinksOfTheViewComeLast) {
  const View view{.mounts = {{"/pod", "/j/pod"}}, .links = {{"/pod.env", "/pod/env"}}, .keep = {}};
  EXPECT_THAT(Shown(view, SomeFiles({"/usr/"})),
              ElementsAre("bind /usr <- /usr", "bind /pod <- /j/pod", "link /pod.env -> /pod/env"));
}

}  // namespace
}  // namespace muster::launcher

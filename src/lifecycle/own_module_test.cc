#include "lifecycle/own_module.h"

#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::lifecycle {
namespace {

TEST(FindModule, ModuleWithTheFewestFoldersAroundItIsFound) {
  const os::TempDir dir;
  dir.Write("a/b/utils.py", "");
  dir.Write("lib/utils.py", "");
  dir.Write("src/pkg/__init__.py", "");
  EXPECT_EQ(FindModule(dir.path(), "utils"), "lib/utils.py");
  EXPECT_EQ(FindModule(dir.path(), "pkg"), "src/pkg");
  EXPECT_EQ(FindModule(dir.path(), "torch"), "");
  EXPECT_EQ(FindModule(dir.path() / "missing", "utils"), "");
}

}  // namespace
}  // namespace muster::lifecycle

#pragma once

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace muster {

// Checks a property on `cases` random cases inside a test, and prints the smallest failing case.
// The seed is fixed, so that failures are reproducible; RC_PARAMS="seed=7 max_success=100000" in
// the environment tries others.
template <typename Property>
void CheckProperty(int cases, Property&& property) {
  ::setenv("RC_PARAMS", "seed=1", /*overwrite=*/0);
  const bool counted =
      std::string_view(std::getenv("RC_PARAMS")).find("max_success") != std::string_view::npos;
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (!counted) params.maxSuccess = cases;
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description =
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto result = rc::detail::checkTestable(std::forward<Property>(property), metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  FAIL() << text.str();
}

}  // namespace muster

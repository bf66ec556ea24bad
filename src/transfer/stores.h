#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/thread_annotations.h"
#include "transfer/store.h"

namespace muster::transfer {

// The object stores of this run by profile name, opened at first use. Any thread.
class Stores {
 public:
  using Find = std::function<Result<Profile>(const std::string& name)>;
  explicit Stores(Find find) : find_(std::move(find)) {}

  // "" is the default profile.
  Result<std::shared_ptr<Store>> For(const std::string& name) EXCLUDES(mutex_);

 private:
  const Find find_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Store>> stores_ GUARDED_BY(mutex_);
};

}  // namespace muster::transfer

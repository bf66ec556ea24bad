#include "transfer/stores.h"

namespace muster::transfer {

Result<std::shared_ptr<Store>> Stores::For(const std::string& name) {
  const MutexLock lock(mutex_);
  auto& store = stores_[name];
  if (!store) {
    MUSTER_ASSIGN(Profile profile, find_(name));
    store =
        std::make_shared<Store>(std::move(profile), [find = find_, name] { return find(name); });
  }
  return store;
}

}  // namespace muster::transfer

#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>

#include "http/client.h"
#include "os/fd.h"
#include "transfer/s3_client.h"
#include "transfer/session.h"

namespace muster::transfer {

// One thread of a copy with its connections, which it keeps from one object to the next.
class Worker {
 public:
  explicit Worker(Session& its_session);

  Session& session;
  const unsigned hand;  // its number in the session
  std::string buffer;   // for bytes on their way

  Result<S3Client*> StoreFor(const std::string& profile);
  Result<http::Client*> HostFor(const std::string& origin);
  // An unnamed file for bytes that go from one server to another.
  Result<int> Spool();

  // Tries a request by the table of retry.h until it is served, given up, or must begin anew.
  // `store` is whom it asks; null: no object store.
  template <typename Request>
  auto Try(Store* store, const Request& request) -> decltype(request()) {
    for (int tries = 1;; ++tries) {
      auto outcome = request();
      if (outcome || session.stopped() || !Mend(outcome.error(), store, tries)) return outcome;
    }
  }

 private:
  // Waits, sets the clock or reads keys; false when another try makes no sense.
  bool Mend(const Trouble& trouble, Store* store, int tries);

  std::map<std::string, std::unique_ptr<S3Client>> stores_;
  std::map<std::string, std::unique_ptr<http::Client>> hosts_;
  os::Fd spool_;
  std::minstd_rand random_;
};

}  // namespace muster::transfer

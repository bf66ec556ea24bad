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

// One thread of a copy with its connections, which it reuses for all objects.
class Worker {
 public:
  explicit Worker(Session& its_session);

  Session& session;
  const unsigned hand;  // its number in the session
  std::string buffer;   // buffer for bytes in transit

  Result<S3Client*> StoreFor(const std::string& profile);
  Result<http::Client*> HostFor(const std::string& origin);
  // An unnamed file for bytes that are copied between two servers.
  Result<int> Spool();

  // Repeats a request by the table of retry.h until it succeeds, fails, or the object must restart.
  // `store` is the store that receives the request; null if it is not an object store.
  template <typename Request>
  auto Try(Store* store, const Request& request) -> decltype(request()) {
    for (int tries = 1;; ++tries) {
      auto outcome = request();
      if (outcome || session.stopped() || !Mend(outcome.error(), store, tries)) return outcome;
    }
  }

 private:
  // Waits, sets the clock or reads credentials, as the table requires. Returns false if a retry
  // makes no sense.
  bool Mend(const Trouble& trouble, Store* store, int tries);

  std::map<std::string, std::unique_ptr<S3Client>> stores_;
  std::map<std::string, std::unique_ptr<http::Client>> hosts_;
  os::Fd spool_;
  std::minstd_rand random_;
};

}  // namespace muster::transfer

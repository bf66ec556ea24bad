#pragma once

#include <string>

#include "os/file.h"

namespace muster::http {

// For tests: writes a new self-signed certificate for localhost, 127.0.0.1 and `name`, and its key,
// as PEM files in `folder`. The certificate is its own authority.
struct TestCertificate {
  TestCertificate(const os::Path& folder, const std::string& name);
  std::string certificate, key;  // paths of the files
};

}  // namespace muster::http

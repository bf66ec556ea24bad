#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "os/file.h"

namespace muster::os {
namespace {

std::string Hex(const unsigned char* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(size * 2);
  for (size_t i = 0; i < size; ++i) {
    hex += kDigits[bytes[i] >> 4];
    hex += kDigits[bytes[i] & 15];
  }
  return hex;
}

class Sha256Sum {
 public:
  Sha256Sum() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) std::abort();
  }
  void Add(const void* bytes, size_t size) {
    if (EVP_DigestUpdate(context_.get(), bytes, size) != 1) std::abort();
  }
  std::string Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    if (EVP_DigestFinal_ex(context_.get(), digest.data(), &size) != 1) std::abort();
    return Hex(digest.data(), size);
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

std::string Sha256(std::string_view bytes) {
  Sha256Sum sum;
  sum.Add(bytes.data(), bytes.size());
  return sum.Finish();
}

Result<std::string> Sha256OfFile(const Path& path) {
  MUSTER_ASSIGN(const Fd fd, Open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  Sha256Sum sum;
  std::vector<char> buffer(256 << 10);
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count == 0) return sum.Finish();
    if (count > 0) sum.Add(buffer.data(), size_t(count));
    if (count < 0 && errno != EINTR) return FailErrno(errno, "read " + path.string());
  }
}

std::string RandomHex(int bytes) {
  std::vector<unsigned char> random(size_t(bytes > 0 ? bytes : 0));
  for (size_t have = 0; have < random.size();) {
    const ssize_t count = ::getrandom(random.data() + have, random.size() - have, 0);
    if (count > 0) have += size_t(count);
    // Tokens are random bytes: without randomness the process must not continue.
    if (count < 0 && errno != EINTR) std::abort();
  }
  return Hex(random.data(), random.size());
}

}  // namespace muster::os

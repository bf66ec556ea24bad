#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "os/fd.h"
#include "store/code_files.h"
#include "store/code_store.h"

namespace muster::store {
namespace {

// SHA-256 of bytes in pieces.
class Hasher {
 public:
  Hasher() : context_(EVP_MD_CTX_new()) {
    ok_ = context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  }
  void Add(std::string_view bytes) {
    ok_ = ok_ && EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
  }
  // Empty if the library failed, which matches no hash.
  std::string Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    ok_ = ok_ && EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1;
    std::string hex;
    for (unsigned i = 0; ok_ && i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
    return hex;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
  bool ok_ = false;
};

}  // namespace

struct CodeStore::Upload::Impl {
  std::string sha256;
  int64_t size = 0;
  int64_t written = 0;
  bool over = false;  // finished or failed
  os::Path temporary;
  os::Path target;
  os::Fd file;
  Hasher hasher;

  ~Impl() {
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }
  Status Write(std::string_view bytes);
  Status Finish();
};

Status CodeStore::Upload::Impl::Write(std::string_view bytes) {
  if (over) return Fail(Code::kConflict, fmt::format("upload {}: it is over already", sha256));
  if (int64_t(bytes.size()) > size - written) {
    over = true;
    return Fail(Code::kTooLarge,
                fmt::format("upload {}: more than the announced {} bytes", sha256, size));
  }
  hasher.Add(bytes);
  written += int64_t(bytes.size());
  const Status status = os::WriteAll(file.get(), bytes);
  over = !status;
  return status;
}

Status CodeStore::Upload::Impl::Finish() {
  if (over) return Fail(Code::kConflict, fmt::format("upload {}: it is over already", sha256));
  over = true;
  if (written != size)
    return Fail(Code::kCorrupt,
                fmt::format("upload {}: {} of {} bytes came", sha256, written, size),
                "send it again");
  if (const std::string sum = hasher.Finish(); sum != sha256)
    return Fail(Code::kCorrupt, fmt::format("upload {}: the bytes have the sum {}", sha256, sum),
                "send it again; the file may have changed while it was read");
  // Content before name: a blob with its name is complete, also after a power cut.
  if (::fchmod(file.get(), 0444) != 0) return FailErrno(errno, "chmod " + temporary.string());
  if (::fsync(file.get()) != 0) return FailErrno(errno, "sync " + temporary.string());
  MUSTER_TRY(os::MakeDirs(target.parent_path()));
  MUSTER_TRY(Publish(temporary, target));
  temporary.clear();
  return {};
}

CodeStore::Upload::Upload(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CodeStore::Upload::Upload(Upload&&) noexcept = default;
CodeStore::Upload::~Upload() = default;
Status CodeStore::Upload::Write(std::string_view bytes) { return impl_->Write(bytes); }
Status CodeStore::Upload::Finish() { return impl_->Finish(); }

Result<CodeStore::Upload> CodeStore::Begin(const std::string& sha256, int64_t size) {
  if (!IsSha256(sha256))
    return Fail(Code::kInvalid, "upload: the name of a blob is 64 lower-case hex digits");
  if (size < 0) return Fail(Code::kInvalid, fmt::format("upload {}: its size is {}", sha256, size));
  if (size > kMaxCodeFileSize)
    return Fail(Code::kTooLarge, fmt::format("upload {}: {} bytes, at most {} are allowed", sha256,
                                             size, kMaxCodeFileSize));
  MUSTER_TRY(os::MakeDirs(dir_));
  auto impl = std::make_unique<Upload::Impl>();
  impl->sha256 = sha256;
  impl->size = size;
  impl->target = BlobPath(sha256);
  const os::Path temporary = TemporaryPath();
  MUSTER_ASSIGN(impl->file, os::Open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600));
  impl->temporary = temporary;
  return Upload(std::move(impl));
}

}  // namespace muster::store

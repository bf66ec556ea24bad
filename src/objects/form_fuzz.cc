// libFuzzer: any body as a form, in pieces of any length, and any policy. The first byte chooses
// the length of the pieces.
#include <algorithm>
#include <cstdlib>

#include "objects/form_reader.h"
#include "objects/post_policy.h"

namespace muster::objects {
namespace {

struct Read {
  PostForm form;
  std::string file;
  bool whole = false;
};

Read ReadForm(std::string_view body, size_t piece) {
  Read read;
  FormReader reader(
      "b",
      [&](const PostForm& form) {
        read.form = form;
        return S3Status();
      },
      [&](std::string_view bytes) {
        read.file += bytes;
        return S3Status();
      });
  while (!body.empty()) {
    const std::string_view next = body.substr(0, piece);
    if (!reader.Feed(next)) return read;
    body.remove_prefix(next.size());
  }
  read.whole = reader.End().has_value();
  return read;
}

void TryOne(std::string_view text) {
  if (text.empty()) return;
  const size_t piece = static_cast<unsigned char>(text[0]) + size_t{1};
  text.remove_prefix(1);
  const Read at_once = ReadForm(text, text.size() + 1), in_pieces = ReadForm(text, piece);
  // A whole form reads the same however it comes.
  if (at_once.whole != in_pieces.whole) std::abort();
  if (at_once.whole &&
      (at_once.file != in_pieces.file || at_once.form.fields != in_pieces.form.fields ||
       at_once.form.filename != in_pieces.form.filename)) {
    std::abort();
  }
  if (at_once.form.filename.find('/') != std::string::npos) std::abort();
  (void)BoundaryOf(text);
  const auto range = CheckPolicy(text, at_once.form, "bucket", 0);
  if (range && (range->least < 0)) std::abort();
}

}  // namespace
}  // namespace muster::objects

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  muster::objects::TryOne({reinterpret_cast<const char*>(data), size});
  return 0;
}

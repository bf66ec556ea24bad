// libFuzzer: arbitrary bytes as a chunked body, in pieces of varying size.
#include <cstdlib>

#include "objects/aws_chunked.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using muster::objects::Payload;
  if (size < 2) return 0;
  muster::objects::Caller caller;
  constexpr Payload kKinds[] = {Payload::kSignedChunks, Payload::kSignedTrailer,
                                Payload::kUnsignedTrailer};
  caller.payload = kKinds[data[0] % 3];
  const size_t step = data[1] % 64 + 1;
  std::string_view body(reinterpret_cast<const char*>(data + 2), size - 2);
  muster::objects::AwsChunked chunked(caller);
  muster::s3::SharedSums sums;
  size_t payload = 0;
  const size_t all = body.size();
  while (!body.empty()) {
    const auto piece = body.substr(0, step);
    body.remove_prefix(piece.size());
    const auto fed = chunked.Feed(piece, sums, [&](std::string_view bytes) {
      payload += bytes.size();
      sums.Add(bytes);
      return muster::objects::S3Status();
    });
    if (!fed) return 0;
  }
  const bool ended = chunked.End().has_value();
  sums.Finish();
  if (chunked.Prove(sums.TakeChunks()) && ended && !chunked.proven()) std::abort();
  if (payload > all) std::abort();
  return 0;
}

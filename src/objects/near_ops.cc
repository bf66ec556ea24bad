// Requests of a client on this machine that has the owner's rights on the store's folder.
#include "base/text.h"
#include "objects/answers.h"
#include "objects/inbox.h"
#include "objects/key_path.h"
#include "objects/operations.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr size_t kMostAdopted = 1000;

// An examined file of the inbox as the object that the caller may create.
S3Result<NewObject> Accept(const Call& call, const s3::XmlElement& offer) {
  std::string key(offer.TextOf("Key"));
  if (key.empty() || key.size() > kLongestKey) return Refuse(S3Code::kMalformedXml);
  MUSTER_TRY(call.MayWrite(call.request.bucket, key));
  ObjectMeta meta;
  if (const std::string_view crc = Trim(offer.TextOf("ChecksumCRC32C")); !crc.empty()) {
    const auto raw = s3::FromBase64(crc);
    if (!raw || raw->size() != s3::DigestSize(s3::DigestKind::kCrc32c)) {
      return Refuse(S3Code::kInvalidDigest);
    }
    meta.checksum = s3::Checksum{s3::DigestKind::kCrc32c, std::string(crc)};
  }
  MUSTER_ASSIGN(TempFile file, call.parts.inbox.Take(std::string(Trim(offer.TextOf("Name")))));
  return NewObject{std::move(key), std::move(file), std::move(meta)};
}

S3Result<std::vector<NewObject>> AcceptAll(const Call& call) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(call.body));
  if (root.name != "Adopt" || root.children.empty() || root.children.size() > kMostAdopted) {
    return Refuse(S3Code::kMalformedXml);
  }
  std::vector<NewObject> objects;
  for (const s3::XmlElement& offer : root.children) {
    MUSTER_ASSIGN(NewObject object, Accept(call, offer));
    objects.push_back(std::move(object));
  }
  return objects;
}

// Whether the caller is connected directly rather than through a proxy, which may need to see the
// bytes: the Host header names this server's port.
bool IsDirect(const Call& call) {
  const std::string_view host = call.request.Header("Host");
  const size_t colon = host.rfind(':');
  return colon != std::string_view::npos && ParseInt(host.substr(colon + 1)) == call.parts.port;
}

}  // namespace

void TellNear(const CallPtr& call) {
  if (!IsDirect(*call)) return call->Fail(S3Code::kNotImplemented);
  const Inbox& inbox = call->parts.inbox;
  call->Answer(XmlResponse(s3::XmlWriter("Near", "")
                               .Add("Folder", inbox.root().string())
                               .Add("Proof", inbox.proof())
                               .Finish()));
}

// All or an error; objects that were created before an error stay, each complete.
void AdoptFiles(const CallPtr& call) {
  auto objects = AcceptAll(*call);
  if (!objects) return call->Fail(objects.error());
  call->parts.store.PutAll(call->request.bucket, std::move(*objects), [call](S3Status status) {
    if (!status) return call->Fail(status.error());
    call->Answer(XmlResponse(s3::XmlWriter("Adopted", "").Finish()));
  });
}

}  // namespace muster::objects

// User input and server responses: any bytes are parsed or rejected, no name leaves its folder, and
// no secret is shown.
#include "base/testing/fuzz.h"
#include "base/text.h"
#include "transfer/filter.h"
#include "transfer/ini.h"
#include "transfer/local_tree.h"
#include "transfer/location.h"
#include "transfer/profile.h"
#include "transfer/s3_answers.h"

namespace {

using namespace muster;
using namespace muster::transfer;

void CheckLocation(std::string_view text) {
  const auto location = ParseLocation(text);
  if (!location) {
    Require(location.error().code == Code::kInvalid);
    return;
  }
  const std::string shown = Show(*location);
  Require(shown == Printable(shown));
  const std::string last = LastName(*location);
  Require(last != "." && last != ".." && last.find('/') == std::string::npos);
  if (location->kind == Location::Kind::kHttp) {
    Require(shown.find('?') == std::string::npos && location->target.starts_with('/'));
    for (const char c : location->target) Require(c > 0x20 && c < 0x7f);
  }
  if (location->kind == Location::Kind::kObject) Require(IsBucketName(location->bucket));
}

void CheckAnswers(std::string_view text) {
  if (const auto page = ReadListPage(text)) {
    for (const ObjectInfo& info : page->objects) Require(!info.key.empty() && info.size >= 0);
  }
  (void)ReadBuckets(text);
  (void)ReadUploadId(text);
  (void)ReadResultETag(text);
  (void)ReadDeleteFaults(text);
  const Trouble trouble = TroubleOf({503, {}, std::string(text)}, "ask");
  Require(trouble.error.text == Printable(trouble.error.text));
}

void CheckHead(std::string_view text) {
  http::Response response;
  for (const std::string& line : Split(text, '\n')) {
    const size_t colon = std::min(line.find(':'), line.size());
    response.headers.emplace_back(line.substr(0, colon),
                                  line.substr(std::min(colon + 1, line.size())));
  }
  Require(ReadObjectHead(response).size >= 0);
}

void CheckProfiles(std::string_view text) {
  constexpr std::string_view kSecret = "hush-hush";
  if (text.find(kSecret) != std::string_view::npos) return;  // the secret is part of the input
  ProfileSources sources;
  sources.wanted = "x";
  sources.profiles = text;
  (void)ChooseProfile(sources);
  sources.profiles = "";
  sources.aws_config = text;
  sources.aws_credentials = "[x]\naws_access_key_id=a\naws_secret_access_key=hush-hush\n";
  if (const auto profile = ChooseProfile(sources); !profile) {
    Require(profile.error().text.find(kSecret) == std::string::npos);
  }
  sources.wanted = "";
  sources.server = text;
  (void)ChooseProfile(sources);
}

void CheckNames(std::string_view text) {
  if (!CheckFileName(text)) return;
  for (const std::string& part : Split(text, '/')) {
    Require(!part.empty() && part != "." && part != ".." && part.size() <= 255);
  }
}

void CheckPattern(std::string_view text) {
  const size_t half = text.size() / 2;
  (void)Matches(text.substr(0, half), text.substr(half));
  Require(Matches("*", text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr void (*kChecks[])(std::string_view) = {CheckLocation, CheckAnswers, CheckHead,
                                                   CheckProfiles, CheckNames,   CheckPattern};
  const FuzzChoice choice = Choose(data, size, std::size(kChecks));
  kChecks[choice.which](choice.text);
  return 0;
}

// The whole API with arbitrary client bytes: head, token, path, query, headers, body. Every valid
// request receives exactly one response, and never a 5xx status.
#include <unistd.h>

#include "api/api.h"
#include "api/log_position.h"
#include "base/testing/fuzz.h"
#include "engines/fake_engine.h"
#include "http/gate.h"
#include "http/request_parser.h"
#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace {

using namespace muster;

struct Answer final : http::Reply::Sink {
  void Send(http::Response response) override { Take(std::move(response)); }
  void SendStream(http::Response head, std::unique_ptr<http::Stream> stream) override {
    Take(std::move(head));
    std::string out;
    for (int i = 0; i < 4 && stream->Read(out) == http::Stream::Next::kData; ++i) out.clear();
  }
  void SendFile(http::Response head, http::FileBody) override { Take(std::move(head)); }
  void Take(http::Response response) {
    ++count;
    last = std::move(response);
  }

  int count = 0;
  http::Response last;
};

// A server without sockets: one job runs and has written a log, another waits.
class Server {
 public:
  Server() {
    Require(conductor_.Recover().has_value());
    api::AddRoutes(router_, parts_);
    for (const char* devices : {"npu:1", "npu:8"}) {
      const json::object document{
          {"name", "job"}, {"run", "train"}, {"resources", json::object{{"devices", devices}}}};
      conductor_.Submit({.document = document}, [](const auto& result) { Require(bool(result)); });
      Settle();
    }
    engine_.BeginAll(0);
    Settle();
    const os::Path node = conductor_.NodeDir(1, 1, 0);
    Require(os::MakeDirs(node).has_value());
    Require(os::WriteFileAtomic(node / "rank0.log", "one\ntwo\nthr", 0600, false).has_value());
  }

  void Take(std::string_view bytes) {
    http::Request request;
    http::RequestParser parser(64 << 10, request);
    const auto used = parser.Head(bytes);
    if (!used || !parser.head_done()) return;
    const http::RequestFacts facts{parser.http11(), parser.chunked(), parser.content_length()};
    const auto route = gate_.Admit(router_, facts, request);
    if (!route) return Require(route.error().status >= 400 && route.error().status < 500);
    if ((*route)->upload) return TakeUpload(**route, request, bytes.substr(*used));
    request.body = bytes.substr(*used, size_t((*route)->body_limit));
    const auto answer = std::make_shared<Answer>();
    (*route)->handler(request, http::Reply(answer));
    Finish(*answer);
  }

 private:
  void TakeUpload(const http::Route& route, const http::Request& request, std::string_view body) {
    auto sink = route.upload(request);
    if (!sink || !(*sink)->Write(body)) return;
    const auto answer = std::make_shared<Answer>();
    (*sink)->Finish(http::Reply(answer));
    Finish(*answer);
  }

  void Finish(const Answer& answer) {
    for (int i = 0; i < 1'000 && answer.count == 0; ++i) {
      Settle();
      if (answer.count == 0) ::usleep(1'000);  // a thread of the pool is working on it
    }
    Require(answer.count == 1);
    Require(answer.last.status >= 200 && answer.last.status < 500);
    if (answer.last.status >= 400) Require(ParseJson(answer.last.body).has_value());
  }

  void Settle() {
    do {
      loop_.RunPosted();
      journal_->Flush();
    } while (loop_.RunPosted() > 0);
  }

  os::TempDir dir_;
  os::FakeLoop loop_;
  os::Pool pool_{1};
  os::FileWatch files_{loop_};
  std::unique_ptr<store::Journal> journal_ =
      std::move(store::Journal::Open(dir_ / "journal.db")).value();
  store::CodeStore code_{dir_ / "code"};
  engines::FakeEngine engine_{{{"node-0", "127.77.0.1", true, {{"npu", 8}}, {}}}};
  lifecycle::Conductor conductor_{
      {loop_, pool_, *journal_, code_, engine_, dir_.path(), "/muster"}};
  api::ApiParts parts_{conductor_, *journal_, code_, loop_, files_, pool_, "1", "c", "d", [] {}};
  http::Router router_;
  http::Gate gate_{"sesame", true};
};

void CheckPosition(std::string_view text) {
  const auto position = api::ParsePosition(text);
  if (!position) return;
  const api::RankOffsets offsets(position->offsets.begin(), position->offsets.end());
  Require(api::ParsePosition(api::PositionText(position->attempt, offsets)) == *position);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Server server;
  const auto [which, text] = Choose(data, size, 2);
  which == 0 ? server.Take(text) : CheckPosition(text);
  return 0;
}

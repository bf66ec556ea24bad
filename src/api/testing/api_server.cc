#include "api/testing/api_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

namespace muster::api {

ApiServer::ApiServer()
    : code_(dir_.path() / "code"), engine_({{"node-0", "127.77.0.1", true, {{"cpu", 2}}, {}}}) {
  server_ = *http::Server::Create({.token = kToken}, router_);
  journal_ = *store::Journal::Open(dir_ / "journal.db");
  files_ = std::make_unique<os::FileWatch>(server_->loop());
  pool_ = std::make_unique<os::Pool>(2);
  conductor_ = std::make_unique<lifecycle::Conductor>(lifecycle::Parts{
      server_->loop(), *pool_, *journal_, code_, engine_, dir_.path(), "/usr/bin/muster"});
  EXPECT_TRUE(conductor_->Recover());
  parts_ =
      std::make_unique<ApiParts>(ApiParts{*conductor_, *journal_, code_, server_->loop(), *files_,
                                          *pool_, "1.2.3", "abc", "2026-01-31", [this] {
                                            ++shutdowns_;
                                            shutdowns_.notify_all();
                                          }});
  AddRoutes(router_, *parts_);
  thread_ = std::thread([this] { server_->Run(); });
}

ApiServer::~ApiServer() {
  server_->loop().Post([this] { server_->Shutdown(1000); });
  thread_.join();
  pool_.reset();  // before the objects that its tasks use
  conductor_.reset();
  journal_.reset();
}

http::Response ApiServer::Send(const std::string& method, const std::string& target,
                               std::string_view body, http::Headers headers) {
  auto client = http::Client::Create({.url = server_->url(), .token = kToken});
  EXPECT_TRUE(client);
  auto response = (*client)->Send(method, "/api/v1" + target, body, headers);
  EXPECT_TRUE(response) << method << " " << target << ": " << response.error().text;
  return response ? *std::move(response) : http::Response{0, {}, ""};
}

json::object ApiServer::GetObject(const std::string& target) {
  const http::Response response = Get(target);
  EXPECT_EQ(response.status, 200) << target << ": " << response.body;
  Result<json::value> value = ParseJson(response.body);
  return value && value->is_object() ? std::move(value->as_object()) : json::object{};
}

http::Response ApiServer::SendRaw(const std::string& bytes) {
  const os::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(server_->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(os::WriteAll(socket.get(), bytes));
  ::shutdown(socket.get(), SHUT_WR);
  std::string answer(64 << 10, '\0');
  size_t size = 0;
  while (size < answer.size()) {
    const ssize_t got = ::recv(socket.get(), answer.data() + size, answer.size() - size, 0);
    if (got <= 0) break;
    size += size_t(got);
  }
  answer.resize(size);
  const size_t body = answer.find("\r\n\r\n");
  if (body == answer.npos) return {0, {}, answer};
  return {std::stoi(answer.substr(9, 3)), {}, answer.substr(body + 4)};
}

void ApiServer::OnLoop(const std::function<void()>& fn) {
  std::promise<void> done;
  server_->loop().Post([&] {
    fn();
    done.set_value();
  });
  done.get_future().wait();
}

// Changes lead to writes, writes to callbacks on the loop, and these possibly to more.
void ApiServer::Settle() {
  for (int round = 0; round < 3; ++round) {
    journal_->Flush();
    OnLoop([] {});
  }
}

JobId ApiServer::Submit(const std::string& devices, json::object more) {
  more["run"] = "train";
  more["resources"] = json::object{{"devices", devices}};
  const http::Response response =
      Send("POST", "/jobs", ToJson(json::object{{"spec", std::move(more)}}));
  EXPECT_EQ(response.status, 201) << response.body;
  Settle();
  if (response.status != 201) return 0;
  return ParseJson(response.body)->at("jobs").at(0).at("id").as_int64();
}

void ApiServer::Begin(size_t index) {
  OnLoop([&] { engine_.BeginAll(index); });
  Settle();
}

void ApiServer::End(size_t index, const ExitReport& report) {
  OnLoop([&] { engine_.EndAll(index, report); });
  Settle();
}

}  // namespace muster::api

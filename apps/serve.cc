#include "apps/serve.h"

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "api/api.h"
#include "api/console/buckets.h"
#include "api/console/console.h"
#include "api/console/job_files.h"
#include "api/endpoint.h"
#include "apps/attempt_keys.h"
#include "apps/console_bundle.h"
#include "apps/owner.h"
#include "apps/private_folders.h"
#include "apps/settings.h"
#include "base/json.h"
#include "base/log.h"
#include "dialect/device_addresses.h"
#include "engines/local/inventory.h"
#include "engines/local/local_engine.h"
#include "http/server.h"
#include "launcher/companions.h"
#include "launcher/stage_back.h"
#include "lifecycle/conductor.h"
#include "lifecycle/lost_job.h"
#include "objects/s3_server.h"
#include "os/file_watch.h"
#include "store/code_store.h"
#include "store/journal.h"
#include "version.h"

namespace muster::apps {
namespace {

constexpr int kPoolThreads = 2;
constexpr int64_t kDrainMs = 2000;

// TERM and INT as a readable descriptor; blocked before any thread exists, so that all inherit it.
Result<os::Fd> CatchEndSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  os::Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return FailErrno(errno, "watch for signals");
  return fd;
}

// Every connection and every object on its way needs descriptors; the usual limit is for programs
// that have few. Ranks get limits of their own.
void RaiseFileLimit() {
  constexpr rlim_t kEnough = 1 << 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Of the network cards inside NPUs, which rank tables over several machines need. A machine without
// the file has none; a job may give a rule.
void ReadCardAddresses(const os::Path& file, NodeInfo& node) {
  if (!node.devices.contains("npu")) return;
  const auto text = os::ReadFile(file, 1 << 20);
  if (!text && text.error().code == Code::kNotFound) return;
  auto addresses = text ? dialect::ParseHccnConf(*text) : std::unexpected(std::move(text).error());
  if (addresses) {
    node.device_addresses = std::move(*addresses);
  } else {
    LogWarning("addresses of NPUs are not known: {}", addresses.error().text);
  }
}

Result<std::vector<NodeInfo>> NodesOf(const Settings& settings) {
  engines::Machine machine = engines::FindMachine();
  if (settings.cpu_slots > 0) machine.cpus = settings.cpu_slots;
  machine.declared = settings.devices;
  if (settings.memory > 0) machine.memory = settings.memory;
  std::vector<NodeInfo> nodes;
  if (settings.nodes.empty()) {
    nodes.push_back(engines::RealNode(machine));
    ReadCardAddresses(settings.hccn_conf, nodes.front());
  } else {
    MUSTER_ASSIGN(nodes, engines::ParseVirtualNodes(settings.nodes, machine.cpus));
  }
  engines::ShareMemory(machine, nodes);
  return nodes;
}

// Whether the endpoint file names a living process, which then is the server of this folder.
bool HasLivingServer(const os::Path& data) {
  const auto text = os::ReadFile(data / "endpoint.json", 1 << 16);
  if (!text) return false;
  const auto value = ParseJson(*text);
  const int64_t pid = value && value->is_object() ? GetInt(value->get_object(), "pid") : 0;
  return pid > 0 && ::kill(pid_t(pid), 0) == 0;
}

// A server that was told to end holds the folder for another moment, and so does a launcher that
// one had just forked when it was killed. Waiting for them beats refusing.
Result<api::DataDirLock> TakeDataDir(const os::Path& data) {
  constexpr int kTries = 50;
  for (int i = 0;; ++i) {
    auto lock = api::DataDirLock::Take(data);
    const bool taken = !lock && lock.error().code == Code::kConflict;
    if (!taken || i == kTries || HasLivingServer(data)) return lock;
    ::usleep(100'000);
  }
}

Result<std::unique_ptr<store::Journal>> OpenJournal(const Settings& settings,
                                                    const api::DataDirLock& lock) {
  store::JournalOptions options{.jobs = settings.data / "jobs",
                                .accept_loss = settings.accept_journal_loss};
  MUSTER_ASSIGN(const os::FileIdentity identity, lock.Identity());
  options.guard.Add(settings.data / "lock", identity);
  MUSTER_ASSIGN(auto journal, store::Journal::Open(settings.data / "journal.db", options));
  for (const JobId id : journal->LostJobs())
    lifecycle::StopLostJob(settings.data / "jobs" / std::to_string(id));
  return journal;
}

Result<std::unique_ptr<objects::S3Server>> OpenObjects(const Settings& settings) {
  objects::S3Options options{.root = settings.data / "objects",
                             .host = settings.s3_host.empty() ? settings.host : settings.s3_host,
                             .port = settings.s3_port,
                             .accept_v2 = settings.store_sigv2,
                             .sync = settings.store_sync,
                             .tls_certificate = settings.tls_certificate,
                             .tls_key = settings.tls_key};
  options.domains.insert(options.domains.end(), settings.s3_domains.begin(),
                         settings.s3_domains.end());
  return objects::S3Server::Open(std::move(options));
}

api::Endpoint EndpointOf(const http::Server& server, const std::string& token,
                         const objects::S3Server& store) {
  const objects::KeyPair key = store.first_key();
  return {server.url(),
          token,
          ::getpid(),
          {store.url(), key.access_key, key.secret_key, store.region()}};
}

// The journal's thread reports to the loop. It has reported all when this goes: after everything
// that writes, and before the loop, also when the start has failed.
class JournalEnd {
 public:
  explicit JournalEnd(store::Journal& journal) : journal_(journal) {}
  ~JournalEnd() { journal_.Flush(); }
  JournalEnd(const JournalEnd&) = delete;
  JournalEnd& operator=(const JournalEnd&) = delete;

 private:
  store::Journal& journal_;
};

Status Run(const Settings& settings) {
  MUSTER_ASSIGN(const os::Fd signals, CatchEndSignals());
  RaiseFileLimit();
  MUSTER_ASSIGN(auto nodes, NodesOf(settings));
  MUSTER_ASSIGN(auto lock, TakeDataDir(settings.data));
  os::RemoveTemporaries(settings.data);  // of a server that was killed; the lock is ours now
  MUSTER_TRY(MakePrivateFolders(settings.data));
  MUSTER_ASSIGN(const std::string token, api::LoadToken(settings.data));
  MUSTER_ASSIGN(auto journal, OpenJournal(settings, lock));
  store::CodeStore code(settings.data / "code");
  MUSTER_TRY(code.CleanTemporary());
  // Jobs that need none of it start without.
  if (const auto status = launcher::LayOutCompanions(settings.data); !status)
    LogWarning("jobs will not find the Python packages: {}", status.error().text);

  // Requests wait until the keys of running jobs are known again.
  MUSTER_ASSIGN(const auto bucket_store, OpenObjects(settings));
  AttemptKeys keys(*bucket_store, code);
  const SystemClock clock;
  api::Sessions sessions(token, !settings.tls_certificate.empty(), clock);
  http::Router router;
  MUSTER_ASSIGN(auto server, http::Server::Create({.host = settings.host,
                                                   .port = settings.port,
                                                   .token = token,
                                                   .sign_in = &sessions,
                                                   .tls_certificate = settings.tls_certificate,
                                                   .tls_key = settings.tls_key},
                                                  router));
  os::Loop& loop = server->loop();
  const JournalEnd journal_end(*journal);
  os::Pool pool(kPoolThreads);
  os::FileWatch files(loop);
  const std::string self = os::SelfPath();
  engines::LocalEngine engine({loop, pool, files, std::move(nodes), self});
  lifecycle::Conductor conductor({loop, pool, *journal, code, engine, settings.data, self,
                                  settings.input_cache,
                                  [data = os::Path(settings.data)](const os::Path& attempt_dir) {
                                    return launcher::StageBack(attempt_dir, data);
                                  },
                                  &keys});
  api::ApiParts parts{.conductor = conductor,
                      .journal = *journal,
                      .code = code,
                      .loop = loop,
                      .files = files,
                      .pool = pool,
                      .version = kVersion,
                      .commit = kCommit,
                      .build_date = kBuildDate,
                      .shutdown = [&] { server->Shutdown(kDrainMs); }};
  api::AddRoutes(router, parts);
  MUSTER_TRY(api::AddConsole(router, sessions, ConsoleBundle()));
  MUSTER_TRY(conductor.Recover());
  loop.WatchReadable(signals.get(), [&] {
    signalfd_siginfo info;
    while (::read(signals.get(), &info, sizeof info) == ssize_t(sizeof info)) {
    }
    LogInfo("asked to end; the jobs go on");
    server->Shutdown(kDrainMs);
  });
  bucket_store->Serve();
  api::AddJobFileRoutes(router, {conductor, loop, pool});
  api::AddBucketRoutes(router, {*bucket_store, loop, pool});
  MUSTER_TRY(lock.SetUrl(server->url()));
  MUSTER_TRY(api::WriteEndpoint(settings.data, EndpointOf(*server, token, *bucket_store)));
  OwnerWatch owner(loop, conductor, *journal, [&] { server->Shutdown(kDrainMs); });
  if (settings.owner > 0) owner.Start(settings.owner);
  LogInfo("muster {} listens on {}, data in {}", kVersion, server->url(), settings.data.string());
  server->Run();
  api::RemoveEndpoint(settings.data, ::getpid());
  return {};
}

// Libraries throw where the system has no descriptor or thread left.
Status RunOrSayWhyNot(const Settings& settings) {
  try {
    return Run(settings);
  } catch (const std::exception& error) {
    return Fail(Code::kIo, fmt::format("cannot run the server: {}", error.what()),
                "check the limits of this user (ulimit -a)");
  }
}

}  // namespace

int Serve(const std::vector<std::string>& arguments) {
  const auto settings = ReadSettings(arguments);
  Status status = settings ? RunOrSayWhyNot(*settings) : Status(std::unexpected(settings.error()));
  if (status) return 0;
  const Error& error = status.error();
  std::string words = fmt::format("muster server: {}\n", error.text);
  if (!error.next.empty()) words += fmt::format("  {}\n", error.next);
  std::fputs(words.c_str(), stderr);  // not fmt::print, which throws when the disk is full
  return error.code == Code::kInvalid ? 2 : 1;
}

}  // namespace muster::apps

#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/file.h"

namespace muster::apps {

// Everything a server can be told, from flags over the configuration file over defaults.
struct Settings {
  os::Path data;
  std::string host = "127.0.0.1";
  int port = 0;       // 0: any free one
  std::string nodes;  // virtual nodes, "4x8npu"; empty: this machine
  std::string engine = "local";
  int cpu_slots = 0;                      // 0: as many as there are CPUs
  std::map<std::string, int> devices;     // declared kinds
  os::Path hccn_conf = "/etc/hccn.conf";  // addresses of the network cards inside NPUs
  std::string tls_certificate, tls_key;
  // The embedded object store.
  std::string s3_host;                  // empty: the same as `host`
  int s3_port = 0;                      // 0: that of the last time, else any free one
  std::vector<std::string> s3_domains;  // "bucket.DOMAIN" is a bucket
  int64_t input_cache = 0;  // bytes of fetched inputs kept on each machine; 0: a fifth of the disk
  int64_t memory = 0;      // bytes that jobs may use together on this machine; 0: all but a reserve
  int owner = 0;           // process that this server ends with; 0: none
  bool store_sync = true;  // objects are on disk before they are acknowledged
  bool store_sigv2 = true;           // the object store accepts signatures of version 2 and OBS
  bool accept_journal_loss = false;  // starts with a journal that has lost data
};

// The JSON Schema of the configuration file.
json::object SettingsSchema();

// `arguments` are those behind `muster server`. kInvalid names every faulty key of the file, or
// every faulty flag, with what was found and what was expected.
Result<Settings> ReadSettings(const std::vector<std::string>& arguments);

}  // namespace muster::apps

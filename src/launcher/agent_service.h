#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/agent_wire.h"
#include "launcher/rank_end.h"
#include "launcher/starter.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// Runs commands on this node for processes of the same job on other nodes, which call `muster
// agent`; the words are joined with blanks and passed to a shell, as sshd does. Accepts connections
// of this user only. Commands are started like ranks and covered by the same sweep.
class AgentService {
 public:
  // Starter and order outlive the service.
  AgentService(os::Loop& loop, const NodeOrder& order, const Starter& starter);
  ~AgentService();
  AgentService(const AgentService&) = delete;
  AgentService& operator=(const AgentService&) = delete;

  Status Listen();
  // Sends the exit code to the caller if the child was a command.
  void Take(const EndedChild& child);
  void Signal(int signal) const;   // sends the signal to every command's process group
  std::set<pid_t> Groups() const;  // the process groups that Signal reaches
  void RefuseMore() { open_ = false; }

 private:
  struct Caller {
    os::Fd socket;
    os::Loop::Id watch = 0;
    std::string bytes;          // bytes of the request so far
    std::vector<os::Fd> files;  // descriptors received with the request
    pid_t pid = -1;             // set when the command runs
  };
  using Id = uint64_t;

  void Accept();
  void OnReadable(Id id);
  bool Receive(Caller& caller);
  void Begin(Id id);
  void HangUp(Id id);
  void Answer(Id id, int code, const std::string& message);
  Result<pid_t> Run(const AgentRequest& request, const std::vector<os::Fd>& files) const;

  os::Loop& loop_;
  const NodeOrder& order_;
  const Starter& starter_;
  os::Fd listener_;
  os::Loop::Id watch_ = 0;
  bool open_ = true;
  Id next_id_ = 1;
  std::map<Id, Caller> callers_;
};

}  // namespace muster::launcher

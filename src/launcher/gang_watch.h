#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/gang.h"
#include "launcher/record_writer.h"
#include "model/order.h"
#include "os/loop.h"

namespace muster::launcher {

class Follower;

// Looks from the first node of an attempt at the processes of all its nodes, which must be on this
// machine, and writes what Gang finds into the record. It looks ten times a second during the first
// minute, because ranks of a short job are connected for an instant only, and seldom afterwards;
// looks take at most a twentieth of the launcher's time. Stops when all ranks are connected.
class GangWatch {
 public:
  // All outlive the watch.
  GangWatch(os::Loop& loop, const NodeOrder& order, const Follower& follower, RecordWriter& record)
      : loop_(loop), order_(order), follower_(follower), record_(record) {}
  ~GangWatch() { Cancel(); }
  GangWatch(const GangWatch&) = delete;
  GangWatch& operator=(const GangWatch&) = delete;

  void Start();  // when the ranks have been started
  void Cancel();
  void Finish();  // when the ranks of this node have ended well

 private:
  void Tick();
  void Look();
  void FindMembers();
  void Write(std::vector<GangNote> notes);

  os::Loop& loop_;
  const NodeOrder& order_;
  const Follower& follower_;
  RecordWriter& record_;
  Gang gang_;
  std::vector<GangMember> members_;  // by the latest search
  int64_t searched_ms_ = 0;
  int64_t began_ms_ = 0;
  os::Loop::Id timer_ = 0;
};

// The process as its environment ("NAME=value" entries) describes it.
GangMember MemberOf(pid_t pid, const std::vector<std::string>& environment);

// Whether a table like /proc/net/tcp has a connection, open or just closed, with this port.
bool HasConnectionWith(std::string_view table, int port);

}  // namespace muster::launcher

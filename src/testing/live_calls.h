// A caller that makes random calls over a bad link and checks every outcome afterwards.
//
// One call after the other, so that their order is known; some are sent again although nothing is lost, as a program
// does that got no answer in time. Afterwards judge() goes through all of them with a world of its own: each must have
// been carried out exactly once, and its answer must be true.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace convoy::testing {

class LiveCalls {
 public:
  // Calls come from `caller`. `only_drive`: nothing but commands, of robots that another caller may delete.
  LiveCalls(std::uint64_t seed, const Setup& setup, SimNet& net, Caller& caller, bool only_drive);

  void begin() { next(); }
  void end() { ending_ = true; }  // no further calls
  bool idle() const { return !open_; }
  const std::map<std::string, std::uint64_t>& made() const { return made_; }  // by kind
  std::uint64_t succeeded(const std::string& kind) const;
  // Checks for answers; call it after every turn of the network.
  void listen();

  // "" if all answers were true and the world is as they reported. After a loss of a host, only what it cannot have
  // changed.
  std::string judge(const World& world, bool host_lost) const;

 private:
  struct Made {
    std::string kind;
    proto::Request request;
    std::string reply;  // serialised; "" while there is none
  };
  void next();
  void repeat(std::size_t call);
  std::pair<std::string, Request> draw();
  std::pair<std::string, Request> one_spawn();
  void begin_burst();
  std::string name();

  Random random_;
  SimNet& net_;
  Caller& caller_;
  const Setup& setup_;
  bool only_drive_, ending_ = false, open_ = false, paused_ = false;
  std::vector<Made> calls_;
  std::deque<std::pair<std::string, Request>> burst_;  // come next, without a pause
  std::vector<std::string> names_;                     // that may exist
  std::size_t received_ = 0;
  std::uint64_t spawned_ = 0;
  std::string wrong_;
  std::map<std::string, std::uint64_t> made_;
};

}  // namespace convoy::testing

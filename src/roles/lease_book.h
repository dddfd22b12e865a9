// Through which connection leases were taken: with it they end. What is leased stands in the world; this only names whose
// end gives it back, and enters no digest.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "world/world.h"

namespace convoy {

class LeaseBook {
 public:
  void took(Owner by, const Lease& lease) {
    for (WorldNumber robot : lease.entities) taken_[by][robot] = lease.holder;
  }
  // By that connection, and not given back by its end.
  bool taken(Owner by, WorldNumber robot, const std::string& holder) const;
  // The connection is gone: what of it is still held so, to be given back.
  std::vector<Lease> left(Owner by, const World& world);

 private:
  std::map<Owner, std::map<WorldNumber, std::string>> taken_;
};

}  // namespace convoy

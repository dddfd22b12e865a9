// The roll of a run: which hosts there are, which take part, and what each has reported.
//
//   join()    its scene is loaded, it waits to be let in      joining
//   admit()   it has the world                                present
//   leave()   gone for good                                   gone
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ports.h"
#include "wire/lockstep.h"
#include "world/owners.h"

namespace convoy {

struct HostStatus {
  Owner owner = kNobody;
  std::string name;
  bool present = false;  // has the world, takes part
  bool gone = false;     // has left for good
  Tick joined_at = 0;
  // Lockstep: it is done with the tick in progress.
  bool done = false;
  std::uint64_t busy_ns = 0;  // advancing agents, all ticks
  std::uint64_t foreign_contacts = 0;
  std::uint64_t states_bytes = 0;
  double divergence = 0;          // free mode: largest distance between a state and what was expected, m
  double mean_divergence = 0;     // m
  Moment lagging_since = kNever;  // since when others wait for it, or it is too far behind them
  HostReport report;              // at the end
  bool reported = false;

  bool joining() const { return !present && !gone; }
  Status take_report(ByteView payload);  // several may follow one another
};

class Roll {
 public:
  void join(Owner owner, std::string name);
  void admit(Owner owner, Tick tick);
  // True: it took part until now.
  bool leave(Owner owner);

  // Robots that stay frozen where a host of this name may come again.
  void leaves_behind(Owner owner, const std::vector<WorldNumber>& robots);
  // What hosts of that name have left behind, ascending; some may be gone since, or not frozen any more.
  std::vector<WorldNumber> left_behind(const std::string& name) const;

  bool present(Owner owner) const;
  HostStatus* find(Owner owner);  // nullptr: no host
  HostStatus& at(Owner owner) { return hosts_.at(owner); }
  std::map<Owner, HostStatus>& all() { return hosts_; }
  const std::map<Owner, HostStatus>& all() const { return hosts_; }

  std::vector<HostName> present_names() const;
  std::vector<HostName> names() const;  // of those that wait to be let in, too
  std::vector<Owner> present_owners() const;
  std::vector<Owner> joining_owners() const;
  bool nobody_present() const;
  bool all_reported() const;  // of those that are present
  std::uint64_t contacts_between_hosts() const;

 private:
  std::map<Owner, HostStatus> hosts_;
  std::map<WorldNumber, std::string> left_behind_;  // and the host's name
};

// The agents that an owner has in the world, ascending.
std::vector<WorldNumber> agents_of(const World& world, Owner owner);

}  // namespace convoy

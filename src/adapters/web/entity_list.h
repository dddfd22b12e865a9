// The list of entities as pages have it: told whole once, then what became of it.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "world/world.h"

namespace convoy::web {

// The name of the host that an owner is; empty: nobody, or not known.
using HostName = std::function<std::string(Owner)>;

class EntityList {
 public:
  struct News {
    nlohmann::json entities;  // docs/web.md, `entities`; null: nothing is different
    std::vector<std::string> appeared, gone;
  };

  // Compares the world with what it was at the last call. After a reset all is told anew.
  News follow(const World& world, std::uint32_t run, const HostName& host);
  // Hosts have other names: the next call tells all anew.
  void forget_hosts() { begun_ = false, hosts_ = {""}; }
  // All of it as it was at the last call.
  nlohmann::json whole() const;
  std::uint32_t structure() const { return structure_; }

 private:
  struct Known {
    WorldNumber number, parent;
    Owner owner;
    bool frozen;
    std::shared_ptr<const EntityKind> kind;
    std::string name;
    nlohmann::json row;
  };
  nlohmann::json host_index(Owner owner, const HostName& host);
  Known known(const Entity& entity, const HostName& host);
  nlohmann::json told(nlohmann::json set, nlohmann::json gone, bool all) const;

  std::vector<Known> all_;  // by number
  std::vector<std::string> hosts_{""};
  std::uint32_t run_ = 0, structure_ = 0;
  bool begun_ = false;
};

}  // namespace convoy::web

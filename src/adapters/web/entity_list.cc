#include "adapters/web/entity_list.h"

#include <algorithm>

namespace convoy::web {

using Json = nlohmann::json;

Json EntityList::host_index(Owner owner, const HostName& host) {
  const std::string name = host(owner);
  const auto at = std::find(hosts_.begin(), hosts_.end(), name);
  if (at != hosts_.end()) return at - hosts_.begin();
  hosts_.push_back(name);
  return hosts_.size() - 1;
}

EntityList::Known EntityList::known(const Entity& e, const HostName& host) {
  const Pose& X = e.pose;
  return {e.number,
          e.parent,
          e.owner,
          e.frozen,
          e.kind,
          e.name,
          Json::array({e.number.value(), e.name, e.model, e.parent.value(), host_index(e.owner, host), e.frozen ? 1 : 0,
                       Json::array({X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z}), e.kind->tags})};
}

Json EntityList::told(Json set, Json gone, bool all) const {
  return {
      {"structure", structure_}, {"all", all}, {"hosts", hosts_}, {"set", std::move(set)}, {"gone", std::move(gone)}};
}

Json EntityList::whole() const {
  Json set = Json::array();
  for (const Known& one : all_) set.push_back(one.row);
  return told(std::move(set), Json::array(), true);
}

EntityList::News EntityList::follow(const World& world, std::uint32_t run, const HostName& host) {
  News news;
  const bool anew = !std::exchange(begun_, true) || std::exchange(run_, run) != run;
  if (anew) all_.clear();
  Json set = Json::array(), gone = Json::array();
  std::vector<Known> now;
  now.reserve(world.entities().size());
  auto old = all_.begin();
  const auto leave_out = [&] {
    gone.push_back(old->number.value());
    news.gone.push_back(old->name);
    ++old;
  };
  for (const Entity& e : world.entities()) {
    while (old != all_.end() && old->number < e.number) leave_out();
    const bool was = old != all_.end() && old->number == e.number;
    if (was && old->parent == e.parent && old->owner == e.owner && old->frozen == e.frozen && old->kind == e.kind) {
      now.push_back(std::move(*old++));
      continue;
    }
    if (was) ++old;
    else if (!anew) news.appeared.push_back(e.name);
    now.push_back(known(e, host));
    set.push_back(now.back().row);
  }
  while (old != all_.end()) leave_out();
  all_ = std::move(now);
  if (!anew && set.empty() && gone.empty()) return news;
  ++structure_;
  news.entities = told(std::move(set), std::move(gone), anew);
  return news;
}

}  // namespace convoy::web

#include "waitables.hpp"

#include <algorithm>

#include "rclcpp/node.hpp"

namespace convoy::ros {

struct Waitables::One {
  std::weak_ptr<rclcpp::Waitable> waitable;
  const rclcpp::Waitable* address;  // to know it again when it has gone
  const void* by;
  const std::string* who;
  nodes::Owned<nodes::Trigger> event;
  bool queued = true;                              // its event is under way
  std::vector<const rcl_guard_condition_t*> woke;  // those that it has the event for
};

Waitables::Waitables(Simulation& simulation) : simulation_(simulation) {}
Waitables::~Waitables() = default;

void Waitables::add(const std::shared_ptr<rclcpp::Waitable>& waitable,
                    const rclcpp::node_interfaces::NodeBaseInterface& node, const rclcpp::CallbackGroup& group,
                    const void* by) {
  auto one = std::make_shared<One>(One{waitable, waitable.get(), by, &node.about("a waitable"), {}, true, {}});
  one->event = node.kernel().create_trigger(
      [this, weak = std::weak_ptr<One>(one)] {
        if (const auto self = weak.lock()) run(*self);
      },
      &group.kernel());
  all_.push_back(one);
  ++simulation_.waiting_;
  // What it waits for may be there already. It is asked later: the caller may not have finished it.
  one->event->trigger();
}

void Waitables::erase(const std::function<bool(const One&)>& which) {
  const auto gone = std::erase_if(all_, [&](const std::shared_ptr<One>& one) { return which(*one); });
  simulation_.waiting_ -= static_cast<int>(gone);
}

void Waitables::remove(const rclcpp::Waitable& waitable, const void* by) {
  erase([&](const One& one) { return one.address == &waitable && one.by == by; });
}

void Waitables::remove_all(const void* by) {
  erase([&](const One& one) { return one.by == by; });
}

void Waitables::run(One& one) {
  const auto waitable = one.waitable.lock();
  const auto first = std::exchange(one.woke, {});
  one.queued = false;
  if (!waitable) return;
  simulation_.guarded(*one.who, [&] {
    WaitArrays ready;
    waitable->add_to_wait_set(ready.set());
    const auto woken = [&](const rcl_guard_condition_t& condition) {
      return std::find(first.begin(), first.end(), &condition) != first.end();
    };
    if (!ready.keep_ready(woken) || !waitable->is_ready(ready.set())) return;
    waitable->execute(waitable->take_data());
  });
}

void Waitables::update() {
  if (updating_ || all_.empty()) return;
  updating_ = true;
  const Simulation::Scope scope(simulation_);
  erase([](const One& one) { return one.waitable.expired(); });
  // A trigger wakes all that wait for it, and then none again.
  std::vector<const rcl_guard_condition_t*> woken;
  for (std::size_t i = 0; i < all_.size(); ++i) update_one(*std::shared_ptr<One>(all_[i]), woken);
  for (const rcl_guard_condition_t* condition : woken) condition->triggered = false;
  updating_ = false;
}

void Waitables::update_one(One& one, std::vector<const rcl_guard_condition_t*>& woken) {
  const auto waitable = one.waitable.lock();
  if (!waitable) return;
  WaitArrays ready;
  try {
    waitable->add_to_wait_set(ready.set());
  } catch (const std::exception& e) { return simulation_.threw(*one.who, e.what()); }
  if (!ready.keep_ready([](const rcl_guard_condition_t& condition) { return condition.triggered; })) return;
  for (const rcl_guard_condition_t* condition : ready.guard_conditions())
    if (condition) one.woke.push_back(condition), woken.push_back(condition);
  if (!std::exchange(one.queued, true)) one.event->trigger();
}

}  // namespace convoy::ros

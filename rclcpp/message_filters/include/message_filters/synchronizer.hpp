// Messages of two to nine filters, put together by a policy.
#pragma once

#include <tuple>

#include "message_filters/simple_filter.hpp"

namespace message_filters {

struct NullType {};

// What policies share: the list of types, and the callbacks for a set.
template <class... Ms>
struct PolicyBase {
  static_assert(sizeof...(Ms) >= 2 && sizeof...(Ms) <= 9, "a policy is of two to nine topics");
  using Set = std::tuple<std::shared_ptr<const Ms>...>;
  static constexpr std::size_t kCount = sizeof...(Ms);
  std::map<int, std::function<void(const Set&)>> calls;
  int next_call = 0;

  void signal(const Set& set) {
    const auto now = calls;
    for (const auto& [id, call] : now) call(set);
  }
};

// A set in which each place has been filled.
template <class Set>
bool complete(const Set& set) {
  return std::apply([](const auto&... m) { return (static_cast<bool>(m) && ...); }, set);
}

template <class Policy>
class Synchronizer : public Policy {
 public:
  using Set = typename Policy::Set;
  template <class... Fs>
  requires(sizeof...(Fs) == Policy::kCount) explicit Synchronizer(Fs&... filters) { connectInput(filters...); }
  template <class... Fs>
  requires(sizeof...(Fs) == Policy::kCount) Synchronizer(const Policy& policy, Fs&... filters) : Policy(policy) {
    connectInput(filters...);
  }
  explicit Synchronizer(const Policy& policy) : Policy(policy) {}
  Synchronizer() = default;
  Synchronizer(const Synchronizer&) = delete;
  Synchronizer& operator=(const Synchronizer&) = delete;
  ~Synchronizer() { disconnect(); }

  template <class... Fs>
  void connectInput(Fs&... filters) {
    disconnect();
    connect(std::index_sequence_for<Fs...>(), filters...);
  }
  template <class Callback>
  Connection registerCallback(Callback callback) {
    const int id = this->next_call++;
    this->calls[id] = [callback = std::move(callback)](const Set& set) mutable { std::apply(callback, set); };
    return Connection([this, id] { this->calls.erase(id); });
  }
  template <class T, class... Ps>
  Connection registerCallback(void (T::*method)(Ps...), T* object) {
    return registerCallback([method, object](const auto&... m) { (object->*method)(m...); });
  }
  Policy* getPolicy() { return this; }
  void setName(const std::string& name) { name_ = name; }
  const std::string& getName() const { return name_; }

 private:
  template <std::size_t... Is, class... Fs>
  void connect(std::index_sequence<Is...>, Fs&... filters) {
    (inputs_.push_back(
         filters.registerCallback([this](const std::tuple_element_t<Is, Set>& m) { this->template add<Is>(m); })),
     ...);
  }
  void disconnect() {
    for (Connection& input : inputs_) input.disconnect();
    inputs_.clear();
  }
  std::vector<Connection> inputs_;
  std::string name_;
};

}  // namespace message_filters

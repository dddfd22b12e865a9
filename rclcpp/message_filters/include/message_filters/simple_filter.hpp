// What gives one kind of message to callbacks, in the order in which they were registered.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "message_filters/connection.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/message_traits.hpp"

namespace message_filters {

template <class M>
class SimpleFilter {
 public:
  using MConstPtr = std::shared_ptr<const M>;
  using EventType = MessageEvent<const M>;
  SimpleFilter() = default;
  virtual ~SimpleFilter() = default;
  SimpleFilter(const SimpleFilter&) = delete;
  SimpleFilter& operator=(const SimpleFilter&) = delete;

  // It takes the event, a shared_ptr to the message, or the message.
  template <class Callback>
  Connection registerCallback(Callback callback) {
    const int id = calls_->next++;
    calls_->of[id] = [callback = std::move(callback)](const EventType& event) mutable {
      if constexpr (std::is_invocable_v<Callback&, const MConstPtr&>) callback(event.getConstMessage());
      else if constexpr (std::is_invocable_v<Callback&, const EventType&>) callback(event);
      else callback(*event.getConstMessage());
    };
    return Connection([calls = std::weak_ptr<Calls>(calls_), id] {
      if (const auto held = calls.lock()) held->of.erase(id);
    });
  }
  template <class T, class P>
  Connection registerCallback(void (T::*method)(P), T* object) {
    return registerCallback([method, object](P message) { (object->*method)(message); });
  }
  void setName(const std::string& name) { name_ = name; }
  const std::string& getName() const { return name_; }

 protected:
  void signalMessage(const MConstPtr& message) { signalMessage(EventType(message)); }
  void signalMessage(const EventType& event) {
    const auto calls = calls_->of;  // a callback may register and disconnect
    for (const auto& [id, call] : calls) call(event);
  }

 private:
  struct Calls {
    std::map<int, std::function<void(const EventType&)>> of;
    int next = 0;
  };
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  std::string name_;
};

// Gives on what it is given by hand.
template <class M>
class PassThrough : public SimpleFilter<M> {
 public:
  PassThrough() = default;
  template <class F>
  explicit PassThrough(F& f) {
    connectInput(f);
  }
  template <class F>
  void connectInput(F& f) {
    connection_.disconnect();
    connection_ = f.registerCallback([this](const std::shared_ptr<const M>& m) { add(m); });
  }
  void add(const std::shared_ptr<const M>& message) { this->signalMessage(message); }
  void add(const MessageEvent<const M>& event) { this->signalMessage(event); }

 private:
  Connection connection_;
};

}  // namespace message_filters

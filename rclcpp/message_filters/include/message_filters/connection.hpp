// A callback's place with a filter, to be given up.
#pragma once

#include <functional>

namespace message_filters {

class Connection {
 public:
  Connection() = default;
  explicit Connection(std::function<void()> disconnect) : disconnect_(std::move(disconnect)) {}
  void disconnect() {
    if (disconnect_) disconnect_();
    disconnect_ = nullptr;
  }

 private:
  std::function<void()> disconnect_;
};

}  // namespace message_filters

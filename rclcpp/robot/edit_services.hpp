// A robot's services that ask for edits of the world: convoy/spawn, delete, set, attach and detach in its namespace.
#pragma once

#include <functional>
#include <map>
#include <rclcpp/rclcpp.hpp>
#include <utility>
#include <vector>

#include "agent/edit_request.h"

namespace convoy::ros {

// Most requests that wait for their replies at one robot; what is beyond is refused.
inline constexpr std::size_t kMaxEditsWaiting = 1000;

class EditServices {
 public:
  EditServices();

  std::vector<EditRequest> take() { return std::exchange(asked_, {}); }
  void edited(const EditReply& reply) { replies_.push_back(reply); }
  // Responds to those whose replies have come.
  void respond();

 private:
  using Respond = std::function<void(const EditReply&)>;
  template <class ServiceT>
  void serve(const char* name, EditRequest (*read)(const typename ServiceT::Request&));
  void ask(EditRequest request, Respond respond);

  rclcpp::Node::SharedPtr node_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
  std::uint32_t next_ = 0;
  std::vector<EditRequest> asked_;            // in this tick
  std::vector<EditReply> replies_;            // that came at this boundary
  std::map<std::uint32_t, Respond> waiting_;  // by id
};

}  // namespace convoy::ros

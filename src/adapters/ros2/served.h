// Services that answer when they are done: now, or after the server has answered in turn.
//
//   Served<std_srvs::srv::Trigger>::add(here, node, "stop", stop, services);
//   void stop(DoorHere& here, const Trigger::Request& request, Served<Trigger>::Respond respond) { ... }
//
// What cannot be served is logged. `here` and the node outlive the services; who is answered after the service has ended
// hears nothing.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "adapters/ros2/robot_door.h"

namespace convoy::ros2 {

// For requests whose bytes are looked at: those of older definitions.
struct RawRequest {
  const Service& service;
  const ServiceRequest& asked;
  std::function<void(ByteView)> respond;  // once
};
using ActRaw = std::function<void(DoorHere&, RawRequest)>;

inline void serve_raw(DoorHere& here, Node& node, const std::string& name, const ros::ServiceSupport& type, ActRaw act,
                      std::vector<std::unique_ptr<Service>>& services) {
  const auto self = std::make_shared<std::weak_ptr<Service* const>>();  // it serves only once it is there
  auto made = node.service(name, type, [&here, self, act = std::move(act)](const ServiceRequest& asked) {
    const std::shared_ptr<Service* const> service = self->lock();
    const auto respond = [service, to = asked.from](ByteView cdr) {
      if (*service) (*service)->reply(to, cdr);
    };
    act(here, {**service, asked, respond});
  });
  if (!made) return here.log.line(LogLevel::kWarn, "ROS 2: " + made.error().message());
  *self = (*made)->handle();
  services.push_back(std::move(*made));
}

// One kind of service: `act` is given the request and a way to respond, now or later.
template <class ServiceT>
class Served {
 public:
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using Respond = std::function<void(const Response&)>;
  using Act = std::function<void(DoorHere&, const Request&, Respond)>;

  static void add(DoorHere& here, Node& node, const std::string& name, Act act,
                  std::vector<std::unique_ptr<Service>>& services) {
    const auto serve = [act = std::move(act)](DoorHere& at, const RawRequest& raw) {
      if (const auto request = message_in<Request>(at.domain, raw.asked.cdr)) act(at, *request, responding(raw));
    };
    serve_raw(here, node, name, ros::ServiceSupport::of<ServiceT>(), serve, services);
  }
  static Respond responding(const RawRequest& raw) {
    return [respond = raw.respond](const Response& response) {
      if (const auto cdr = ros::TypeSupport::of<Response>().to_cdr(&response)) respond(*cdr);
    };
  }
};

}  // namespace convoy::ros2

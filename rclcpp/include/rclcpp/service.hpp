// Services: callbacks that answer now, or keep the request's header and answer later.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "convoy_ros/message_type.hpp"
#include "rcl/wait.h"
#include "rclcpp/message_info.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

class ServiceBase : public std::enable_shared_from_this<ServiceBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(ServiceBase)
  virtual ~ServiceBase() = default;
  const char* get_service_name() const { return name_.c_str(); }
  convoy::nodes::Service& kernel() const { return *service_; }
  void set_kernel(convoy::nodes::Owned<convoy::nodes::Service> service) {
    service_ = std::move(service), name_ = service_->name().name(), handle_.receiver = service_.get();
  }
  std::shared_ptr<rcl_service_t> get_service_handle() { return {shared_from_this(), &handle_}; }
  bool exchange_in_use_by_wait_set_state(bool in_use) { return std::exchange(in_use_, in_use); }
  // A waiting request, for users that poll instead of waiting for the callback (wait_set.hpp); it is answered by
  // send_response() or handle_request().
  bool take_type_erased_request(void* request, rmw_request_id_t& id) {
    convoy::nodes::Delivery d;
    if (!service_->take(d)) return false;
    id = id_of(d);
    assign_request(request, d.message);
    return true;
  }
  virtual std::shared_ptr<void> create_request() = 0;
  std::shared_ptr<rmw_request_id_t> create_request_header() { return std::make_shared<rmw_request_id_t>(); }
  virtual void handle_request(std::shared_ptr<rmw_request_id_t> id, std::shared_ptr<void> request) = 0;

 protected:
  virtual void assign_request(void* request, convoy::nodes::MessageValue& message) = 0;
  static rmw_request_id_t id_of(const convoy::nodes::Delivery& d) {
    rmw_request_id_t id;
    std::memcpy(id.writer_guid, &d.from, sizeof d.from);
    id.sequence_number = static_cast<std::int64_t>(d.index);
    return id;
  }
  static convoy::nodes::CallId call_of(const rmw_request_id_t& id) {
    convoy::nodes::CallId call;
    std::memcpy(&call.client, id.writer_guid, sizeof call.client);
    call.index = static_cast<std::uint64_t>(id.sequence_number);
    return call;
  }

 private:
  convoy::nodes::Owned<convoy::nodes::Service> service_;
  std::string name_;
  rcl_service_t handle_;
  bool in_use_ = false;
};

template <class ServiceT>
class Service : public ServiceBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Service)
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  bool take_request(Request& request, rmw_request_id_t& id) { return take_type_erased_request(&request, id); }
  std::shared_ptr<void> create_request() override { return std::make_shared<Request>(); }
  void handle_request(std::shared_ptr<rmw_request_id_t> id, std::shared_ptr<void> request) override {
    const convoy::nodes::CallId call = call_of(*id);
    convoy::nodes::Delivery d{
        convoy::nodes::MessageValue::shared(convoy::ros::MessageTypeOf<Request>::instance(), request),
        {},
        {},
        call.index,
        call.client};
    kernel().handle(d);
  }
  void send_response(rmw_request_id_t& id, Response& response) { send(id, std::make_unique<Response>(response)); }

  template <class Callback>
  void handle(Callback& callback, convoy::nodes::Delivery& d) {
    auto header = std::make_shared<rmw_request_id_t>(id_of(d));
    std::shared_ptr<Request> request(static_cast<Request*>(d.message.take()));
    using Header = std::shared_ptr<rmw_request_id_t>;
    using Req = std::shared_ptr<Request>;
    using Res = std::shared_ptr<Response>;
    const auto answered = [&](auto call) {
      auto response = std::make_shared<Response>();
      call(response);
      send(*header, std::make_unique<Response>(std::move(*response)));
    };
    if constexpr (std::is_invocable_v<Callback&, Req, Res>) {
      answered([&](Res& response) { callback(std::move(request), response); });
    } else if constexpr (std::is_invocable_v<Callback&, Header, Req, Res>) {
      answered([&](Res& response) { callback(header, std::move(request), response); });
    } else if constexpr (std::is_invocable_v<Callback&, std::shared_ptr<Service>, Header, Req>) {
      callback(std::static_pointer_cast<Service>(this->shared_from_this()), header, std::move(request));  // deferred
    } else {
      static_assert(std::is_invocable_v<Callback&, Header, Req>,
                    "a service's callback takes (request, response), "
                    "(header, request, response), (header, request) or (service, header, request)");
      callback(header, std::move(request));  // deferred
    }
  }

 private:
  void assign_request(void* request, convoy::nodes::MessageValue& message) override {
    *static_cast<Request*>(request) = *static_cast<const Request*>(message.get());
  }
  void send(const rmw_request_id_t& id, std::unique_ptr<Response> response) {
    kernel().respond(call_of(id), convoy::nodes::MessageValue::owned(convoy::ros::MessageTypeOf<Response>::instance(),
                                                                     response.release()));
  }
};

}  // namespace rclcpp

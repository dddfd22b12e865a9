// Services: callbacks that answer now, or keep the request's header and answer later.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "convoy_ros/message_type.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/qos.hpp"

struct rmw_request_id_t {
  std::int8_t writer_guid[16] = {};
  std::int64_t sequence_number = 0;
};

namespace rclcpp {

class ServiceBase : public std::enable_shared_from_this<ServiceBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(ServiceBase)
  virtual ~ServiceBase() = default;
  const char* get_service_name() const { return name_.c_str(); }
  convoy::nodes::Service& kernel() const { return *service_; }
  void set_kernel(convoy::nodes::Owned<convoy::nodes::Service> service) {
    service_ = std::move(service), name_ = service_->name().name();
  }

 private:
  convoy::nodes::Owned<convoy::nodes::Service> service_;
  std::string name_;
};

template <class ServiceT>
class Service : public ServiceBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Service)
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  void send_response(rmw_request_id_t& id, Response& response) { send(id, std::make_unique<Response>(response)); }

  template <class Callback>
  void handle(Callback& callback, convoy::nodes::Delivery& d) {
    auto header = std::make_shared<rmw_request_id_t>();
    std::memcpy(header->writer_guid, &d.from, sizeof d.from);
    header->sequence_number = static_cast<std::int64_t>(d.index);
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
      static_assert(std::is_invocable_v<Callback&, Header, Req>, "a service's callback takes (request, response), "
                    "(header, request, response), (header, request) or (service, header, request)");
      callback(header, std::move(request));  // deferred
    }
  }

 private:
  void send(const rmw_request_id_t& id, std::unique_ptr<Response> response) {
    convoy::nodes::CallId call;
    std::memcpy(&call.client, id.writer_guid, sizeof call.client);
    call.index = static_cast<std::uint64_t>(id.sequence_number);
    kernel().respond(call, convoy::nodes::MessageValue::owned(convoy::ros::MessageTypeOf<Response>::instance(), response.release()));
  }
};

}  // namespace rclcpp

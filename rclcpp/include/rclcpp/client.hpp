// Clients of services: a call gives a future, and may have a callback.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "convoy_ros/future.hpp"
#include "convoy_ros/message_type.hpp"
#include "convoy_ros/simulation.hpp"
#include "rcl/wait.h"
#include "rclcpp/context.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

enum class FutureReturnCode { SUCCESS, INTERRUPTED, TIMEOUT };
std::string to_string(const FutureReturnCode& code);
std::ostream& operator<<(std::ostream& out, const FutureReturnCode& code);

namespace detail {
template <class FutureT>
struct FutureAndRequestId {
  FutureT future;
  std::int64_t request_id = 0;

  FutureAndRequestId(FutureT f, std::int64_t id) : future(std::move(f)), request_id(id) {}
  operator FutureT&() { return future; }  // NOLINT: implicit, as there
  auto get() { return future.get(); }
  bool valid() const noexcept { return future.valid(); }
  void wait() const { future.wait(); }
  template <class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period>& d) const {
    return convoy::ros::wait_for(future, std::chrono::duration_cast<std::chrono::nanoseconds>(d));
  }
};
}  // namespace detail

class ClientBase : public std::enable_shared_from_this<ClientBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(ClientBase)
  explicit ClientBase(convoy::ros::Simulation& simulation) : simulation_(&simulation) {}
  virtual ~ClientBase() = default;
  const char* get_service_name() const { return name_.c_str(); }
  bool service_is_ready() const { return client_->graph() && client_->service_is_ready(); }
  template <class Rep = std::int64_t, class Period = std::milli>
  bool wait_for_service(std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return wait_for_service_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }
  convoy::nodes::Client& kernel() const { return *client_; }
  void set_kernel(convoy::nodes::Owned<convoy::nodes::Client> client);
  std::shared_ptr<rcl_client_t> get_client_handle() { return {shared_from_this(), &handle_}; }
  bool exchange_in_use_by_wait_set_state(bool in_use) { return std::exchange(in_use_, in_use); }
  // A waiting response, for users that poll instead of waiting for the event (wait_set.hpp); handle_response() makes
  // the call's future ready with it.
  bool take_type_erased_response(void* response, rmw_request_id_t& id) {
    convoy::nodes::Delivery d;
    if (!client_->take(d)) return false;
    id.sequence_number = static_cast<std::int64_t>(d.index);
    assign_response(response, d.message);
    return true;
  }
  virtual std::shared_ptr<void> create_response() = 0;
  std::shared_ptr<rmw_request_id_t> create_request_header() { return std::make_shared<rmw_request_id_t>(); }
  virtual void handle_response(std::shared_ptr<rmw_request_id_t> id, std::shared_ptr<void> response) = 0;

 protected:
  virtual void assign_response(void* response, convoy::nodes::MessageValue& message) = 0;
  bool wait_for_service_nanoseconds(std::chrono::nanoseconds timeout);

 private:
  convoy::ros::Simulation* simulation_;
  convoy::nodes::Owned<convoy::nodes::Client> client_;
  std::string name_;
  rcl_client_t handle_;
  bool in_use_ = false;
};

template <class ServiceT>
class Client : public ClientBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Client)
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using Promise = std::promise<SharedResponse>;
  using PromiseWithRequest = std::promise<std::pair<SharedRequest, SharedResponse>>;
  using SharedPromise = std::shared_ptr<Promise>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;
  using SharedFutureWithRequest = std::shared_future<std::pair<SharedRequest, SharedResponse>>;
  using CallbackType = std::function<void(SharedFuture)>;
  using CallbackWithRequestType = std::function<void(SharedFutureWithRequest)>;
  struct FutureAndRequestId : detail::FutureAndRequestId<Future> {
    using detail::FutureAndRequestId<Future>::FutureAndRequestId;
    SharedFuture share() { return this->future.share(); }
  };
  struct SharedFutureAndRequestId : detail::FutureAndRequestId<SharedFuture> {
    using detail::FutureAndRequestId<SharedFuture>::FutureAndRequestId;
  };
  struct SharedFutureWithRequestAndRequestId : detail::FutureAndRequestId<SharedFutureWithRequest> {
    using detail::FutureAndRequestId<SharedFutureWithRequest>::FutureAndRequestId;
  };
  using ClientBase::ClientBase;

  FutureAndRequestId async_send_request(SharedRequest request) {
    auto promise = std::make_shared<Promise>(convoy::ros::make_promise<SharedResponse>());
    Future future = promise->get_future();
    return {std::move(future), send(*request, [promise](SharedResponse r) { promise->set_value(std::move(r)); })};
  }
  template <class Callback>
  requires std::is_invocable_v<Callback&, SharedFuture> SharedFutureAndRequestId
  async_send_request(SharedRequest request, Callback&& callback) {
    auto promise = std::make_shared<Promise>(convoy::ros::make_promise<SharedResponse>());
    SharedFuture future = promise->get_future().share();
    const auto id =
        send(*request, [promise, future, call = CallbackType(std::forward<Callback>(callback))](SharedResponse r) {
          promise->set_value(std::move(r));
          call(future);
        });
    return {future, id};
  }
  template <class Callback>
  requires(!std::is_invocable_v<Callback&, SharedFuture> &&
           std::is_invocable_v<Callback&, SharedFutureWithRequest>) SharedFutureWithRequestAndRequestId
      async_send_request(SharedRequest request, Callback&& callback) {
    auto promise =
        std::make_shared<PromiseWithRequest>(convoy::ros::make_promise<std::pair<SharedRequest, SharedResponse>>());
    SharedFutureWithRequest future = promise->get_future().share();
    const auto id = send(
        *request,
        [promise, future, request, call = CallbackWithRequestType(std::forward<Callback>(callback))](SharedResponse r) {
          promise->set_value({request, std::move(r)});
          call(future);
        });
    return {future, id};
  }

  bool remove_pending_request(std::int64_t id) { return pending_.erase(id) > 0; }
  bool remove_pending_request(const FutureAndRequestId& future) { return remove_pending_request(future.request_id); }
  std::size_t prune_pending_requests() {
    const std::size_t count = pending_.size();
    pending_.clear();
    return count;
  }

  bool take_response(Response& response, rmw_request_id_t& id) { return take_type_erased_response(&response, id); }
  std::shared_ptr<void> create_response() override { return std::make_shared<Response>(); }
  void handle_response(std::shared_ptr<rmw_request_id_t> id, std::shared_ptr<void> response) override {
    convoy::nodes::Delivery d{
        convoy::nodes::MessageValue::shared(convoy::ros::MessageTypeOf<Response>::instance(), response),
        {},
        {},
        static_cast<std::uint64_t>(id->sequence_number)};
    kernel().handle(d);
  }
  void handle(convoy::nodes::Delivery& d) {
    const auto found = pending_.find(static_cast<std::int64_t>(d.index));
    if (found == pending_.end()) return;  // its caller has forgotten it
    const auto answer = std::move(found->second);
    pending_.erase(found);
    answer(SharedResponse(static_cast<Response*>(d.message.take())));
  }

 private:
  void assign_response(void* response, convoy::nodes::MessageValue& message) override {
    *static_cast<Response*>(response) = *static_cast<const Response*>(message.get());
  }
  std::int64_t send(const Request& request, std::function<void(SharedResponse)> answer) {
    const auto& type = convoy::ros::MessageTypeOf<Request>::instance();
    const auto id =
        static_cast<std::int64_t>(kernel().call(convoy::nodes::MessageValue::owned(type, new Request(request))));
    pending_.emplace(id, std::move(answer));
    return id;
  }

  std::map<std::int64_t, std::function<void(SharedResponse)>> pending_;
};

}  // namespace rclcpp

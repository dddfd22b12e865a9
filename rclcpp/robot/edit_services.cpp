#include "edit_services.hpp"

#include <convoy_msgs/srv/attach_entity.hpp>
#include <convoy_msgs/srv/delete_entity.hpp>
#include <convoy_msgs/srv/detach_entity.hpp>
#include <convoy_msgs/srv/set_entity.hpp>
#include <convoy_msgs/srv/spawn_entity.hpp>

#include "convoy/result.h"

namespace convoy::ros {
namespace {

namespace srv = convoy_msgs::srv;

Vec3 from(const geometry_msgs::msg::Vector3& v) { return {v.x, v.y, v.z}; }
Pose from(const geometry_msgs::msg::Pose& p) {
  return {{p.position.x, p.position.y, p.position.z},
          {p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z}};
}

EditRequest spawn(const srv::SpawnEntity::Request& r) {
  return {.kind = EditKind::kSpawn,
          .entity = r.name,
          .model = r.model,
          .ns = r.entity_namespace,
          .tags = r.tags,
          .frame = r.frame,
          .pose = from(r.pose)};
}
EditRequest remove(const srv::DeleteEntity::Request& r) { return {.kind = EditKind::kDelete, .entity = r.entity}; }
EditRequest set(const srv::SetEntity::Request& r) {
  EditRequest request{.kind = EditKind::kSet, .entity = r.entity, .frame = r.frame};
  if (!r.keep_pose) request.pose = from(r.pose);
  request.twist = Twist{from(r.twist.linear), from(r.twist.angular)};
  return request;
}
EditRequest attach(const srv::AttachEntity::Request& r) {
  return {.kind = EditKind::kAttach, .entity = r.child, .parent = r.parent};
}
EditRequest detach(const srv::DetachEntity::Request& r) { return {.kind = EditKind::kDetach, .entity = r.child}; }

}  // namespace

EditServices::EditServices() : node_(std::make_shared<rclcpp::Node>("world_edits", rclcpp::NodeOptions())) {
  node_->get_node_base_interface()->set_held(false);  // it receives whether a program spins or not
  serve<srv::SpawnEntity>("convoy/spawn", spawn);
  serve<srv::DeleteEntity>("convoy/delete", remove);
  serve<srv::SetEntity>("convoy/set", set);
  serve<srv::AttachEntity>("convoy/attach", attach);
  serve<srv::DetachEntity>("convoy/detach", detach);
}

template <class ServiceT>
void EditServices::serve(const char* name, EditRequest (*read)(const typename ServiceT::Request&)) {
  using Service = rclcpp::Service<ServiceT>;
  services_.push_back(node_->create_service<ServiceT>(
      name, [this, read](const std::shared_ptr<Service>& service, const std::shared_ptr<rmw_request_id_t>& id,
                         const std::shared_ptr<typename ServiceT::Request>& request) {
        ask(read(*request), [service, id](const EditReply& reply) {
          typename ServiceT::Response response;
          response.success = reply.error == 0;
          response.code = static_cast<std::uint8_t>(reply.error);
          response.message = reply.text;
          if constexpr (std::is_same_v<ServiceT, srv::SpawnEntity>)
            response.name = reply.name, response.number = reply.number.value();
          service->send_response(*id, response);
        });
      }));
}

void EditServices::ask(EditRequest request, Respond respond) {
  if (waiting_.size() >= kMaxEditsWaiting)
    return respond({.error = static_cast<std::uint32_t>(ErrorCode::kUnavailable), .text = "too many requests wait"});
  request.id = next_++;
  waiting_[request.id] = std::move(respond);
  asked_.push_back(std::move(request));
}

void EditServices::respond() {
  for (const EditReply& reply : std::exchange(replies_, {}))
    if (const auto waiting = waiting_.extract(reply.id)) waiting.mapped()(reply);
}

}  // namespace convoy::ros

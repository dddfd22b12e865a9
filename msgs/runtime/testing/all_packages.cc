#include "testing/all_packages.h"

extern "C" {
const convoy::ros::PackageFacts* convoy_types_of_action_msgs();
const convoy::ros::PackageFacts* convoy_types_of_builtin_interfaces();
const convoy::ros::PackageFacts* convoy_types_of_diagnostic_msgs();
const convoy::ros::PackageFacts* convoy_types_of_example_interfaces();
const convoy::ros::PackageFacts* convoy_types_of_geometry_msgs();
const convoy::ros::PackageFacts* convoy_types_of_lifecycle_msgs();
const convoy::ros::PackageFacts* convoy_types_of_nav_msgs();
const convoy::ros::PackageFacts* convoy_types_of_rcl_interfaces();
const convoy::ros::PackageFacts* convoy_types_of_rosgraph_msgs();
const convoy::ros::PackageFacts* convoy_types_of_sensor_msgs();
const convoy::ros::PackageFacts* convoy_types_of_service_msgs();
const convoy::ros::PackageFacts* convoy_types_of_shape_msgs();
const convoy::ros::PackageFacts* convoy_types_of_std_msgs();
const convoy::ros::PackageFacts* convoy_types_of_std_srvs();
const convoy::ros::PackageFacts* convoy_types_of_tf2_msgs();
const convoy::ros::PackageFacts* convoy_types_of_trajectory_msgs();
const convoy::ros::PackageFacts* convoy_types_of_unique_identifier_msgs();
const convoy::ros::PackageFacts* convoy_types_of_visualization_msgs();
}

namespace convoy::ros {

Types all_types() {
  return Types({convoy_types_of_action_msgs(), convoy_types_of_builtin_interfaces(), convoy_types_of_diagnostic_msgs(),
                convoy_types_of_example_interfaces(), convoy_types_of_geometry_msgs(), convoy_types_of_lifecycle_msgs(),
                convoy_types_of_nav_msgs(), convoy_types_of_rcl_interfaces(), convoy_types_of_rosgraph_msgs(),
                convoy_types_of_sensor_msgs(), convoy_types_of_service_msgs(), convoy_types_of_shape_msgs(),
                convoy_types_of_std_msgs(), convoy_types_of_std_srvs(), convoy_types_of_tf2_msgs(),
                convoy_types_of_trajectory_msgs(), convoy_types_of_unique_identifier_msgs(),
                convoy_types_of_visualization_msgs()});
}

}  // namespace convoy::ros

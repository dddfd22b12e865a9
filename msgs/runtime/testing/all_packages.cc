#include "testing/all_packages.h"

#include "action_msgs/convoy_types.h"
#include "bond/convoy_types.h"
#include "builtin_interfaces/convoy_types.h"
#include "control_msgs/convoy_types.h"
#include "convoy_test_msgs/convoy_types.h"
#include "diagnostic_msgs/convoy_types.h"
#include "example_interfaces/convoy_types.h"
#include "geographic_msgs/convoy_types.h"
#include "geometry_msgs/convoy_types.h"
#include "lifecycle_msgs/convoy_types.h"
#include "map_msgs/convoy_types.h"
#include "moveit_msgs/convoy_types.h"
#include "nav2_msgs/convoy_types.h"
#include "nav_msgs/convoy_types.h"
#include "object_recognition_msgs/convoy_types.h"
#include "octomap_msgs/convoy_types.h"
#include "rcl_interfaces/convoy_types.h"
#include "rmw_dds_common/convoy_types.h"
#include "rosgraph_msgs/convoy_types.h"
#include "sensor_msgs/convoy_types.h"
#include "service_msgs/convoy_types.h"
#include "shape_msgs/convoy_types.h"
#include "simulation_interfaces/convoy_types.h"
#include "statistics_msgs/convoy_types.h"
#include "std_msgs/convoy_types.h"
#include "std_srvs/convoy_types.h"
#include "tf2_msgs/convoy_types.h"
#include "trajectory_msgs/convoy_types.h"
#include "type_description_interfaces/convoy_types.h"
#include "ue_msgs/convoy_types.h"
#include "unique_identifier_msgs/convoy_types.h"
#include "vision_msgs/convoy_types.h"
#include "visualization_msgs/convoy_types.h"

namespace convoy::ros {

Types all_types() {
  return Types({
      convoy_types_of_action_msgs(),
      convoy_types_of_bond(),
      convoy_types_of_builtin_interfaces(),
      convoy_types_of_control_msgs(),
      convoy_types_of_convoy_test_msgs(),
      convoy_types_of_diagnostic_msgs(),
      convoy_types_of_example_interfaces(),
      convoy_types_of_geographic_msgs(),
      convoy_types_of_geometry_msgs(),
      convoy_types_of_lifecycle_msgs(),
      convoy_types_of_map_msgs(),
      convoy_types_of_moveit_msgs(),
      convoy_types_of_nav2_msgs(),
      convoy_types_of_nav_msgs(),
      convoy_types_of_object_recognition_msgs(),
      convoy_types_of_octomap_msgs(),
      convoy_types_of_rcl_interfaces(),
      convoy_types_of_rmw_dds_common(),
      convoy_types_of_rosgraph_msgs(),
      convoy_types_of_sensor_msgs(),
      convoy_types_of_service_msgs(),
      convoy_types_of_shape_msgs(),
      convoy_types_of_simulation_interfaces(),
      convoy_types_of_statistics_msgs(),
      convoy_types_of_std_msgs(),
      convoy_types_of_std_srvs(),
      convoy_types_of_tf2_msgs(),
      convoy_types_of_trajectory_msgs(),
      convoy_types_of_type_description_interfaces(),
      convoy_types_of_ue_msgs(),
      convoy_types_of_unique_identifier_msgs(),
      convoy_types_of_vision_msgs(),
      convoy_types_of_visualization_msgs(),
  });
}

}  // namespace convoy::ros

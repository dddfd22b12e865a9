// A C program that uses messages: makes, fills, copies, compares and destroys them. Ends with 0 if all is right.
#include <stdio.h>

#include "geometry_msgs/msg/point32.h"
#include "geometry_msgs/msg/polygon.h"
#include "geometry_msgs/msg/pose_stamped.h"
#include "rosidl_runtime_c/string_functions.h"
#include "std_srvs/srv/trigger.h"

static int failures = 0;
static void check(bool ok, const char* what) {
  if (ok) return;
  ++failures;
  printf("FAILED: %s\n", what);
}

int main(void) {
  geometry_msgs__msg__Polygon polygon, copy;
  check(geometry_msgs__msg__Polygon__init(&polygon) && geometry_msgs__msg__Polygon__init(&copy), "polygons are made");
  check(geometry_msgs__msg__Point32__Sequence__init(&polygon.points, 3), "and have points");
  polygon.points.data[2].y = 1.5f;
  check(polygon.points.size == 3 && polygon.points.data[0].x == 0.0f, "of zeros");
  check(geometry_msgs__msg__Polygon__copy(&polygon, &copy), "they are copied");
  check(geometry_msgs__msg__Polygon__are_equal(&polygon, &copy), "as they are");
  copy.points.data[2].y = 2.0f;
  check(!geometry_msgs__msg__Polygon__are_equal(&polygon, &copy), "and are then others");
  geometry_msgs__msg__Polygon__fini(&polygon);
  geometry_msgs__msg__Polygon__fini(&copy);

  geometry_msgs__msg__PoseStamped* pose = geometry_msgs__msg__PoseStamped__create();
  if (!pose) return failures + 1;
  check(pose->pose.orientation.w == 1.0, "defaults are those of the definition");
  check(rosidl_runtime_c__String__assign(&pose->header.frame_id, "map"), "a string is set");
  check(pose->header.frame_id.size == 3, "with its length");
  geometry_msgs__msg__PoseStamped__destroy(pose);

  std_srvs__srv__Trigger_Response* response = std_srvs__srv__Trigger_Response__create();
  check(response && !response->success, "services have their halves");
  std_srvs__srv__Trigger_Response__destroy(response);
  return failures;
}

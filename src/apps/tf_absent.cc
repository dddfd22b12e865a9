// A build without interface packages.
#include "apps/prepare.h"
#include "apps/tf.h"

namespace convoy::apps {

int tf_echo(const Arguments&) {
  return complain("this build has no interface packages: cmake -DCONVOY_ROS=ON", kUsage);
}
int tf_tree(const Arguments& arguments) { return tf_echo(arguments); }

}  // namespace convoy::apps

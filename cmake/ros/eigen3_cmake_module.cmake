# What ament_target_dependencies(target Eigen3) takes, once Eigen3 has been found.
set(Eigen3_TARGETS Eigen3::Eigen)

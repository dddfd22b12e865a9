# Type support is in the interface packages themselves.
if(NOT TARGET rosidl_typesupport_cpp::rosidl_typesupport_cpp)
  add_library(rosidl_typesupport_cpp::rosidl_typesupport_cpp INTERFACE IMPORTED)
  target_link_libraries(rosidl_typesupport_cpp::rosidl_typesupport_cpp INTERFACE convoy_ros::facts)
endif()
set(rosidl_typesupport_cpp_TARGETS rosidl_typesupport_cpp::rosidl_typesupport_cpp)

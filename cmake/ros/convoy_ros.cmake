# What all of Convoy's ROS packages bring along: where the generator of messages is, and where programs find libraries.
get_filename_component(_convoy_share ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set_target_properties(convoy_ros::facts PROPERTIES CONVOY_MSGS_GENERATOR ${_convoy_share}/convoy_ros/generator
  CONVOY_MSGS_FOLDERS ${_convoy_share})
include(${CMAKE_CURRENT_LIST_DIR}/ConvoyMsgs.cmake)
# What is installed finds these libraries, and those of its own package, without LD_LIBRARY_PATH.
if(NOT DEFINED CMAKE_INSTALL_RPATH)
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/..;$ORIGIN/../lib")
endif()
if(NOT DEFINED CMAKE_INSTALL_RPATH_USE_LINK_PATH)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# What an installation holds for ROS packages of others: rclcpp and the libraries beside it, the interface packages, and
# what Debian's ament and rosidl lack. Each is found by find_package() under its ROS 2 name, in Jazzy's version.
#
#   include/<package>/           headers            lib/convoy/   shared libraries
#   share/<package>/             package.xml, cmake/<package>Config.cmake, definitions of messages
#   share/ament_index/           the names of the packages
#   share/convoy_ros/            the generator of messages, and the CMake of it
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set(ros_templates ${PROJECT_SOURCE_DIR}/cmake/ros)
set(ros_libraries ${CMAKE_INSTALL_LIBDIR}/convoy)

# convoy_ros_package(NAME VERSION version [TARGETS target...] [DEPENDS package...] [INCLUDE folder...] [EXTRAS file...])
#
# TARGETS are exported as NAME::<their EXPORT_NAME>, DEPENDS are found by the package's config, and EXTRAS included.
function(convoy_ros_package NAME)
  cmake_parse_arguments(ROS "" "VERSION" "TARGETS;DEPENDS;INCLUDE;EXTRAS" ${ARGN})
  set(share ${CMAKE_INSTALL_DATADIR}/${NAME})
  set(out ${PROJECT_BINARY_DIR}/ros/${NAME})
  set(exported)
  foreach(target ${ROS_TARGETS})
    get_target_property(name ${target} EXPORT_NAME)
    if(NOT name)
      set(name ${target})
    endif()
    list(APPEND exported ${NAME}::${name})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
      if(target STREQUAL NAME)
        # Not the name of ROS 2's own library, which LD_LIBRARY_PATH may lead to.
        set_target_properties(${target} PROPERTIES OUTPUT_NAME convoy_${target})
      endif()
      add_dependencies(convoy_ros_packages ${target})
    endif()
    if(ROS_INCLUDE)
      target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/${NAME}>)
    endif()
  endforeach()
  foreach(folder ${ROS_INCLUDE})
    install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${NAME} FILES_MATCHING PATTERN *.h PATTERN *.hpp)
  endforeach()
  if(ROS_TARGETS)
    install(TARGETS ${ROS_TARGETS} EXPORT ${NAME}Targets LIBRARY DESTINATION ${ros_libraries} COMPONENT convoy)
    install(EXPORT ${NAME}Targets NAMESPACE ${NAME}:: DESTINATION ${share}/cmake)
  endif()
  set(extras)
  foreach(file ${ROS_EXTRAS})
    get_filename_component(extra ${file} NAME)
    list(APPEND extras ${extra})
    install(FILES ${file} DESTINATION ${share}/cmake)
  endforeach()
  configure_file(${ros_templates}/packageConfig.cmake.in ${out}/${NAME}Config.cmake @ONLY)
  configure_file(${ros_templates}/package.xml.in ${out}/package.xml @ONLY)
  write_basic_package_version_file(${out}/${NAME}ConfigVersion.cmake VERSION ${ROS_VERSION} COMPATIBILITY AnyNewerVersion)
  install(FILES ${out}/${NAME}Config.cmake ${out}/${NAME}ConfigVersion.cmake DESTINATION ${share}/cmake)
  install(FILES ${out}/package.xml DESTINATION ${share})
  file(WRITE ${out}/index "")
  install(FILES ${out}/index DESTINATION ${CMAKE_INSTALL_DATADIR}/ament_index/resource_index/packages RENAME ${NAME})
endfunction()

# The interface package NAME, made by convoy_msgs().
function(convoy_ros_interfaces NAME VERSION)
  get_target_property(depends ${NAME}__types CONVOY_MSGS_DEPENDS)
  get_target_property(out ${NAME}__types BINARY_DIR)
  convoy_ros_package(${NAME} VERSION ${VERSION} TARGETS ${NAME}__types DEPENDS rosidl_default_runtime ${depends}
    EXTRAS ${ros_templates}/interfaces.cmake)
  install(DIRECTORY ${out}/${NAME}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${NAME})
  install(DIRECTORY msgs/${NAME}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/${NAME} PATTERN include EXCLUDE)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/msgs/${NAME}/include)
    install(DIRECTORY msgs/${NAME}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${NAME})
  endif()
  file(GLOB definitions RELATIVE ${PROJECT_SOURCE_DIR}/msgs/${NAME} msgs/${NAME}/*/*.msg msgs/${NAME}/*/*.srv
    msgs/${NAME}/*/*.action)
  list(JOIN definitions "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/ros/${NAME}/interfaces "${lines}\n")
  install(FILES ${PROJECT_BINARY_DIR}/ros/${NAME}/interfaces
    DESTINATION ${CMAKE_INSTALL_DATADIR}/ament_index/resource_index/rosidl_interfaces RENAME ${NAME})
endfunction()

# Whatever is installed must have been built, interface packages that nothing else here needs as well.
add_custom_target(convoy_ros_packages ALL)

# What all of them need: rosidl's runtime, the kernel's headers, and the CMake that makes packages.
add_library(convoy_ros_kernel INTERFACE)
target_link_libraries(convoy_ros_kernel INTERFACE $<INSTALL_INTERFACE:convoy::convoy>)
# What GCC makes of a*b+c otherwise, on processors that have an instruction for it, differs from one to the next.
target_compile_options(convoy_ros_facts INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)
set_target_properties(convoy_ros_facts PROPERTIES EXPORT_NAME facts)
set_target_properties(convoy_ros_kernel PROPERTIES EXPORT_NAME kernel)
target_link_libraries(rclcpp PUBLIC $<INSTALL_INTERFACE:convoy_ros::kernel>)
convoy_ros_package(convoy_ros VERSION ${PROJECT_VERSION} TARGETS convoy_ros_facts convoy_ros_kernel DEPENDS convoy
  INCLUDE ${PROJECT_SOURCE_DIR}/msgs/runtime EXTRAS ${ros_templates}/convoy_ros.cmake)
foreach(layer core nodes)
  install(DIRECTORY src/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/convoy_ros/convoy_kernel FILES_MATCHING PATTERN *.h)
endforeach()
install(FILES cmake/ConvoyMsgs.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/convoy_ros/cmake)
install(DIRECTORY msgs/generator DESTINATION ${CMAKE_INSTALL_DATADIR}/convoy_ros FILES_MATCHING PATTERN *.py
  PATTERN __pycache__ EXCLUDE PATTERN *_test.py EXCLUDE)

foreach(package std_msgs geometry_msgs sensor_msgs nav_msgs shape_msgs diagnostic_msgs trajectory_msgs visualization_msgs
                std_srvs)
  convoy_ros_interfaces(${package} 5.3.6)
endforeach()
foreach(package builtin_interfaces rcl_interfaces service_msgs action_msgs lifecycle_msgs rosgraph_msgs)
  convoy_ros_interfaces(${package} 2.0.2)
endforeach()
convoy_ros_interfaces(type_description_interfaces 2.0.2)
convoy_ros_interfaces(unique_identifier_msgs 2.5.0)
convoy_ros_interfaces(tf2_msgs 0.36.12)
convoy_ros_interfaces(example_interfaces 0.12.0)
convoy_ros_interfaces(control_msgs 5.8.0)
convoy_ros_interfaces(nav2_msgs 1.3.7)
convoy_ros_interfaces(object_recognition_msgs 2.0.0)
convoy_ros_interfaces(octomap_msgs 2.0.0)
convoy_ros_interfaces(moveit_msgs 2.6.0)
convoy_ros_interfaces(rmw_dds_common 3.1.0)
convoy_ros_interfaces(simulation_interfaces 2.1.0)
convoy_ros_interfaces(ue_msgs 0.1.0)
convoy_ros_interfaces(vision_msgs 4.1.1)
convoy_ros_interfaces(map_msgs 2.4.1)
convoy_ros_interfaces(geographic_msgs 1.0.6)
convoy_ros_interfaces(statistics_msgs 2.0.2)
convoy_ros_interfaces(bond 4.1.2)
convoy_ros_interfaces(convoy_msgs ${PROJECT_VERSION})

# Debian has none of these.
convoy_ros_package(eigen3_cmake_module VERSION 0.3.0 EXTRAS ${ros_templates}/eigen3_cmake_module.cmake)
convoy_ros_package(rosidl_default_runtime VERSION 1.6.0 DEPENDS convoy_ros)
convoy_ros_package(rosidl_typesupport_cpp VERSION 3.2.2 DEPENDS convoy_ros EXTRAS ${ros_templates}/rosidl_typesupport_cpp.cmake)
convoy_ros_package(rosidl_default_generators VERSION 1.6.0 DEPENDS convoy_ros rosidl_typesupport_cpp
  EXTRAS ${ros_templates}/rosidl_generate_interfaces.cmake)
install(FILES ${ros_templates}/interfaces.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/rosidl_default_generators/cmake)

# Others' libraries under the names that ROS 2 has for its copies of them: Debian's.
function(convoy_ros_vendor NAME VERSION VENDOR_FIND VENDOR_TARGETS VENDOR_DEBIAN)
  configure_file(${ros_templates}/vendor.cmake.in ${PROJECT_BINARY_DIR}/ros/${NAME}/${NAME}-vendor.cmake @ONLY)
  convoy_ros_package(${NAME} VERSION ${VERSION} EXTRAS ${PROJECT_BINARY_DIR}/ros/${NAME}/${NAME}-vendor.cmake)
endfunction()
convoy_ros_vendor(yaml_cpp_vendor 9.0.1 yaml-cpp yaml-cpp libyaml-cpp-dev)
convoy_ros_vendor(tinyxml2_vendor 0.9.2 tinyxml2 tinyxml2::tinyxml2 libtinyxml2-dev)
convoy_ros_vendor(orocos_kdl_vendor 0.5.2 orocos_kdl orocos-kdl liborocos-kdl-dev)
convoy_ros_vendor(ament_cmake_ros 0.12.0 ament_cmake "" ament-cmake)
# What package.xml files name without need, or for what is not here.
function(convoy_ros_absent NAME VERSION ABSENT_WHY)
  configure_file(${ros_templates}/absent.cmake.in ${PROJECT_BINARY_DIR}/ros/${NAME}/${NAME}-absent.cmake @ONLY)
  convoy_ros_package(${NAME} VERSION ${VERSION} EXTRAS ${PROJECT_BINARY_DIR}/ros/${NAME}/${NAME}-absent.cmake)
endfunction()
convoy_ros_absent(rmw 7.3.2 "there is no middleware interface under Convoy's rclcpp; what calls rmw_ functions does not compile")
convoy_ros_absent(rcl 9.2.8 "of rcl there are guard conditions and wait sets, by rclcpp; what calls other rcl_ functions does not compile")
convoy_ros_absent(urdf 2.10.0 "Convoy has no parser of URDF for packages; Debian's liburdfdom-dev is urdfdom")
convoy_ros_absent(kdl_parser 2.11.0 "Convoy has no kdl_parser; what includes it does not compile")

set(ros_rclcpp ${PROJECT_SOURCE_DIR}/rclcpp)
convoy_ros_package(rclcpp VERSION 28.1.6 TARGETS rclcpp DEPENDS convoy_ros builtin_interfaces rcl_interfaces rosgraph_msgs
  INCLUDE ${ros_rclcpp}/include)
set_target_properties(rclcpp_components PROPERTIES EXPORT_NAME component)
convoy_ros_package(rclcpp_components VERSION 28.1.6 TARGETS rclcpp_components DEPENDS rclcpp
  EXTRAS ${ros_templates}/rclcpp_components.cmake)
install(FILES ${ros_templates}/component_main.cpp.in DESTINATION ${CMAKE_INSTALL_DATADIR}/rclcpp_components/cmake)

# convoy_rclcpp_library(NAME VERSION DEPENDS package...): the target NAME, whose headers are in rclcpp/NAME/include.
function(convoy_rclcpp_library NAME VERSION)
  convoy_ros_package(${NAME} VERSION ${VERSION} TARGETS ${NAME} INCLUDE ${ros_rclcpp}/${NAME}/include ${ARGN})
endfunction()
convoy_rclcpp_library(rclcpp_lifecycle 28.1.6 DEPENDS rclcpp lifecycle_msgs)
convoy_rclcpp_library(rclcpp_action 28.1.6 DEPENDS rclcpp action_msgs)
convoy_rclcpp_library(tf2 0.36.12 DEPENDS convoy_ros builtin_interfaces geometry_msgs)
convoy_rclcpp_library(tf2_geometry_msgs 0.36.12 DEPENDS tf2 geometry_msgs)
convoy_rclcpp_library(tf2_eigen 0.36.12 DEPENDS tf2 geometry_msgs Eigen3)
convoy_rclcpp_library(message_filters 4.11.6 DEPENDS rclcpp std_msgs)
convoy_rclcpp_library(tf2_ros 0.36.12 DEPENDS rclcpp message_filters tf2 tf2_msgs)
convoy_rclcpp_library(tf2_sensor_msgs 0.36.12 DEPENDS tf2 tf2_ros sensor_msgs)
convoy_rclcpp_library(laser_geometry 2.7.1 DEPENDS tf2 sensor_msgs)
convoy_rclcpp_library(diagnostic_updater 4.2.1 DEPENDS rclcpp diagnostic_msgs)
convoy_rclcpp_library(bondcpp 4.1.2 DEPENDS rclcpp bond)
convoy_rclcpp_library(smclib 4.1.2)
convoy_rclcpp_library(angles 1.16.0)

# "nodes/graph.h" and the like are "convoy_kernel/nodes/graph.h" for others: packages have such folders of their own.
install(CODE "set(include_folder \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT ${ros_templates}/kernel_includes.cmake)

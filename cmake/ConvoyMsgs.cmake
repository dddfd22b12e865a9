# convoy_msgs(PACKAGE [DEPENDS package...] [FOLDER folder])
#
# Makes the target PACKAGE::PACKAGE of the ROS interface package FOLDER/PACKAGE/{msg,srv,action} (FOLDER: the current
# source folder): rosidl's C++ headers under the include paths that ROS users know, and a shared library with the type
# support. Generated and compiled at build time, only if a target links it, and again only if a definition has changed.
# DEPENDS names the packages whose types its definitions use (made by convoy_msgs before); they are linked, too.
# docs/interfaces.md tells more.
include_guard(GLOBAL)
find_path(CONVOY_ROSIDL_INCLUDE rosidl_runtime_c/rosidl_runtime_c/message_type_support_struct.h)
find_library(CONVOY_ROSIDL_RUNTIME rosidl_runtime_c)
find_library(CONVOY_ROSIDL_INTROSPECTION rosidl_typesupport_introspection_cpp)
foreach(found CONVOY_ROSIDL_INCLUDE CONVOY_ROSIDL_RUNTIME CONVOY_ROSIDL_INTROSPECTION)
  if(NOT ${found})
    message(FATAL_ERROR "rosidl is missing (${found}): scripts/setup.sh installs it")
  endif()
endforeach()

# What every generated package needs: rosidl's runtime and convoy_ros_types/facts.h.
add_library(convoy_ros_facts INTERFACE)
foreach(part rosidl_runtime_c rosidl_runtime_cpp rosidl_typesupport_interface rosidl_typesupport_introspection_c
             rosidl_typesupport_introspection_cpp rcutils)
  target_include_directories(convoy_ros_facts SYSTEM INTERFACE ${CONVOY_ROSIDL_INCLUDE}/${part})
endforeach()
target_include_directories(convoy_ros_facts INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../msgs/runtime)
target_link_libraries(convoy_ros_facts INTERFACE ${CONVOY_ROSIDL_INTROSPECTION} ${CONVOY_ROSIDL_RUNTIME})

function(convoy_msgs PACKAGE)
  cmake_parse_arguments(MSGS "" "FOLDER" "DEPENDS" ${ARGN})
  if(NOT MSGS_FOLDER)
    set(MSGS_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(generator_folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../msgs/generator)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${PACKAGE})
  set(unit ${out}/${PACKAGE}__types.cc)
  file(GLOB generator CONFIGURE_DEPENDS ${generator_folder}/*.py)
  file(GLOB definitions CONFIGURE_DEPENDS ${MSGS_FOLDER}/${PACKAGE}/msg/*.msg ${MSGS_FOLDER}/${PACKAGE}/srv/*.srv
    ${MSGS_FOLDER}/${PACKAGE}/action/*.action)
  # A type's hash is made of its nested types, too; the built-in packages are where service and action types come from.
  set(search ${MSGS_FOLDER} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../msgs)
  set(inputs ${definitions})
  set(libraries)
  foreach(other ${MSGS_DEPENDS})
    get_target_property(others ${other}__types CONVOY_MSGS_INPUTS)
    get_target_property(folder ${other}__types CONVOY_MSGS_FOLDER)
    list(APPEND inputs ${others})
    list(APPEND search ${folder})
    list(APPEND libraries ${other}::${other})
  endforeach()
  list(REMOVE_DUPLICATES inputs)
  list(REMOVE_DUPLICATES search)
  add_custom_command(
    OUTPUT ${unit}
    COMMAND /usr/bin/python3 ${generator_folder}/generate.py ${PACKAGE} ${out} --search ${search}
            --depends ${MSGS_DEPENDS}
    DEPENDS ${generator} ${inputs}
    COMMENT "Generating the C++ of ${PACKAGE}" VERBATIM)
  add_library(${PACKAGE}__types SHARED EXCLUDE_FROM_ALL ${unit})
  add_library(${PACKAGE}::${PACKAGE} ALIAS ${PACKAGE}__types)
  set_target_properties(${PACKAGE}__types PROPERTIES CONVOY_MSGS_INPUTS "${inputs}" CONVOY_MSGS_FOLDER ${MSGS_FOLDER})
  target_include_directories(${PACKAGE}__types SYSTEM PUBLIC $<BUILD_INTERFACE:${out}/include>)
  target_include_directories(${PACKAGE}__types PRIVATE ${out})
  target_compile_options(${PACKAGE}__types PRIVATE -w)  # rosidl's code, not ours
  target_link_libraries(${PACKAGE}__types PUBLIC convoy_ros_facts ${libraries})
endfunction()

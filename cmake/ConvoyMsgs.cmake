# convoy_msgs(PACKAGE [DEPENDS package...] [FOLDER folder])
#
# Makes the target PACKAGE::PACKAGE of the ROS interface package FOLDER/PACKAGE/{msg,srv,action} (FOLDER: the current
# source folder): rosidl's C++ headers under the include paths that ROS users know, and a shared library with the type
# support. Generated and compiled at build time, only if a target links it, and again only if a definition has changed.
# DEPENDS names the packages whose types its definitions use (made by convoy_msgs before); they are linked, too, and
# service_msgs where there are services.
# docs/interfaces.md has more.
#
# An installation has this file, too: rosidl_generate_interfaces() makes packages by it. What it knows of others are
# properties of their targets: CONVOY_MSGS_FOLDERS, _INPUTS and _DEPENDS; convoy_ros::facts has the generator's path.
include_guard(GLOBAL)

function(convoy_msgs PACKAGE)
  cmake_parse_arguments(MSGS "" "FOLDER" "DEPENDS" ${ARGN})
  if(NOT MSGS_FOLDER)
    set(MSGS_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  get_target_property(generator_folder convoy_ros::facts CONVOY_MSGS_GENERATOR)
  get_target_property(built_in convoy_ros::facts CONVOY_MSGS_FOLDERS)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${PACKAGE})
  set(unit ${out}/${PACKAGE}__types.cc)
  file(GLOB generator CONFIGURE_DEPENDS ${generator_folder}/*.py)
  file(GLOB definitions CONFIGURE_DEPENDS ${MSGS_FOLDER}/${PACKAGE}/msg/*.msg ${MSGS_FOLDER}/${PACKAGE}/srv/*.srv
    ${MSGS_FOLDER}/${PACKAGE}/action/*.action)
  # Events of services have a field of service_msgs.
  if(definitions MATCHES "\\.(srv|action)(;|$)")
    list(APPEND MSGS_DEPENDS service_msgs)
    list(REMOVE_DUPLICATES MSGS_DEPENDS)
  endif()
  # A type's hash is made of its nested types, too; the built-in packages are where service and action types come from.
  set(search ${MSGS_FOLDER} ${built_in})
  set(inputs ${definitions})
  set(libraries)
  foreach(other ${MSGS_DEPENDS})
    get_target_property(others ${other}::${other} CONVOY_MSGS_INPUTS)
    get_target_property(folders ${other}::${other} CONVOY_MSGS_FOLDERS)
    list(APPEND inputs ${others})
    list(APPEND search ${folders})
    list(APPEND libraries ${other}::${other})
  endforeach()
  list(REMOVE_DUPLICATES inputs)
  list(REMOVE_DUPLICATES search)
  # Debian's rosidl, also where a ROS has been sourced.
  add_custom_command(
    OUTPUT ${unit}
    COMMAND ${CMAKE_COMMAND} -E env --unset=AMENT_PREFIX_PATH --unset=PYTHONPATH PYTHONDONTWRITEBYTECODE=1
            /usr/bin/python3 ${generator_folder}/generate.py ${PACKAGE} ${out} --search ${search} --depends ${MSGS_DEPENDS}
    DEPENDS ${generator} ${inputs}
    COMMENT "Generating the C++ of ${PACKAGE}" VERBATIM)
  add_library(${PACKAGE}__types SHARED EXCLUDE_FROM_ALL ${unit})
  add_library(${PACKAGE}::${PACKAGE} ALIAS ${PACKAGE}__types)
  set_target_properties(${PACKAGE}__types PROPERTIES EXPORT_NAME ${PACKAGE}
    CONVOY_MSGS_INPUTS "${inputs}" CONVOY_MSGS_FOLDERS "${search}" CONVOY_MSGS_DEPENDS "${MSGS_DEPENDS}")
  target_include_directories(${PACKAGE}__types SYSTEM PUBLIC $<BUILD_INTERFACE:${out}/include>
    $<INSTALL_INTERFACE:include/${PACKAGE}>)
  # Headers written by hand, beside the definitions.
  if(IS_DIRECTORY ${MSGS_FOLDER}/${PACKAGE}/include)
    target_include_directories(${PACKAGE}__types SYSTEM PUBLIC $<BUILD_INTERFACE:${MSGS_FOLDER}/${PACKAGE}/include>)
  endif()
  target_include_directories(${PACKAGE}__types PRIVATE ${out})
  target_compile_options(${PACKAGE}__types PRIVATE -w -g0)  # rosidl's code: not ours to warn of or to step into
  target_link_libraries(${PACKAGE}__types PUBLIC convoy_ros::facts ${libraries})
  convoy_msgs_c(${PACKAGE} ${PACKAGE}__types)
endfunction()

# convoy_msgs_c(PACKAGE TYPES): the C of a package that convoy_msgs() made, or an installation holds, for who asks for it:
# the target PACKAGE::PACKAGE__rosidl_generator_c has rosidl's headers (geometry_msgs/msg/polygon.h) and functions.
# With CONVOY_ROS_C all who link the package have them, without asking. TYPES is the target of the package's C++.
option(CONVOY_ROS_C "ROS interface packages have their C headers and functions, too" OFF)
function(convoy_msgs_c PACKAGE TYPES)
  set(target ${PACKAGE}__rosidl_generator_c)
  if(CONVOY_ROS_C)
    target_link_libraries(${TYPES} INTERFACE $<BUILD_INTERFACE:${PACKAGE}::${target}>)
  endif()
  if(TARGET ${target})
    return()
  endif()
  get_target_property(generator_folder convoy_ros::facts CONVOY_MSGS_GENERATOR)
  foreach(what FOLDERS INPUTS DEPENDS)
    get_target_property(${what} ${TYPES} CONVOY_MSGS_${what})
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${PACKAGE}__c)
  set(unit ${out}/${PACKAGE}__c.cc)
  file(MAKE_DIRECTORY ${out}/include)  # imported targets must find it before it is filled
  file(GLOB generator CONFIGURE_DEPENDS ${generator_folder}/*.py)
  add_custom_command(
    OUTPUT ${unit}
    COMMAND ${CMAKE_COMMAND} -E env --unset=AMENT_PREFIX_PATH --unset=PYTHONPATH PYTHONDONTWRITEBYTECODE=1
            /usr/bin/python3 ${generator_folder}/generate_c.py ${PACKAGE} ${out} --search ${FOLDERS}
    DEPENDS ${generator} ${INPUTS}
    COMMENT "Generating the C of ${PACKAGE}" VERBATIM)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${unit})
  add_library(${PACKAGE}::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} SYSTEM PUBLIC ${out}/include)
  target_compile_options(${target} PRIVATE -w -g0)
  target_link_libraries(${target} PUBLIC convoy_ros::facts rcutils)
  foreach(other ${DEPENDS})
    target_link_libraries(${target} PUBLIC ${other}::${other}__rosidl_generator_c)
  endforeach()
endfunction()

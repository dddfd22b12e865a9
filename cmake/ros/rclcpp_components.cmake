# rclcpp_components_register_node() and rclcpp_components_register_nodes(): classes of a shared library under the name of
# their package in the ament index, where `convoy job --component PACKAGE CLASS` finds them.
if(NOT TARGET rclcpp_components::rclcpp_components)
  add_library(rclcpp_components::rclcpp_components ALIAS rclcpp_components::component)
  add_library(rclcpp_components::component_manager ALIAS rclcpp_components::component)
endif()
# Programs that load components by class_loader find them, where it is there (Debian: libclass-loader-dev).
find_package(class_loader QUIET)
if(class_loader_FOUND)
  target_compile_definitions(rclcpp_components::component INTERFACE CONVOY_CLASS_LOADER)
  target_link_libraries(rclcpp_components::component INTERFACE class_loader::class_loader)
endif()
set(RCLCPP_COMPONENTS_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# The lines are collected while the package is configured, and written at its end, with or without ament_package().
function(_rclcpp_components_add TARGET CLASS RESOURCE)
  get_target_property(type ${TARGET} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    message(FATAL_ERROR "components are in shared libraries, and ${TARGET} is none")
  endif()
  if(NOT RESOURCE)
    set(RESOURCE rclcpp_components)
  endif()
  set(key convoy_components_${RESOURCE}_${PROJECT_NAME})
  get_property(lines GLOBAL PROPERTY ${key})
  if(NOT lines)
    # A deferred call sees variables as they are later: EVAL puts in what they are now.
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${PROJECT_SOURCE_DIR}]]
      CALL _rclcpp_components_write ${key} ${RESOURCE} ${PROJECT_NAME} [[${PROJECT_BINARY_DIR}]])")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY ${key} "${CLASS};lib/$<TARGET_FILE_NAME:${TARGET}>\n")
endfunction()

function(_rclcpp_components_write KEY RESOURCE PACKAGE FOLDER)
  get_property(lines GLOBAL PROPERTY ${KEY})
  file(GENERATE OUTPUT ${FOLDER}/${KEY} CONTENT "${lines}")
  install(FILES ${FOLDER}/${KEY} DESTINATION share/ament_index/resource_index/${RESOURCE} RENAME ${PACKAGE})
endfunction()

# rclcpp_components_register_nodes(TARGET CLASS... [RESOURCE_INDEX name])
function(rclcpp_components_register_nodes TARGET)
  cmake_parse_arguments(ARGS "" "RESOURCE_INDEX" "" ${ARGN})
  foreach(class ${ARGS_UNPARSED_ARGUMENTS})
    _rclcpp_components_add(${TARGET} ${class} "${ARGS_RESOURCE_INDEX}")
  endforeach()
endfunction()

# rclcpp_components_register_node(TARGET PLUGIN class EXECUTABLE name [EXECUTOR name] [RESOURCE_INDEX name])
#
# The executable is the node with a main() of its own, installed in lib/<package>. Executors differ in name alone.
function(rclcpp_components_register_node TARGET)
  cmake_parse_arguments(ARGS "NO_UNDEFINED_SYMBOLS" "PLUGIN;EXECUTABLE;EXECUTOR;RESOURCE_INDEX" "" ${ARGN})
  if(ARGS_UNPARSED_ARGUMENTS OR NOT ARGS_PLUGIN OR NOT ARGS_EXECUTABLE)
    message(FATAL_ERROR "rclcpp_components_register_node(${TARGET}) needs a PLUGIN and an EXECUTABLE, and takes no more words: "
      "${ARGS_UNPARSED_ARGUMENTS}")
  endif()
  set(component ${ARGS_PLUGIN})
  _rclcpp_components_add(${TARGET} ${component} "${ARGS_RESOURCE_INDEX}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/rclcpp_components/node_main_${ARGS_EXECUTABLE}.cpp)
  configure_file(${RCLCPP_COMPONENTS_FOLDER}/component_main.cpp.in ${source} @ONLY)
  add_executable(${ARGS_EXECUTABLE} ${source})
  # The library registers its classes when it is loaded; no name of it is asked for.
  target_link_libraries(${ARGS_EXECUTABLE} PRIVATE rclcpp_components::component -Wl,--no-as-needed ${TARGET})
  install(TARGETS ${ARGS_EXECUTABLE} DESTINATION lib/${PROJECT_NAME})
endfunction()

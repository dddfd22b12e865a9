# Debian packages, made by CPack from what is installed (scripts/packages.sh): `convoy`, all that runs; `convoy-dev`, to
# build components, programs and ROS packages against it; `python3-convoy`, the Python package.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/convoy DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN *.py PATTERN py.typed)
# By this pip and importlib.metadata know it.
file(WRITE ${PROJECT_BINARY_DIR}/convoy.egg-info "Metadata-Version: 2.1\nName: convoy\nVersion: ${PROJECT_VERSION}\n")
install(FILES ${PROJECT_BINARY_DIR}/convoy.egg-info DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
  RENAME convoy-${PROJECT_VERSION}.egg-info)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/python3-convoy COMPONENT python EXCLUDE_FROM_ALL RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/convoy-dev COMPONENT dev RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "convoy built using CMake")  # CPack's default: else it would be before each package's own
set(CPACK_PACKAGE_CONTACT "the Convoy project")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL convoy dev python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(CPACK_DEBIAN_CONVOY_PACKAGE_NAME convoy)
set(CPACK_COMPONENT_CONVOY_DESCRIPTION "distributed robot simulator: the same scenario and seed give the same bytes on any hosts
 A server keeps one world, robot clients each run the robots that they own,
 with their sensors and their software. This package has the command, its
 libraries, MuJoCo, and scenarios, maps and models to begin with.")
set(CPACK_DEBIAN_CONVOY_PACKAGE_SHLIBDEPS ON)
if(CONVOY_MUJOCO)  # its plugins do not say where it is
  find_package(MuJoCo REQUIRED)
  get_filename_component(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${MuJoCo_LIBRARY} DIRECTORY)
endif()
# What the viewer loads by name, and a renderer of OpenGL for machines without a graphics card.
set(CPACK_DEBIAN_CONVOY_PACKAGE_RECOMMENDS "gstreamer1.0-plugins-base, gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad, gstreamer1.0-nice, libegl1, libgl1-mesa-dri")
set(CPACK_DEBIAN_CONVOY_PACKAGE_SUGGESTS "convoy-dev, python3-convoy")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME convoy-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "headers and CMake packages of the robot simulator Convoy
 For components of nodes, programs that join, sensors and engines of one's
 own, and ROS 2 packages that are built without ROS 2 installed.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "convoy (= ${PROJECT_VERSION}), cmake, g++, libexpected-dev, libprotobuf-dev, libboost-context-dev, libeigen3-dev, libfmt-dev, python3-rosidl, python3-ament-index, python3-empy, rosidl-generator-c-cpp, librosidl-runtime-c-cpp-dev, librosidl-typesupport-introspection-c-cpp-dev, librcutils-dev, ament-cmake")
# ROS 1 as Debian has it: headers of the same names in the same places.
set(ros1 angles bond diagnostic-msgs diagnostic-updater geographic-msgs geometry-msgs laser-geometry map-msgs message-filters
  nav-msgs rosgraph-msgs sensor-msgs shape-msgs smclib std-msgs std-srvs tf2 tf2-geometry-msgs tf2-msgs tf2-ros tf2-sensor-msgs
  trajectory-msgs visualization-msgs)
list(TRANSFORM ros1 PREPEND lib)
list(TRANSFORM ros1 APPEND -dev)
list(JOIN ros1 ", " CPACK_DEBIAN_DEV_PACKAGE_CONFLICTS)

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-convoy)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python client of the robot simulator Convoy
 Connect, stream, control, step; sweeps of many runs; Gymnasium environments.")
# What Python compiles beside the package's files is nobody's, and would stay.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/prerm @ONLY CONTENT "#!/bin/sh
set -e
find /usr/lib/python3/dist-packages/convoy -name __pycache__ -prune -exec rm -rf {} +
")
file(CHMOD ${PROJECT_BINARY_DIR}/debian/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "convoy (= ${PROJECT_VERSION}), python3, python3-zmq, python3-msgpack, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-gymnasium, python3-pandas")
include(CPack)

# MuJoCo as the target MuJoCo::MuJoCo: its library by full path, since it has no unversioned name, and its headers.
#
#   MUJOCO_DIR         a folder with the library and include/mujoco: the package `mujoco` of a Python wheel, or an
#                      unpacked release. Default: the environment that scripts/python-env.sh makes, whose version is
#                      checked exactly.
#   MuJoCo_LIBRARY, MuJoCo_INCLUDE_DIR, MuJoCo_PLUGIN_DIR, MuJoCo_LICENSES, MuJoCo_VERSION, MuJoCo_FOUND
set(MUJOCO_DIR "" CACHE PATH "A MuJoCo of your own: a folder with libmujoco.so.* and include/mujoco")
if(NOT MUJOCO_DIR AND DEFINED ENV{MUJOCO_DIR})
  set(MUJOCO_DIR $ENV{MUJOCO_DIR} CACHE PATH "" FORCE)
endif()
if(MUJOCO_DIR)
  set(mujoco_folders ${MUJOCO_DIR})
else()
  file(GLOB mujoco_folders ${PROJECT_SOURCE_DIR}/.env/mujoco/lib/python3*/site-packages/mujoco)
endif()
set(MuJoCo_LIBRARY)
foreach(folder ${mujoco_folders})
  file(GLOB libraries ${folder}/libmujoco.so.*.*.* ${folder}/lib/libmujoco.so.*.*.*)
  if(libraries AND EXISTS ${folder}/include/mujoco/mujoco.h)
    list(GET libraries 0 MuJoCo_LIBRARY)
    set(MuJoCo_INCLUDE_DIR ${folder}/include)
    string(REGEX REPLACE ".*\\.so\\." "" MuJoCo_VERSION ${MuJoCo_LIBRARY})
    file(GLOB MuJoCo_LICENSES ${folder}/../mujoco_core-*.dist-info/licenses/LICENSE* ${folder}/LICENSE* ${folder}/THIRD_PARTY_NOTICES)
    foreach(plugins ${folder}/plugin ${folder}/bin/mujoco_plugin)
      if(IS_DIRECTORY ${plugins})
        set(MuJoCo_PLUGIN_DIR ${plugins})
      endif()
    endforeach()
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR VERSION_VAR MuJoCo_VERSION
  REASON_FAILURE_MESSAGE "run scripts/python-env.sh mujoco, name your own by -DMUJOCO_DIR=FOLDER, or build without it by -DCONVOY_MUJOCO=OFF")
if(MuJoCo_FOUND AND NOT TARGET MuJoCo::MuJoCo)
  add_library(MuJoCo::MuJoCo SHARED IMPORTED)
  set_target_properties(MuJoCo::MuJoCo PROPERTIES
    IMPORTED_LOCATION ${MuJoCo_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${MuJoCo_INCLUDE_DIR})
endif()

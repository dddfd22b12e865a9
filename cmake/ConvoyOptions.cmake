# Build-wide settings. The numeric ones are part of the determinism promise (docs/determinism.md): change none of them
# for one target alone.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# ccache where it is there, for which a file is the same in every clone; -DCMAKE_CXX_COMPILER_LAUNCHER= for none. A launcher
# of one's own stays.
find_program(CONVOY_CCACHE ccache)
foreach(language C CXX)
  if(CONVOY_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CONVOY_CCACHE})
  endif()
endforeach()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1" CACHE STRING "" FORCE)  # asserts stay on: no NDEBUG

option(CONVOY_WERROR "Warnings are errors" OFF)
option(CONVOY_APPS "Build the convoy command and everything that it needs" ON)
option(CONVOY_BENCH "Build the benchmarks" ON)
option(CONVOY_LINT "The tests format and lint/... (one build of all kinds is enough for them)" ON)
option(CONVOY_FUZZ "libFuzzer programs fuzz_* (needs Clang, and its flags: scripts/deep.sh)" OFF)
# What a system does not have is left out, unless it is asked for: Ubuntu's packages have no rosidl, Debian 13 has a Fast DDS 3.
find_path(CONVOY_ROSIDL_INCLUDE rosidl_runtime_c/rosidl_runtime_c/message_type_support_struct.h)
find_package(fastrtps QUIET)
set(has_rosidl OFF)
if(CONVOY_ROSIDL_INCLUDE)
  set(has_rosidl ON)
else()
  message(STATUS "rosidl is not here: built without nodes of ROS (CONVOY_ROS)")
endif()
set(has_fastdds OFF)
if(fastrtps_FOUND)
  set(has_fastdds ON)
else()
  message(STATUS "Fast DDS 2 is not here: built without the door to ROS 2 (CONVOY_ROS2)")
endif()
option(CONVOY_ROS "Build the ROS interface packages (needs rosidl)" ${has_rosidl})
option(CONVOY_MUJOCO "Build MuJoCo robots (needs MuJoCo: scripts/python-env.sh mujoco, or MUJOCO_DIR)" ON)
option(CONVOY_EMBREE "Build the ray caster of sensors (needs Embree 3 or 4)" ON)
option(CONVOY_RENDER "Build the renderer of pictures (needs the headers of EGL and OpenGL)" ON)
option(CONVOY_FILM "Build films of recordings, where libvpx is (needs CONVOY_RENDER)" ON)
option(CONVOY_ZMQ "Build the streams over ZeroMQ (needs libzmq)" ON)
option(CONVOY_ROS2 "Build the door to ROS 2 (needs CONVOY_ROS and Fast DDS 2)" ${has_fastdds})
if(NOT CONVOY_ROS)
  set(CONVOY_ROS2 OFF)
endif()
option(CONVOY_WEB "Build the page server (needs Boost headers and OpenSSL)" ON)
option(CONVOY_STREAM "Build video for browsers, where GStreamer is (needs CONVOY_WEB and CONVOY_FILM)" ON)
if(NOT CONVOY_WEB)
  set(CONVOY_STREAM OFF)
endif()
# A few sources at a time: half the time of a whole build, which is mostly headers. clang-tidy reads each by itself
# (scripts/deep.sh tidy), so that it includes what it needs; the preset dev suits who compiles the same file again and again.
option(CMAKE_UNITY_BUILD "Compile several sources of a library in one go" ON)
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
endif()
set(CONVOY_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")
set(CONVOY_SANITIZE_NOT "" CACHE STRING "Checks of undefined that are left out: null,alignment,vptr take half of its compile time")

# a*b+c must stay two roundings on every processor, and floating-point expressions must stay as written.
# Messages and tests name a source by its path in the project: what is compiled is the same in whatever folder it lies, so
# that a second clone's build finds all of the first one's in ccache.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -ffp-contract=off -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  -Wno-missing-field-initializers -Werror=switch)  # a kind that a switch forgets never compiles
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # GCC 12 makes vfmaddsub of neighbouring a*b-c and d*e+f even with -ffp-contract=off, wherever it may use FMA at all
  # (from -O2 with -march=x86-64-v3, say): tools/probe_matrix.sh caught it.
  add_compile_options(-mno-fma)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # warns of what is no header, if it is included
endif()
if(CONVOY_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT CMAKE_CROSSCOMPILING)
  add_compile_options(-march=x86-64-v2)
endif()
if(CONVOY_SANITIZE)
  add_compile_options(-fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CONVOY_SANITIZE})
  if(CONVOY_SANITIZE_NOT)
    add_compile_options(-fno-sanitize=${CONVOY_SANITIZE_NOT})
  endif()
  if(CONVOY_SANITIZE MATCHES "thread")
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)  # Asio's fences are not understood by the sanitizer
  endif()
endif()

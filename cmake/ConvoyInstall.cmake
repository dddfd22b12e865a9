# What an installation holds, and the package that find_package(convoy) finds in it.
include(CMakePackageConfigHelpers)

add_library(convoy_public INTERFACE)
add_library(convoy::convoy ALIAS convoy_public)
set_target_properties(convoy_public PROPERTIES EXPORT_NAME convoy)
target_include_directories(convoy_public INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(convoy_public INTERFACE cxx_std_20)
target_link_libraries(convoy_public INTERFACE tl::expected)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/convoy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS convoy_public convoy_client convoy_host EXPORT convoyTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT convoy NAMELINK_COMPONENT dev)
# Convoy's own messages as C++: their code is in the client library, and a program must not bring it a second time.
install(FILES ${PROJECT_BINARY_DIR}/src/wire/convoy/element.pb.h ${PROJECT_BINARY_DIR}/src/wire/convoy/control.pb.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/convoy)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto DESTINATION ${CMAKE_INSTALL_DATADIR}/convoy)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/convoy)
install(EXPORT convoyTargets NAMESPACE convoy:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/convoyConfig.cmake.in ${PROJECT_BINARY_DIR}/convoyConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/convoyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/convoyConfig.cmake ${PROJECT_BINARY_DIR}/convoyConfigVersion.cmake DESTINATION ${package})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT convoy RENAME copyright)

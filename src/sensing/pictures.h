// What cameras see: the port that a renderer implements.
//
// A picture is a pure function of its scene and shot: no history, no order of requests. Renderers of different machines may
// differ in it by bits; the fingerprint tells whether they do. They draw on threads of their own.
//
// Frames: C is a camera's optical frame (REP 103: x right, y down, z forward), W the world, L a link.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/result.h"
#include "convoy/time.h"
#include "shapes/shapes.h"
#include "world/environment.h"
#include "world/sensor_rules.h"

namespace convoy {

// A pinhole, in pixels: what is at (x, y, z) in C is seen at (fx x / z + cx, fy y / z + cy), where (0, 0) is the middle of the
// upper left pixel.
struct PictureLens {
  std::uint32_t width = 640, height = 480;
  double fx = 0, fy = 0, cx = 0, cy = 0;
  // As ROS' plumb_bob: k1, k2, p1, p2, k3; all 0: straight lines stay straight.
  std::array<double, 5> distortion{};
  double near = 0.01, far = 1000;  // m along z; depth and numbers end there
  friend bool operator==(const PictureLens&, const PictureLens&) = default;
};
template <class V, MaybeConst<PictureLens> T>
void fields(V& v, T& l) {
  v("width", l.width), v("height", l.height), v("fx", l.fx), v("fy", l.fy), v("cx", l.cx), v("cy", l.cy);
  v("distortion", l.distortion), v("near", l.near), v("far", l.far);
}

inline constexpr std::uint32_t kSceneNumber = 0xffffffff;

// Row by row from the top; of what was not wanted nothing.
struct CameraPicture {
  PictureLens lens;                    // that it was taken with
  Bytes color;                         // red, green, blue of each pixel, sRGB
  std::vector<float> depth;            // m along z; +inf where nothing is (REP 117)
  std::vector<std::uint32_t> numbers;  // world number of what is seen; kSceneNumber: the scene; 0: nothing
  std::vector<std::uint32_t> classes;  // of PictureBody::category; 0: nothing
};

struct Shot {
  Pose X_WC;
  PictureLens lens;
  bool color = true, depth = false, numbers = false, classes = false;
  WorldNumber but = kNoEntity;         // which is not seen
  std::optional<WorldNumber> alone{};  // beside the scene it is all that is seen; kNoEntity: nothing is
};

struct PictureBody {
  WorldNumber number = kNoEntity;  // kNoEntity: the scene
  std::uint32_t category = 0;
  std::shared_ptr<const Shapes> shapes;
  std::vector<Pose> X_WL;  // of its links
};

// All that is there at an instant, as copies: the world goes on while it is drawn.
struct PictureScene {
  std::vector<PictureBody> bodies;  // the scene first, then ascending by number
  Environment environment;
  Instant now{};
  PictureQuality quality = PictureQuality::kPlain;
};

// Shots of one scene that are being drawn.
class PictureJob {
 public:
  virtual ~PictureJob() = default;
  // Waits for it. Any thread. Errors: what the renderer has against it.
  virtual Result<CameraPicture> take(std::size_t shot) = 0;
};

class PictureMaker {
 public:
  virtual ~PictureMaker() = default;
  // Begins, and waits for nothing. Any thread.
  virtual std::shared_ptr<PictureJob> draw(std::shared_ptr<const PictureScene> scene, std::vector<Shot> shots) = 0;
  // Machines with equal ones draw the same bits. Waits for a picture. kUnsupported: this machine draws none, and what it
  // lacks.
  virtual Result<std::uint64_t> fingerprint() = 0;
};

}  // namespace convoy

// How far bodies reach: boxes along the world's axes around what is seen of them.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "sensing/pictures.h"

namespace convoy::film {

// Empty at first.
struct Box {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  Vec3 low{kNone, kNone, kNone}, high{-kNone, -kNone, -kNone};

  bool empty() const { return !(low.x <= high.x); }
  Vec3 middle() const { return 0.5 * (low + high); }
  Vec3 size() const { return high - low; }
  void add(const Vec3& p);
  void add(const Box& other);
};

class Extents {
 public:
  // Planes without end do not count.
  Box of(const PictureBody& body);

 private:
  struct Part {  // of one link, in its frame
    std::uint32_t link = 0;
    Box box;
  };
  struct Known {
    std::shared_ptr<const Shapes> shapes;  // so that no others get their address
    std::vector<Part> parts;
  };
  const std::vector<Part>& parts_of(const std::shared_ptr<const Shapes>& shapes);

  std::map<const Shapes*, Known> known_;
};

}  // namespace convoy::film

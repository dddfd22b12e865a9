// Maps as ROS has them: a YAML file beside a PGM or PNG picture, read by the rules of nav2_map_server.
//
// With p = (white - g) / white, or g / white if `negate` is 1, where g is the mean of the colour channels:
//
//   mode     alpha below full   p >= occupied_thresh   p <= free_thresh   between
//   trinary  -1                 100                    0                  -1
//   scale    -1                 100                    0                  round(100 (p - free) / (occupied - free))
//   raw      not read            the pixel itself on a scale of 0 to 255, -1 if above 100; thresholds and negate unused
//
// The value of a cell of our map is then: 2 (unknown) for -1; 1 (occupied) for kOccupied or more; else 0 (free).
// The picture's top row is the map's last.
#pragma once

#include <string>
#include <vector>

#include "convoy/result.h"
#include "core/bytes.h"
#include "world/static_map.h"

namespace convoy::scenario {

inline constexpr int kOccupied = 65;  // of 100; as nav2's planners take a map in scale or raw mode
inline constexpr std::size_t kMaxPictureBytes = 600 << 20;  // P2 takes up to 6 bytes a pixel, and comments

enum class MapMode : std::uint8_t { kTrinary, kScale, kRaw };

struct MapFile {
  std::string image;  // as written: relative to the YAML file, or absolute
  double resolution = 0.05;
  MapOrigin origin;
  double occupied_thresh = 0.65, free_thresh = 0.196;
  bool negate = false;
  MapMode mode = MapMode::kTrinary;
  std::vector<std::string> warnings;  // fields that map_server would ignore, as we do
};

// `file` is only for messages.
Result<MapFile> parse_map_file(std::string_view text, const std::string& file);
// The picture's bytes by the rules of the map file.
Result<MapData> map_from_picture(const MapFile& rules, ByteView picture, const std::string& file);
// The map as a YAML file, which names `image`, and its picture, PGM; what reads them back gets the same cells.
std::string map_file_of(const MapData& map, const std::string& image);
Bytes picture_of(const MapData& map);
// Both, from the disk.
Result<MapData> load_map(const std::string& yaml_path, std::vector<std::string>& warnings);

}  // namespace convoy::scenario

#include "scenario/ros_map.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "scenario/picture.h"
#include "scenario/schema.h"

namespace convoy::scenario {

namespace {

constexpr Choice<MapMode> kModes[] = {
    {"trinary", MapMode::kTrinary}, {"scale", MapMode::kScale}, {"raw", MapMode::kRaw}};
// map_server takes 0 and 1; people write false and true.
constexpr Choice<bool> kNegate[] = {{"0", false}, {"1", true}, {"false", false}, {"true", true}};

void read_map_file(Section& s, MapFile& map) {
  s.tolerate_unknown_fields();
  s.text("image", map.image, TextRule::kAny, Need::kRequired);
  s.number("resolution", map.resolution, {1e-3, 100, "m", false}, Need::kRequired);
  double origin[3] = {};
  s.numbers("origin", origin, {-1e6, 1e6, "m", false}, Need::kRequired);
  map.origin = {origin[0], origin[1], origin[2]};
  s.number("occupied_thresh", map.occupied_thresh, {0, 1}, Need::kRequired);
  s.number("free_thresh", map.free_thresh, {0, 1}, Need::kRequired);
  s.choice<bool>("negate", map.negate, kNegate, Need::kRequired);
  s.choice<MapMode>("mode", map.mode, kModes);
  if (s.sound() && map.free_thresh >= map.occupied_thresh)
    s.refuse("free_thresh", fmt::format("{} is not below occupied_thresh, {}", map.free_thresh, map.occupied_thresh));
}

// What map_server publishes for one pixel: -1 or 0 to 100.
int occupancy(const MapFile& rules, const Pixel& pixel, double white) {
  const double g = pixel.brightness;
  if (rules.mode == MapMode::kRaw) {
    const double value = std::round(g * 255 / white);
    return value > 100 ? -1 : static_cast<int>(value);
  }
  if (!pixel.opaque) return -1;
  const double p = (rules.negate ? g : white - g) / white;
  if (p >= rules.occupied_thresh) return 100;
  if (p <= rules.free_thresh) return 0;
  if (rules.mode == MapMode::kTrinary) return -1;
  return static_cast<int>(std::round(100 * (p - rules.free_thresh) / (rules.occupied_thresh - rules.free_thresh)));
}

std::uint8_t cell_of(int occupancy) { return occupancy < 0 ? 2 : occupancy >= kOccupied ? 1 : 0; }

}  // namespace

Result<MapFile> parse_map_file(std::string_view text, const std::string& file) {
  const Result<Node> root = parse_yaml(text, file);
  if (!root) return tl::unexpected(root.error());
  Document document(file);
  MapFile map;
  Section::read(document, *root, [&](Section& s) { read_map_file(s, map); });
  if (const Status s = document.status(); !s) return tl::unexpected(s.error());
  map.warnings = document.warnings;
  return map;
}

Result<MapData> map_from_picture(const MapFile& rules, ByteView picture, const std::string& file) {
  MapData map;
  map.resolution = rules.resolution;
  map.origin = rules.origin;
  double white = 255;
  PictureSink sink;
  sink.begin = [&](const PictureSize& size) -> Status {
    map.width = size.width;
    map.height = size.height;
    white = size.white;
    map.cells.resize(std::size_t{size.width} * size.height);
    return {};
  };
  sink.row = [&](std::uint32_t row, std::span<const Pixel> pixels) {
    std::uint8_t* const cells = map.cells.data() + std::size_t{map.height - 1 - row} * map.width;
    for (std::size_t x = 0; x < pixels.size(); ++x) cells[x] = cell_of(occupancy(rules, pixels[x], white));
  };
  if (const Status s = read_picture(picture, file, sink); !s) return tl::unexpected(s.error());
  return map;
}

std::string map_file_of(const MapData& map, const std::string& image) {
  return fmt::format(
      "image: {}\nresolution: {}\norigin: [{}, {}, {}]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
      "mode: trinary\n",
      image, map.resolution, map.origin.x, map.origin.y, map.origin.yaw);
}

Bytes picture_of(const MapData& map) {
  constexpr std::uint8_t kShades[] = {254, 0, 205};  // free, occupied, unknown, as ROS' map_saver has them
  const std::string head = fmt::format("P5\n{} {}\n255\n", map.width, map.height);
  Bytes out(head.begin(), head.end());
  for (std::size_t row = map.height; row-- > 0;)
    for (std::size_t col = 0; col < map.width; ++col) out.push_back(kShades[map.cells[row * map.width + col]]);
  return out;
}

Result<MapData> load_map(const std::string& yaml_path, std::vector<std::string>& warnings) {
  const Result<std::string> text = read_file(yaml_path, kMaxDocumentBytes);
  if (!text) return tl::unexpected(text.error());
  Result<MapFile> rules = parse_map_file(*text, yaml_path);
  if (!rules) return tl::unexpected(rules.error());
  warnings.insert(warnings.end(), rules->warnings.begin(), rules->warnings.end());
  const std::filesystem::path image = std::filesystem::path(yaml_path).parent_path() / rules->image;
  const Result<std::string> picture = read_file(image.string(), kMaxPictureBytes);
  if (!picture) {
    Error error = picture.error();
    error.text = fmt::format("image {}: {}", error.where, error.text);
    error.where = yaml_path;
    return tl::unexpected(error);
  }
  return map_from_picture(*rules, as_bytes(*picture), image.string());
}

}  // namespace convoy::scenario

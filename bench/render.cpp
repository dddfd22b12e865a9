// How fast pictures are drawn, and what they look like: robots of models/ in a small hall.
//
//   bench_render --models FOLDER [--robots N] [--frames N] [--only ROW] [--out FOLDER]
//
// Each row draws the same view of 640 x 480 (or sixteen of 84 x 84) and one of an empty world in turn, so that a noisy
// machine disturbs both alike. With --out the pictures are written as PNG: by day, in the evening, at night, in fog and
// in rain, in both qualities, with depth and ids of one.
//
// Prints JSON: pictures a second of both by the clock, and ms of CPU a picture.
#include <fmt/format.h>
#include <png.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <numbers>
#include <span>
#include <string_view>

#include "core/pose.h"
#include "core/random.h"
#include "physics/mujoco/engine.h"
#include "physics/mujoco/import.h"
#include "render/renderer.h"
#include "shapes/tessellate.h"

using namespace convoy;
using namespace convoy::render;

namespace {

[[noreturn]] void die(const std::string& why) {
  fmt::print(stderr, "bench_render: {}\n", why);
  std::exit(1);
}

double seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Result<Bytes> read_disk(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "no such file: " + path);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

struct Robot {
  std::shared_ptr<const Shapes> shapes;
  std::vector<double> start;
};

Robot robot(const std::string& path) {
  auto made = mujoco::import_model(path, {.read = read_disk});
  if (!made) die(made.error().message());
  ModelFiles files;
  for (const Bytes& bytes : made->files) convoy::add(files, bytes);
  auto shapes = shapes_of(made->model, files);
  if (!shapes) die(shapes.error().message());
  return {std::make_shared<Shapes>(std::move(*shapes)), made->model.start};
}

Shape shape(Shape::Kind kind, const Vec3& size, const Pose& X, const Color& color) {
  Shape out;
  out.kind = kind, out.size = size, out.X_LS = X, out.color = color;
  return out;
}

Texture checkers() {
  Texture out{64, 64, 3, false, {}};
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      for (int k = 0; k < 3; ++k) out.pixels.push_back((x / 32 + y / 32) % 2 ? 225 : 60);
  return out;
}

std::shared_ptr<const Shapes> hall() {
  Shapes out;
  out.links = {{"world", Link::Base::kPlace, kNoPart, 0, {}, {}}};
  out.textures = {checkers()};
  Material tiles, steel, lamp, glass;
  tiles.texture = 0, tiles.uniform = true, tiles.repeat_x = tiles.repeat_y = 1;
  steel.metallic = 1, steel.roughness = 0.25;
  lamp.emission = 1;
  glass.reflectance = 0.3, glass.shininess = 1;
  out.materials = {tiles, steel, lamp, glass};
  const auto add = [&](Shape::Kind kind, const Vec3& size, const Pose& X, const Color& color,
                       std::uint32_t material = kNoPart) {
    out.shapes.push_back(shape(kind, size, X, color));
    out.shapes.back().material = material;
    return &out.shapes.back();
  };
  add(Shape::Kind::kPlane, {}, {}, {150, 152, 148, 255});
  add(Shape::Kind::kPlane, {2, 2, 0}, {{2.5, 3, 0}, {}}, {255, 255, 255, 255}, 0);
  add(Shape::Kind::kBox, {6, 0.1, 0.6}, {{0, 6, 0.6}, {}}, {196, 198, 202, 255});
  add(Shape::Kind::kBox, {0.1, 6, 0.6}, {{-6, 0, 0.6}, {}}, {196, 198, 202, 255});
  add(Shape::Kind::kBox, {0.5, 0.35, 0.3}, {{-3, 3, 0.3}, from_yaw(0.5)}, {170, 120, 70, 255});
  add(Shape::Kind::kBox, {0.35, 0.35, 0.25}, {{-2.9, 3.05, 0.85}, from_yaw(0.2)}, {190, 140, 85, 255});
  add(Shape::Kind::kCylinder, {0.25, 0.5, 0}, {{-4.5, 1.5, 0.5}, {}}, {200, 60, 50, 255});
  add(Shape::Kind::kCylinder, {0.15, 1.5, 0}, {{4.8, 5, 1.5}, {}}, {240, 200, 60, 255});
  add(Shape::Kind::kSphere, {0.4, 0, 0}, {{0.2, 4.2, 0.4}, {}}, {200, 205, 210, 255}, 1);
  add(Shape::Kind::kEllipsoid, {0.5, 0.3, 0.25}, {{1.6, 5, 0.25}, from_yaw(0.6)}, {70, 140, 90, 255});
  add(Shape::Kind::kCapsule, {0.2, 0.5, 0}, {{-1.2, 5, 0.2}, from_axis_angle({0, 1, 0}, 1.5708)}, {80, 110, 190, 255});
  add(Shape::Kind::kSphere, {0.12, 0, 0}, {{4.8, 5, 3.1}, {}}, {255, 240, 200, 255}, 2);
  add(Shape::Kind::kBox, {0.02, 0.8, 0.6}, {{4, 2, 0.6}, from_yaw(0.4)}, {140, 190, 220, 90}, 3);
  Terrain hill;
  hill.columns = 33, hill.rows = 33, hill.half_x = 12, hill.half_y = 12, hill.top = 3;
  for (int y = 0; y < 33; ++y)
    for (int x = 0; x < 33; ++x) {
      const double u = x / 32.0, v = y / 32.0;
      const auto h = static_cast<float>(std::fmax(0, std::sin(u * std::numbers::pi) * std::sin(v * std::numbers::pi) *
                                                         (0.7 + 0.3 * std::sin(9 * u) * std::cos(7 * v))));
      Writer(hill.heights).raw(&h, 4);
    }
  out.terrains = {hill};
  add(Shape::Kind::kTerrain, {}, {{4, 22, -0.3}, {}}, {104, 122, 84, 255})->data = 0;
  Mesh knot;
  for (int i = 0; i < 40; ++i)
    for (int k = 0; k < 16; ++k) {
      const double a = 2 * std::numbers::pi * i / 40, b = 2 * std::numbers::pi * k / 16;
      add_corner(knot, (0.5 + 0.16 * std::cos(b)) * std::cos(a), (0.5 + 0.16 * std::cos(b)) * std::sin(a),
                 0.16 * std::sin(b));
    }
  for (std::uint32_t i = 0; i < 40; ++i)
    for (std::uint32_t k = 0; k < 16; ++k) {
      const std::uint32_t a = i * 16 + k, b = (i + 1) % 40 * 16 + k, c = (i + 1) % 40 * 16 + (k + 1) % 16,
                          d = i * 16 + (k + 1) % 16;
      add_triangle(knot, a, b, c), add_triangle(knot, a, c, d);
    }
  out.meshes = {knot};
  add(Shape::Kind::kMesh, {}, {{3.2, 4.6, 0.66}, from_axis_angle({1, 0, 0}, 1.5708)}, {170, 90, 160, 255})->data = 0;
  return std::make_shared<Shapes>(std::move(out));
}

// Ground and four walls.
std::shared_ptr<const Shapes> room() {
  Shapes out;
  out.links = {{"world", Link::Base::kPlace, kNoPart, 0, {}, {}}};
  const Color gray{196, 198, 202, 255};
  out.shapes = {shape(Shape::Kind::kPlane, {}, {}, {150, 152, 148, 255}),
                shape(Shape::Kind::kBox, {6, 0.1, 0.3}, {{0, 6, 0.3}, {}}, gray),
                shape(Shape::Kind::kBox, {6, 0.1, 0.3}, {{0, -6, 0.3}, {}}, gray),
                shape(Shape::Kind::kBox, {0.1, 6, 0.3}, {{6, 0, 0.3}, {}}, gray),
                shape(Shape::Kind::kBox, {0.1, 6, 0.3}, {{-6, 0, 0.3}, {}}, gray)};
  return std::make_shared<Shapes>(std::move(out));
}

// All kinds of robots, the first of each twice, then those of the first two kinds.
constexpr const char* kAll[] = {"turtlebot3_burger", "turtlebot3_waffle", "rover", "quadruped", "arm", "humanoid"};

std::vector<Item> fleet(std::shared_ptr<const Shapes> scenery, std::span<const char* const> names,
                        const std::string& models, int count) {
  std::vector<Robot> kinds;
  for (const char* name : names) kinds.push_back(robot(models + "/" + name + ".xml"));
  std::vector<Item> out{{std::move(scenery), {Pose{}}, 1, 1}};
  Random random{7};
  for (int i = 0; i < count; ++i) {
    const std::size_t kind =
        static_cast<std::size_t>(i) % (i < 12 ? kinds.size() : std::min<std::size_t>(2, kinds.size()));
    const int row = i / 5;
    const Pose X_WR{{-3.0 + 1.4 * (i % 5) + 0.4 * (row % 2), -2.5 + 1.3 * row, 0}, from_yaw(random.uniform(-3, 3))};
    Item item{kinds[kind].shapes, {}, static_cast<std::uint32_t>(100 + i), static_cast<std::uint16_t>(2 + kind)};
    place_links(*item.shapes, {X_WR, file_frame(*item.shapes, X_WR, X_WR), kinds[kind].start}, item.X_WL);
    out.push_back(std::move(item));
  }
  return out;
}

// From a point at a point.
Pose looking(const Vec3& from, const Vec3& at) {
  const Vec3 way = at - from, z = (1 / norm(way)) * way, side = cross(z, {0, 0, 1}), x = (1 / norm(side)) * side,
             y = cross(z, x);
  const double w = std::sqrt(std::fmax(0, 1 + x.x + y.y + z.z)) / 2;
  if (w > 1e-3) return {from, unit({w, (y.z - z.y) / (4 * w), (z.x - x.z) / (4 * w), (x.y - y.x) / (4 * w)})};
  return {from, unit({0, std::sqrt(std::fmax(0, 1 + x.x - y.y - z.z)),
                      std::copysign(std::sqrt(std::fmax(0, 1 - x.x + y.y - z.z)), x.y + y.x),
                      std::copysign(std::sqrt(std::fmax(0, 1 - x.x - y.y + z.z)), x.z + z.x)})};
}

View camera(std::uint32_t width, std::uint32_t height, const Vec3& from, const Vec3& at) {
  View out;
  out.X_WC = looking(from, at);
  out.width = width, out.height = height;
  out.fx = out.fy = 0.8 * width, out.cx = (width - 1) / 2.0, out.cy = (height - 1) / 2.0;
  return out;
}

void write_png(const std::string& path, const std::vector<std::uint8_t>& rgb, std::uint32_t width,
               std::uint32_t height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION, image.width = width, image.height = height, image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr)) die("cannot write " + path);
}

std::vector<std::uint8_t> shades_of(const Picture& picture) {
  std::vector<std::uint8_t> out;
  for (const float z : picture.depth)
    for (int k = 0; k < 3; ++k) out.push_back(std::isinf(z) ? 0 : static_cast<std::uint8_t>(255 / (1 + 0.25f * z)));
  return out;
}
std::vector<std::uint8_t> colours_of(const std::vector<std::uint32_t>& ids) {
  std::vector<std::uint8_t> out;
  for (const std::uint32_t id : ids)
    for (std::uint32_t k = 1; k < 4; ++k)
      out.push_back(static_cast<std::uint8_t>(id == 0 ? 0 : 60 + (id * 2654435761u * k >> 13) % 196));
  return out;
}

struct Weather {
  const char* name;
  Environment environment;
};
std::vector<Weather> weathers() {
  const auto of = [](double hour, double fog, double rain, double wetness, double clouds) {
    Environment out;
    out.time_of_day = hour, out.fog = fog, out.rain = rain, out.wetness = wetness, out.cloudiness = clouds;
    return out;
  };
  return {{"noon", of(12, 0, 0, 0, 0.35)}, {"evening", of(17, 0, 0, 0, 0.3)},    {"night", of(0, 0, 0, 0, 0)},
          {"fog", of(10, 0.7, 0, 0, 0.5)}, {"rain", of(14, 0.1, 0.8, 0.9, 0.9)}, {"wet", of(9, 0, 0, 0.8, 0.4)},
          {"overcast", of(12, 0, 0, 0, 1)}};
}

void draw_all(const std::string& folder, const std::vector<Item>& items) {
  const View front = camera(960, 540, {1.5, -6.5, 2.6}, {-0.2, 1.5, 0.3}),
             low = camera(960, 540, {0.6, -4.2, 0.35}, {0.2, 3, 0.5}),
             close = camera(640, 480, {-0.9, -4.1, 1.1}, {-1.6, -2.3, 0.1});
  for (const Quality quality : {Quality::kPlain, Quality::kNice}) {
    const std::string kind = quality == Quality::kPlain ? "plain" : "nice";
    auto renderer = Renderer::make({.quality = quality});
    if (!renderer) die(renderer.error().message());
    for (const Weather& weather : weathers()) {
      std::vector<View> views{front, low, close};
      views[0].channels = {true, true, true};
      const auto pictures = (*renderer)->render({items, weather.environment, 12.3}, views);
      if (!pictures) die(pictures.error().message());
      write_png(fmt::format("{}/{}_{}.png", folder, kind, weather.name), (*pictures)[0].rgb, 960, 540);
      write_png(fmt::format("{}/{}_{}_low.png", folder, kind, weather.name), (*pictures)[1].rgb, 960, 540);
      write_png(fmt::format("{}/{}_{}_close.png", folder, kind, weather.name), (*pictures)[2].rgb, 640, 480);
      if (std::string_view(weather.name) != "noon") continue;
      write_png(fmt::format("{}/{}_depth.png", folder, kind), shades_of((*pictures)[0]), 960, 540);
      write_png(fmt::format("{}/{}_ids.png", folder, kind), colours_of((*pictures)[0].instance), 960, 540);
    }
  }
}

struct Row {
  const char* name;
  RendererOptions options;
  Channels channels;
  bool many = false;  // sixteen of 84 x 84
  bool room = false;  // TurtleBots in a room without anything else
};

std::string measure(const Row& row, const std::vector<Item>& items, int frames) {
  auto renderer = Renderer::make(row.options);
  if (!renderer) die(renderer.error().message());
  std::vector<View> views;
  for (int i = 0; i < (row.many ? 16 : 1); ++i) {
    views.push_back(row.many ? camera(84, 84, {-3.0 + 0.4 * i, -5, 1}, {0, 1, 0.3})
                             : camera(640, 480, {1.5, -6.5, 2.6}, {-0.2, 1.5, 0.3}));
    views.back().channels = row.channels;
  }
  const std::vector<Item> empty;
  double wall[2] = {}, cpu[2] = {};
  for (int i = -3; i < frames; ++i)
    for (int which = 0; which < 2; ++which) {
      const double begin = seconds(CLOCK_MONOTONIC), cpu_begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
      const auto made = (*renderer)->render({which == 0 ? items : empty, {}, 0}, views);
      if (!made) die(made.error().message());
      if (i < 0) continue;  // programs are compiled
      wall[which] += seconds(CLOCK_MONOTONIC) - begin, cpu[which] += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    }
  const double n = frames * static_cast<double>(views.size());
  return fmt::format(
      "{{\"name\": \"{}\", \"fps\": {:.1f}, \"empty_fps\": {:.1f}, \"cpu_ms\": {:.3f}, \"empty_cpu_ms\": {:.3f}}}",
      row.name, n / wall[0], n / wall[1], cpu[0] / n * 1e3, cpu[1] / n * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  std::string models = "models", out, only;
  int robots = 20, frames = 100;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) die(fmt::format("{} needs a value", name));
    else if (name == "--models") models = argv[++i];
    else if (name == "--out") out = argv[++i];
    else if (name == "--only") only = argv[++i];
    else if (name == "--robots") robots = std::atoi(argv[++i]);
    else if (name == "--frames") frames = std::atoi(argv[++i]);
    else die(fmt::format("unknown option {}", name));
  }
  if (auto ok = mujoco::start({}); !ok) die(ok.error().message());
  const std::vector<Item> items = fleet(hall(), kAll, models, robots),
                          few = fleet(room(), std::span(kAll).first(2), models, robots);
  if (!out.empty()) draw_all(out, items);
  using Shadows = RendererOptions::Shadows;
  const Channels colour{}, depth{false, true, false}, all{true, true, true};
  std::vector<Row> rows{{"plain", {}, colour},
                        {"plain depth", {}, depth},
                        {"plain all", {}, all},
                        {"plain 16 x 84 x 84", {}, colour, true},
                        {"plain room", {}, colour, false, true},
                        {"plain shadows", {.shadows = Shadows::kOn}, colour},
                        {"nice", {.quality = Quality::kNice}, colour},
                        {"nice without shadows", {.quality = Quality::kNice, .shadows = Shadows::kOff}, colour}};
  if (!only.empty()) std::erase_if(rows, [&](const Row& row) { return row.name != only; });
  std::string lines;
  for (const Row& row : rows)
    lines +=
        (lines.empty() ? "" : ",\n ") +
        measure(row, row.room ? few : items, row.options.quality == Quality::kNice ? std::max(frames / 10, 1) : frames);
  auto renderer = Renderer::make();
  if (!renderer) die(renderer.error().message());
  fmt::print("{{\"robots\": {}, \"driver\": \"{}\",\n\"rows\": [{}]}}\n", robots, (*renderer)->driver(), lines);
}

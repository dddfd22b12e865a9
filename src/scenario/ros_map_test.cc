#include "scenario/ros_map.h"

#include <doctest/doctest.h>
#include <png.h>

#include <cstdio>
#include <filesystem>

namespace ros_map_test {

using namespace convoy;
using namespace convoy::scenario;

namespace {

Bytes bytes_of(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

// A PNG of samples as they lie in its rows (16-bit ones big-endian).
Bytes png_of(std::uint32_t width, std::uint32_t height, int type, int depth, const Bytes& samples,
             bool interlaced = false) {
  Bytes out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, std::size_t n) {
        auto& to = *static_cast<Bytes*>(png_get_io_ptr(p));
        to.insert(to.end(), data, data + n);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, depth, type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const png_color palette[2] = {{0, 0, 0}, {255, 255, 255}};
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 2);
  std::vector<png_bytep> rows;
  const std::size_t row_bytes = samples.size() / height;
  for (std::uint32_t y = 0; y < height; ++y) rows.push_back(const_cast<png_bytep>(samples.data() + y * row_bytes));
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

Result<MapData> read(const Bytes& picture, const MapFile& rules = {}) {
  return map_from_picture(rules, picture, "m.pgm");
}
std::string error_of(const Bytes& picture) {
  const auto map = read(picture);
  return map ? "ok" : map.error().message();
}
std::string cells(const Result<MapData>& map) {
  if (!map) return map.error().message();
  std::string text;
  for (std::size_t i = 0; i < map->cells.size(); ++i) {
    if (i > 0 && i % map->width == 0) text += '/';
    text += static_cast<char>('0' + map->cells[i]);
  }
  return text;
}

const std::string kYaml =
    "image: a.pgm\nresolution: 0.1\norigin: [-1, -2, 0.5]\nnegate: 0\noccupied_thresh: 0.65\n"
    "free_thresh: 0.196\n";

std::string yaml_error(const std::string& text) {
  const auto map = parse_map_file(text, "m.yaml");
  return map ? "ok" : map.error().message();
}
std::string without(const std::string& key) {
  const std::size_t begin = kYaml.find(key);
  std::string text = kYaml;
  return text.erase(begin, text.find('\n', begin) + 1 - begin);
}
std::string with(const std::string& key, const std::string& value) { return without(key) + key + ": " + value + "\n"; }

}  // namespace

TEST_CASE("a map file has ROS's fields, all but the mode obligatory") {
  const auto map = parse_map_file(kYaml, "m.yaml");
  REQUIRE(map);
  CHECK(map->image == "a.pgm");
  CHECK(map->resolution == 0.1);
  CHECK(map->origin == MapOrigin{-1, -2, 0.5});
  CHECK_FALSE(map->negate);
  CHECK(map->occupied_thresh == 0.65);
  CHECK(map->free_thresh == 0.196);
  CHECK(map->mode == MapMode::kTrinary);
  CHECK(parse_map_file(kYaml + "mode: scale\n", "m.yaml")->mode == MapMode::kScale);
  CHECK(parse_map_file(kYaml + "mode: raw\n", "m.yaml")->mode == MapMode::kRaw);
  CHECK(parse_map_file(with("negate", "1"), "m.yaml")->negate);

  for (const char* key : {"image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh"})
    CHECK(yaml_error(without(key)) == std::string("m.yaml:1: the field '") + key + "' is missing");
}

TEST_CASE("a map file's mistakes are named") {
  CHECK(yaml_error(with("origin", "[0, 0]")) == "m.yaml:6: origin: found a list; allowed: a list of 3 numbers");
  CHECK(yaml_error(with("origin", "[0, 0, .nan]")).starts_with("m.yaml:6: origin[2]: found '.nan'; allowed: a number"));
  CHECK(yaml_error(with("resolution", "0")) ==
        "m.yaml:6: resolution: found '0'; allowed: a number from 0.001 to 100 m");
  CHECK(yaml_error(with("negate", "2")) == "m.yaml:6: negate: found '2'; allowed: 0, 1, false, true");
  CHECK(yaml_error(kYaml + "mode: binary\n") ==
        "m.yaml:7: mode: found 'binary'; did you mean 'trinary'? allowed: trinary, scale, raw");
  CHECK(yaml_error(with("free_thresh", "0.7")) == "m.yaml:6: free_thresh: 0.7 is not below occupied_thresh, 0.65");
  const auto odd = parse_map_file(kYaml + "author: me\n", "m.yaml");
  REQUIRE(odd);  // as map_server does
  CHECK(odd->warnings == std::vector<std::string>{"m.yaml:7: author: unknown field, ignored"});
}

TEST_CASE("trinary: dark is occupied, light is free, between is unknown; the top row comes last") {
  const auto map = read(bytes_of("P2 3 2 255  0 128 205  254 255 128"));
  CHECK(cells(map) == "002/122");
}

TEST_CASE("trinary thresholds belong to the outer classes") {
  MapFile rules{.occupied_thresh = 0.6, .free_thresh = 0.2};
  CHECK(cells(read(bytes_of("P2 4 1 255  102 103 203 204"), rules)) == "1220");
  rules.negate = true;
  CHECK(cells(read(bytes_of("P2 4 1 255  153 152 52 51"), rules)) == "1220");
}

TEST_CASE("scale: between the thresholds a cell counts as occupied from 65 of 100 on") {
  MapFile rules{.occupied_thresh = 1, .free_thresh = 0, .mode = MapMode::kScale};
  CHECK(cells(read(bytes_of("P2 5 1 1000  0 355 356 900 1000"), rules)) == "11000");  // 0.645 rounds to 65, 0.644 to 64
}

TEST_CASE("raw: the pixel itself, above 100 unknown, neither negated nor compared") {
  MapFile rules{.negate = true, .mode = MapMode::kRaw};
  CHECK(cells(read(bytes_of("P2 6 1 255  0 64 65 100 101 255"), rules)) == "001122");
  const Bytes transparent = png_of(2, 1, PNG_COLOR_TYPE_GRAY_ALPHA, 8, {100, 0, 0, 0});
  CHECK(cells(read(transparent, rules)) == "10");
}

TEST_CASE("PGM comes in text and bytes, 8 and 16 bits, with comments") {
  CHECK(cells(read(bytes_of("P2\n# by hand\n2 # wide\n1\n#white\n255\n0 # dark\n255\n"))) == "10");
  CHECK(cells(read(bytes_of("P5 2 1 255\n" + std::string("\x00\xff", 2)))) == "10");
  CHECK(cells(read(bytes_of("P5\n#x\n2 1\n65535\n" + std::string("\x00\x01\xff\xff", 4)))) == "10");
  CHECK(cells(read(bytes_of("P2 2 1 65535 0 65535"))) == "10");
  CHECK(cells(read(bytes_of("P5 2 1 1\n" + std::string("\x00\x01", 2)))) == "10");
}

TEST_CASE("PNG comes in every kind; transparent is unknown in trinary and scale") {
  CHECK(cells(read(png_of(2, 2, PNG_COLOR_TYPE_GRAY, 8, {0, 255, 255, 255}))) == "00/10");
  CHECK(cells(read(png_of(2, 2, PNG_COLOR_TYPE_GRAY, 8, {0, 255, 255, 255}, true))) == "00/10");
  CHECK(cells(read(png_of(2, 1, PNG_COLOR_TYPE_GRAY, 16, {0, 9, 255, 255}))) == "10");
  CHECK(cells(read(png_of(8, 1, PNG_COLOR_TYPE_GRAY, 1, {0b01010101}))) == "10101010");
  CHECK(cells(read(png_of(8, 1, PNG_COLOR_TYPE_PALETTE, 1, {0b01010101}))) == "10101010");
  CHECK(cells(read(png_of(3, 1, PNG_COLOR_TYPE_GRAY_ALPHA, 8, {0, 255, 255, 254, 255, 255}))) == "120");
  // Means of 80 and 100: p = 0.69 and 0.61.
  CHECK(cells(read(png_of(3, 1, PNG_COLOR_TYPE_RGB, 8, {0, 0, 240, 0, 45, 255, 255, 255, 255}))) == "120");
  CHECK(cells(read(png_of(2, 1, PNG_COLOR_TYPE_RGB_ALPHA, 8, {0, 0, 0, 255, 255, 255, 255, 0}))) == "12");
  CHECK(cells(read(png_of(1, 1, PNG_COLOR_TYPE_RGB_ALPHA, 16, {0, 0, 0, 0, 0, 0, 255, 254}))) == "2");
  MapFile scale{.mode = MapMode::kScale};
  CHECK(cells(read(png_of(1, 1, PNG_COLOR_TYPE_GRAY_ALPHA, 8, {0, 254}), scale)) == "2");
}

TEST_CASE("pictures that are broken, hostile or too large are errors that name the file") {
  CHECK(error_of(bytes_of("GIF89a")) == "m.pgm: neither a PGM (P2, P5) nor a PNG picture");
  CHECK(error_of({}) == "m.pgm: neither a PGM (P2, P5) nor a PNG picture");
  CHECK(error_of(bytes_of("P5 2")) == "m.pgm: the PGM header is cut short or no number");
  CHECK(error_of(bytes_of("P5 2 x 255 ")) == "m.pgm: the PGM header is cut short or no number");
  CHECK(error_of(bytes_of("P5 99999999999999999999 1 255 ")) == "m.pgm: the PGM header is cut short or no number");
  CHECK(error_of(bytes_of("P5 0 1 255 ")) == "m.pgm: 0 x 1 pixels; allowed: 1 to 20000 a side, 64000000 in all");
  CHECK(error_of(bytes_of("P5 20001 1 255 ")) ==
        "m.pgm: 20001 x 1 pixels; allowed: 1 to 20000 a side, 64000000 in all");
  CHECK(error_of(bytes_of("P5 20000 20000 255 ")) ==
        "m.pgm: 20000 x 20000 pixels; allowed: 1 to 20000 a side, 64000000 in all");
  CHECK(error_of(bytes_of("P5 2 2 0 abcd")) == "m.pgm: largest value 0; allowed: 1 to 65535");
  CHECK(error_of(bytes_of("P5 2 2 65536 abcd")) == "m.pgm: largest value 65536; allowed: 1 to 65535");
  CHECK(error_of(bytes_of("P5 2 2 255")) == "m.pgm: the PGM header does not end with a blank");
  CHECK(error_of(bytes_of("P5 2 2 255 abc")) == "m.pgm: the picture is cut short");
  CHECK(error_of(bytes_of("P5 2 2 256 abcdefg")) == "m.pgm: the picture is cut short");
  CHECK(error_of(bytes_of("P5 2 1 9 \x01\x0a")) == "m.pgm: a pixel is 10; the largest value is 9");
  CHECK(error_of(bytes_of("P2 2 1 9 1 x   ")) == "m.pgm: the picture is cut short or holds what is no number");
  const Bytes png = png_of(2, 2, PNG_COLOR_TYPE_GRAY, 8, {0, 255, 255, 255});
  CHECK(error_of({png.begin(), png.begin() + 40}) == "m.pgm: broken PNG: the file is cut short");
  Bytes wide = png_of(20'001, 1, PNG_COLOR_TYPE_GRAY, 8, Bytes(20'001));
  CHECK(error_of(wide).starts_with("m.pgm: broken PNG: "));
}

TEST_CASE("a text chunk that claims 2 GB is skipped, not made room for") {
  const Bytes good = png_of(2, 1, PNG_COLOR_TYPE_GRAY, 8, {0, 255});
  const auto with_text = [&](const Bytes& chunk) {
    Bytes png = good;
    png.insert(png.begin() + 33, chunk.begin(), chunk.end());  // behind IHDR
    return png;
  };
  CHECK(error_of(with_text(bytes_of("\x77\xff\xff\xfftEXtkey"))) == "m.pgm: broken PNG: the file is cut short");
  CHECK(error_of(with_text(bytes_of(std::string("\0\0\0\0tEXt\0\0\0\0", 12)))) == "ok");  // even with a wrong checksum
}

TEST_CASE("a transparent shade of a PNG without alpha is transparent") {
  Bytes png = png_of(2, 1, PNG_COLOR_TYPE_GRAY, 8, {0, 255});
  const Bytes chunk = {0, 0, 0, 2, 't', 'R', 'N', 'S', 0, 0, 0x76, 0x93, 0xcd, 0x38};  // tRNS: grey 0
  png.insert(png.begin() + 33, chunk.begin(), chunk.end());
  CHECK(cells(read(png)) == "20");
}

TEST_CASE("cut or flipped pictures never do more than fail") {
  Bytes samples(16 * 16 * 4);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint8_t>(i * 37);
  const std::vector<Bytes> pictures = {
      png_of(16, 16, PNG_COLOR_TYPE_RGB_ALPHA, 8, samples), png_of(16, 16, PNG_COLOR_TYPE_RGB_ALPHA, 8, samples, true),
      bytes_of("P2 4 4 255 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"), bytes_of("P5 4 2 65535\n0000111122223333")};
  for (const Bytes& picture : pictures) {
    REQUIRE(error_of(picture) == "ok");
    for (std::size_t n = 0; n < picture.size(); ++n) {
      const auto map = read({picture.begin(), picture.begin() + static_cast<std::ptrdiff_t>(n)});
      if (map) CHECK(map->cells.size() == std::size_t{map->width} * map->height);
    }
    for (std::size_t i = 0; i < picture.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        Bytes changed = picture;
        changed[i] ^= static_cast<std::uint8_t>(1 << bit);
        const auto map = read(changed);
        if (map) CHECK(map->cells.size() == std::size_t{map->width} * map->height);
        else CHECK(map.error().where == "m.pgm");
      }
    }
  }
}

TEST_CASE("a map is loaded from the disk, its picture beside it or anywhere") {
  namespace fs = std::filesystem;
  const fs::path dir = fs::temp_directory_path() / "convoy_ros_map_test";
  fs::create_directories(dir / "pictures");
  const auto write = [&](const fs::path& path, const std::string& text) {
    std::FILE* f = std::fopen(path.c_str(), "wb");
    REQUIRE(f);
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  };
  write(dir / "pictures/a.pgm", "P2 2 1 255 0 255");
  write(dir / "near.yaml", with("image", "pictures/a.pgm"));
  write(dir / "far.yaml", with("image", (dir / "pictures/a.pgm").string()));
  write(dir / "lost.yaml", with("image", "b.pgm"));

  std::vector<std::string> warnings;
  const auto near = load_map((dir / "near.yaml").string(), warnings);
  CHECK(cells(near) == "10");
  CHECK(near->resolution == 0.1);
  CHECK(near->origin == MapOrigin{-1, -2, 0.5});
  CHECK(cells(load_map((dir / "far.yaml").string(), warnings)) == "10");
  const auto lost = load_map((dir / "lost.yaml").string(), warnings);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().message() == (dir / "lost.yaml").string() + ": image " + (dir / "b.pgm").string() +
                                      ": cannot open: No such file or directory");
  CHECK(load_map((dir / "none.yaml").string(), warnings).error().code == ErrorCode::kNotFound);
  fs::remove_all(dir);
}

}  // namespace ros_map_test

// What comes out is read by other people's readers: libwebm's for the file, libvpx's decoder for the pictures.
#include "film/film.h"

#include <doctest/doctest.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <webm/buffer_reader.h>
#include <webm/callback.h>
#include <webm/webm_parser.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace film_test {

using namespace convoy;
using namespace convoy::film;

namespace {

class MemoryFile final : public FilmFile {
 public:
  Status write(ByteView more) override {
    if (bytes.size() + more.size() > room) return fail(ErrorCode::kUnavailable, "no space left");
    bytes.insert(bytes.end(), more.begin(), more.end());
    return {};
  }
  Status rewrite(std::uint64_t at, ByteView other) override {
    REQUIRE(at + other.size() <= bytes.size());
    std::copy(other.begin(), other.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }

  Bytes bytes;
  std::size_t room = 1u << 30;
};

// What libwebm finds in a file.
class Found final : public webm::Callback {
 public:
  struct Block {
    std::int64_t at_ms = 0;
    bool key = false;
    ByteView bytes;
  };

  explicit Found(const Bytes& file) : file_(file) {
    webm::WebmParser parser;
    webm::BufferReader reader(file);
    status = parser.Feed(this, &reader);
  }

  webm::Status status;
  webm::Ebml ebml;
  webm::Info info;
  std::vector<webm::TrackEntry> tracks;
  std::vector<Block> blocks;
  std::vector<std::uint64_t> clusters;                              // where they are, in the file
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cues;        // time, and a place in the file
  std::vector<std::pair<webm::Id, std::uint64_t>> seeks, elements;  // the first are told, the others are there

 private:
  webm::Status OnElementBegin(const webm::ElementMetadata& about, webm::Action* action) override {
    elements.emplace_back(about.id, about.position);
    *action = webm::Action::kRead;
    return ok();
  }
  webm::Status OnEbml(const webm::ElementMetadata&, const webm::Ebml& all) override { return ebml = all, ok(); }
  webm::Status OnSegmentBegin(const webm::ElementMetadata& about, webm::Action* action) override {
    segment_ = about.position + about.header_size;
    *action = webm::Action::kRead;
    return ok();
  }
  webm::Status OnSeek(const webm::ElementMetadata&, const webm::Seek& seek) override {
    return seeks.emplace_back(seek.id.value(), segment_ + seek.position.value()), ok();
  }
  webm::Status OnInfo(const webm::ElementMetadata&, const webm::Info& all) override { return info = all, ok(); }
  webm::Status OnTrackEntry(const webm::ElementMetadata&, const webm::TrackEntry& track) override {
    return tracks.push_back(track), ok();
  }
  webm::Status OnClusterBegin(const webm::ElementMetadata& about, const webm::Cluster& cluster,
                              webm::Action* action) override {
    clusters.push_back(about.position);
    cluster_ms_ = static_cast<std::int64_t>(cluster.timecode.value());
    *action = webm::Action::kRead;
    return ok();
  }
  webm::Status OnSimpleBlockBegin(const webm::ElementMetadata&, const webm::SimpleBlock& block,
                                  webm::Action* action) override {
    blocks.push_back({cluster_ms_ + block.timecode, block.is_key_frame, {}});
    *action = webm::Action::kRead;
    return ok();
  }
  webm::Status OnFrame(const webm::FrameMetadata& about, webm::Reader* reader, std::uint64_t* left) override {
    blocks.back().bytes = ByteView(file_).subspan(about.position, about.size);
    return Callback::OnFrame(about, reader, left);
  }
  webm::Status OnCuePoint(const webm::ElementMetadata&, const webm::CuePoint& cue) override {
    const auto& places = cue.cue_track_positions;
    return cues.emplace_back(cue.time.value(), segment_ + places.at(0).value().cluster_position.value()), ok();
  }
  static webm::Status ok() { return webm::Status(webm::Status::kOkCompleted); }

  const Bytes& file_;
  std::uint64_t segment_ = 0;
  std::int64_t cluster_ms_ = 0;
};

using Rgb = std::array<int, 3>;

// Decodes one block after the other.
class Screen {
 public:
  Screen() { REQUIRE(vpx_codec_dec_init(&codec_, vpx_codec_vp9_dx(), nullptr, 0) == VPX_CODEC_OK); }
  ~Screen() { vpx_codec_destroy(&codec_); }
  Screen(const Screen&) = delete;

  void show(ByteView block) {
    REQUIRE(vpx_codec_decode(&codec_, block.data(), static_cast<unsigned>(block.size()), nullptr, 0) == VPX_CODEC_OK);
    vpx_codec_iter_t at = nullptr;
    image = vpx_codec_get_frame(&codec_, &at);
    REQUIRE(image != nullptr);
  }
  // By the equations of BT.709 in studio range.
  Rgb at(unsigned x, unsigned y) const {
    const auto sample = [&](int plane, unsigned half) {
      return static_cast<double>(
          image->planes[plane][(y >> half) * static_cast<unsigned>(image->stride[plane]) + (x >> half)]);
    };
    const double luma = (sample(0, 0) - 16) / 219, cb = (sample(1, 1) - 128) / 224, cr = (sample(2, 1) - 128) / 224;
    const double r = luma + 1.5748 * cr, b = luma + 1.8556 * cb, g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152;
    const auto whole = [](double v) { return static_cast<int>(std::lround(255 * std::clamp(v, 0.0, 1.0))); };
    return {whole(r), whole(g), whole(b)};
  }

  const vpx_image_t* image = nullptr;

 private:
  vpx_codec_ctx_t codec_{};
};

bool near(const Rgb& a, const Rgb& b, int by = 8) {
  for (std::size_t i = 0; i < 3; ++i)
    if (std::abs(a[i] - b[i]) > by) return false;
  return true;
}

constexpr Rgb kGround{40, 90, 160}, kBox{230, 30, 20};

// A box of 16 pixels, which goes to the right by four a picture, before a ground of one colour.
Bytes picture(const Format& f, unsigned k) {
  Bytes out;
  for (unsigned y = 0; y < f.height; ++y)
    for (unsigned x = 0; x < f.width; ++x) {
      const bool box = x >= 4 * k && x < 4 * k + 16 && y >= 16 && y < 32;
      for (const int v : box ? kBox : kGround) out.push_back(static_cast<std::uint8_t>(v));
    }
  return out;
}

Duration time_of(const Format& f, unsigned k) { return Duration(1'000'000'000ll * k / f.rate); }

Bytes film_of(const Format& f, unsigned pictures) {
  MemoryFile file;
  auto dut = Film::make(f, file);
  REQUIRE(dut);
  for (unsigned k = 0; k < pictures; ++k) REQUIRE((*dut)->add(picture(f, k % 20), time_of(f, k)));
  REQUIRE((*dut)->close());
  return file.bytes;
}

}  // namespace

TEST_CASE("a film has its size, its length and its colours, and a place for each picture") {
  const Format f{.width = 160, .height = 90, .rate = 30};
  const Bytes file = film_of(f, 20);
  const Found found(file);

  CHECK(found.status.code == webm::Status::kOkCompleted);
  CHECK(found.ebml.doc_type.value() == "webm");
  CHECK(found.info.timecode_scale.value() == 1'000'000);
  CHECK(std::abs(found.info.duration.value() - 666) <= 1);
  CHECK_FALSE(found.info.date_utc.is_present());
  REQUIRE(found.tracks.size() == 1);
  CHECK(found.tracks[0].codec_id.value() == "V_VP9");
  CHECK(found.tracks[0].video.value().pixel_width.value() == 160);
  CHECK(found.tracks[0].video.value().pixel_height.value() == 90);
  CHECK(found.tracks[0].default_duration.value() == 33'333'333);
  CHECK(found.tracks[0].video.value().colour.value().matrix_coefficients.value() == webm::MatrixCoefficients::kBt709);
  REQUIRE(found.blocks.size() == 20);
  for (unsigned k = 0; k < 20; ++k) CHECK(found.blocks[k].at_ms == std::lround(k * 1000.0 / 30));
  CHECK(found.blocks[0].key);
}

TEST_CASE("pictures come back as they were, by little") {
  const Format f{.width = 160, .height = 90, .rate = 30};
  const Bytes file = film_of(f, 20);
  const Found found(file);
  Screen screen;

  REQUIRE(found.blocks.size() == 20);
  for (unsigned k = 0; k < 20; ++k) {
    CAPTURE(k);
    screen.show(found.blocks[k].bytes);
    CHECK(screen.image->d_w == 160);
    CHECK(screen.image->d_h == 90);
    CHECK(screen.image->cs == VPX_CS_BT_709);
    CHECK(screen.image->range == VPX_CR_STUDIO_RANGE);
    CHECK(near(screen.at(4 * k + 8, 24), kBox));
    CHECK(near(screen.at(4 * k + 8, 60), kGround));
    if (k > 8) CHECK(near(screen.at(4 * k - 8, 24), kGround));
  }
}

TEST_CASE("each key picture has a cue, every two seconds at least, and what stands where is told right") {
  const Format f{.width = 64, .height = 48, .rate = 10};
  const Bytes file = film_of(f, 65);
  const Found found(file);

  std::vector<std::int64_t> keys;
  for (const Found::Block& block : found.blocks)
    if (block.key) keys.push_back(block.at_ms);
  REQUIRE(found.cues.size() == keys.size());
  CHECK(keys.size() >= 4);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK(found.cues[i].first == static_cast<std::uint64_t>(keys[i]));
    CHECK(found.cues[i].second == found.clusters[i]);
    if (i > 0) CHECK(keys[i] - keys[i - 1] <= 2000);
  }
  CHECK(found.seeks.size() == 3);
  for (const auto& seek : found.seeks)
    CHECK(std::find(found.elements.begin(), found.elements.end(), seek) != found.elements.end());
}

TEST_CASE("the same pictures make the same bytes") {
  const Format f{.width = 96, .height = 64, .rate = 25};
  CHECK(film_of(f, 12) == film_of(f, 12));
}

TEST_CASE("odd sizes and one picture are films") {
  const Format f{.width = 33, .height = 35, .rate = 5};
  const Bytes file = film_of(f, 1);
  const Found found(file);
  Screen screen;

  CHECK(found.status.code == webm::Status::kOkCompleted);
  REQUIRE(found.blocks.size() == 1);
  CHECK(found.info.duration.value() == 200);
  screen.show(found.blocks[0].bytes);
  CHECK(screen.image->d_w == 33);
  CHECK(near(screen.at(32, 34), kGround));
}

TEST_CASE("a film that was never closed can be seen up to its last cluster") {
  const Format f{.width = 64, .height = 48, .rate = 10};
  MemoryFile file;
  {
    auto dut = Film::make(f, file);
    for (unsigned k = 0; k < 45; ++k) REQUIRE((*dut)->add(picture(f, k % 10), time_of(f, k)));
  }
  const Found found(file.bytes);

  CHECK(found.blocks.size() >= 40);
  CHECK_FALSE(found.info.duration.is_present());
  CHECK(found.cues.empty());
  CHECK(found.seeks.size() == 2);
}

TEST_CASE("a film without a picture is one of no length") {
  const Bytes file = film_of({.width = 64, .height = 48, .rate = 10}, 0);
  const Found found(file);

  CHECK(found.tracks.size() == 1);
  CHECK(found.blocks.empty());
  CHECK(found.info.duration.value() == 0);
}

TEST_CASE("what cannot be a film, and a file that is full, are errors") {
  MemoryFile file;
  CHECK(Film::make({.width = 8, .height = 48}, file).error().code == ErrorCode::kInvalid);
  CHECK(Film::make({.width = 8192, .height = 8192}, file).error().code == ErrorCode::kInvalid);
  CHECK(Film::make({.rate = 0}, file).error().code == ErrorCode::kInvalid);

  const Format f{.width = 64, .height = 48, .rate = 10};
  file.room = 500;
  auto dut = Film::make(f, file);
  REQUIRE(dut);
  Status ok;
  for (unsigned k = 0; ok && k < 100; ++k) ok = (*dut)->add(picture(f, k % 10), time_of(f, k));
  CHECK(ok.error().text == "no space left");
}

}  // namespace film_test

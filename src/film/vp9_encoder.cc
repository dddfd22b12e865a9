#include "film/vp9_encoder.h"

#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

#include <algorithm>
#include <string>

namespace convoy::film {

namespace {

// Of equal quality throughout: 0 is without loss, 63 the worst. At 28 what has moved leaves faint blocks behind.
constexpr unsigned kQuantizer = 20;
// As for calls: at 1280 x 720 it takes 16 ms a picture where the fastest for files (VPX_DL_GOOD_QUALITY, 5) takes 100, for
// a fifth more bytes.
constexpr int kSpeed = 5;
constexpr unsigned long kDeadline = VPX_DL_REALTIME;
constexpr unsigned kKeyEvery_s = 2;  // a player that jumps decodes so much at most

// R'G'B' of 0 to 255 to Y'CbCr of 16 to 235 or 240, in 65536ths.
constexpr double kRed = 0.2126, kBlue = 0.0722, kGreen = 1 - kRed - kBlue;  // BT.709
constexpr int fixed(double v) { return static_cast<int>(v * 65536 + (v < 0 ? -0.5 : 0.5)); }
struct Weights {
  int r, g, b;
  int of(int red, int green, int blue) const { return r * red + g * green + b * blue; }
};
constexpr double kLuma = 219.0 / 255, kChroma = 224.0 / 255;
constexpr Weights kY{fixed(kLuma * kRed), fixed(kLuma* kGreen), fixed(kLuma* kBlue)};
constexpr double kToCb = kChroma / (2 * (1 - kBlue)), kToCr = kChroma / (2 * (1 - kRed));
constexpr Weights kCb{fixed(-kToCb * kRed), fixed(-kToCb* kGreen), fixed(kToCb*(1 - kBlue))};
constexpr Weights kCr{fixed(kToCr * (1 - kRed)), fixed(-kToCr* kGreen), fixed(-kToCr* kBlue)};

void fill_luma(vpx_image_t& to, const std::uint8_t* rgb) {
  for (unsigned y = 0; y < to.d_h; ++y) {
    std::uint8_t* row = to.planes[VPX_PLANE_Y] + static_cast<std::ptrdiff_t>(y) * to.stride[VPX_PLANE_Y];
    const std::uint8_t* from = rgb + std::size_t{3} * to.d_w * y;
    for (unsigned x = 0; x < to.d_w; ++x)
      row[x] =
          static_cast<std::uint8_t>((kY.of(from[3 * x], from[3 * x + 1], from[3 * x + 2]) + (16 << 16) + 32768) >> 16);
  }
}

// Of the mean of four pixels; at an odd border the last ones count twice.
void fill_chroma(vpx_image_t& to, const std::uint8_t* rgb) {
  const std::size_t pitch = std::size_t{3} * to.d_w;
  for (unsigned y = 0; 2 * y < to.d_h; ++y) {
    std::uint8_t* u = to.planes[VPX_PLANE_U] + static_cast<std::ptrdiff_t>(y) * to.stride[VPX_PLANE_U];
    std::uint8_t* v = to.planes[VPX_PLANE_V] + static_cast<std::ptrdiff_t>(y) * to.stride[VPX_PLANE_V];
    const std::uint8_t* above = rgb + pitch * 2 * y;
    const std::uint8_t* below = rgb + pitch * std::min(2 * y + 1, to.d_h - 1);
    for (unsigned x = 0; 2 * x < to.d_w; ++x) {
      const std::size_t left = std::size_t{6} * x, right = std::size_t{3} * std::min(2 * x + 1, to.d_w - 1);
      int sum[3];
      for (std::size_t c = 0; c < 3; ++c)
        sum[c] = above[left + c] + above[right + c] + below[left + c] + below[right + c];
      // Four times as much as of one, and 128 in the middle.
      constexpr int kMiddle = (128 << 18) + (1 << 17);
      u[x] = static_cast<std::uint8_t>((kCb.of(sum[0], sum[1], sum[2]) + kMiddle) >> 18);
      v[x] = static_cast<std::uint8_t>((kCr.of(sum[0], sum[1], sum[2]) + kMiddle) >> 18);
    }
  }
}

class LibvpxEncoder final : public Vp9Encoder {
 public:
  LibvpxEncoder() = default;
  LibvpxEncoder(const LibvpxEncoder&) = delete;
  ~LibvpxEncoder() override {
    if (begun_) vpx_codec_destroy(&codec_);
    vpx_img_free(&image_);  // also of none: it is all zeros then
  }

  Status begin(const Format& f) {
    vpx_codec_enc_cfg_t how;
    if (vpx_codec_enc_config_default(vpx_codec_vp9_cx(), &how, 0) != VPX_CODEC_OK)
      return fail(ErrorCode::kUnsupported, "libvpx here encodes no VP9");
    how.g_w = f.width, how.g_h = f.height;
    how.g_timebase = {1, 1000};
    how.g_threads = 1;        // several give the same picture by other bytes
    how.g_lag_in_frames = 0;  // a packet comes with its picture: an end may come at any time
    how.rc_end_usage = VPX_Q;
    how.kf_max_dist = kKeyEvery_s * f.rate;
    if (!vpx_img_alloc(&image_, VPX_IMG_FMT_I420, f.width, f.height, 16) ||
        vpx_codec_enc_init(&codec_, vpx_codec_vp9_cx(), &how, 0) != VPX_CODEC_OK)
      return fail(ErrorCode::kUnavailable, "libvpx has no memory for pictures of that size");
    begun_ = true;
    image_.cs = VPX_CS_BT_709, image_.range = VPX_CR_STUDIO_RANGE;
    last_ms_ = std::max(1u, 1000 / f.rate);
    const bool set = vpx_codec_control(&codec_, VP8E_SET_CPUUSED, kSpeed) == VPX_CODEC_OK &&
                     vpx_codec_control(&codec_, VP8E_SET_CQ_LEVEL, kQuantizer) == VPX_CODEC_OK &&
                     vpx_codec_control(&codec_, VP9E_SET_COLOR_SPACE, VPX_CS_BT_709) == VPX_CODEC_OK &&
                     vpx_codec_control(&codec_, VP9E_SET_COLOR_RANGE, VPX_CR_STUDIO_RANGE) == VPX_CODEC_OK;
    return set ? Status{} : trouble();
  }

  Result<Packet> encode(ByteView rgb, std::uint64_t at_ms) override {
    fill_luma(image_, rgb.data());
    fill_chroma(image_, rgb.data());
    if (vpx_codec_encode(&codec_, &image_, static_cast<vpx_codec_pts_t>(at_ms), last_ms_, 0, kDeadline) != VPX_CODEC_OK)
      return tl::unexpected(trouble().error());
    vpx_codec_iter_t at = nullptr;
    while (const vpx_codec_cx_pkt_t* packet = vpx_codec_get_cx_data(&codec_, &at))
      if (packet->kind == VPX_CODEC_CX_FRAME_PKT)
        return Packet{{static_cast<const std::uint8_t*>(packet->data.frame.buf), packet->data.frame.sz},
                      (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0};
    return fail(ErrorCode::kInternal, "libvpx gave nothing for a picture");
  }

 private:
  Status trouble() {
    const char* detail = vpx_codec_error_detail(&codec_);
    return fail(ErrorCode::kInternal,
                std::string("libvpx: ") + vpx_codec_error(&codec_) + (detail ? std::string(": ") + detail : ""));
  }

  vpx_codec_ctx_t codec_{};
  vpx_image_t image_{};
  bool begun_ = false;
  unsigned long last_ms_ = 1;  // how long a picture is seen
};

}  // namespace

Result<std::unique_ptr<Vp9Encoder>> Vp9Encoder::make(const Format& format) {
  auto out = std::make_unique<LibvpxEncoder>();
  if (auto ok = out->begin(format); !ok) return tl::unexpected(ok.error());
  return out;
}

}  // namespace convoy::film

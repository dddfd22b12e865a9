#include "stream/encoders.h"

#include "stream/gst.h"

namespace convoy::stream {

namespace {

constexpr const char* kH264 =
    " ! video/x-h264,profile=constrained-baseline ! h264parse config-interval=-1 ! "
    "video/x-h264,stream-format=byte-stream,alignment=au";

// A key picture comes when somebody asks for one; the distance is for who cannot ask.
constexpr Encoder kEncoders[] = {
    {"vp8", "vp8enc",
     "deadline=1 cpu-used=16 static-threshold=100 threads=1 lag-in-frames=0 end-usage=cbr error-resilient=partitions "
     "keyframe-max-dist=600 "
     "undershoot=95 overshoot=10 buffer-size=400 buffer-initial-size=200 buffer-optimal-size=300 min-quantizer=4 "
     "max-quantizer=56",
     "", "target-bitrate", "VP8", "rtpvp8pay picture-id-mode=15-bit", 1000, true},
    {"h264", "nvh264enc", "preset=low-latency-hp zerolatency=true gop-size=600 rc-mode=cbr", kH264, "bitrate", "H264",
     "rtph264pay config-interval=-1 aggregate-mode=zero-latency", 1, false},
    {"h264", "vah264enc", "key-int-max=600 rate-control=cbr b-frames=0 ref-frames=1", kH264, "bitrate", "H264",
     "rtph264pay config-interval=-1 aggregate-mode=zero-latency", 1, false},
    {"h264", "v4l2h264enc", "", kH264, "", "H264", "rtph264pay config-interval=-1 aggregate-mode=zero-latency", 1,
     false},
    {"h264", "x264enc", "tune=zerolatency speed-preset=ultrafast key-int-max=600 threads=1 bframes=0", kH264, "bitrate",
     "H264", "rtph264pay config-interval=-1 aggregate-mode=zero-latency", 1, true},
    {"h264", "openh264enc", "complexity=low rate-control=bitrate gop-size=600 multi-thread=1", kH264, "bitrate", "H264",
     "rtph264pay config-interval=-1 aggregate-mode=zero-latency", 1000, true},
};

// Elements of graphics cards are there without one, too, and do not open then.
bool opens(const char* element) {
  GstElement* const made = gst_element_factory_make(element, nullptr);
  if (made == nullptr) return false;
  const Gst<GstElement> owned(GST_ELEMENT(gst_object_ref_sink(made)));
  const bool ok = gst_element_set_state(made, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
  gst_element_set_state(made, GST_STATE_NULL);
  return ok;
}

}  // namespace

Result<const Encoder*> encoder_for(const std::string& codec) {
  if (auto ok = start_gstreamer(); !ok) return tl::unexpected(ok.error());
  const char* last = nullptr;
  for (const Encoder& one : kEncoders) {
    if (codec != one.codec) continue;
    if (has_element(one.element) && opens(one.element)) return &one;
    last = one.element;
  }
  if (last == nullptr) return fail(ErrorCode::kInvalid, "'" + codec + "' is no codec of a stream: vp8 or h264");
  return tl::unexpected(lacks_element(last));
}

}  // namespace convoy::stream

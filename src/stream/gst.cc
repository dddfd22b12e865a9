#include "stream/gst.h"

#include <utility>

namespace convoy::stream {

Status start_gstreamer() {
  static const Status started = []() -> Status {
    GError* raw = nullptr;
    if (gst_init_check(nullptr, nullptr, &raw)) return {};
    const GErrorPtr error(raw);
    return fail(ErrorCode::kUnsupported,
                std::string("GStreamer does not start: ") + (error ? error->message : "no reason is given"));
  }();
  return started;
}

bool has_element(const char* name) {
  const Gst<GstElementFactory> factory(gst_element_factory_find(name));
  return factory != nullptr;
}

Error lacks_element(const char* name) {
  constexpr std::pair<const char*, const char*> kPackages[] = {
      {"appsrc", "gstreamer1.0-plugins-base"},   {"videoconvert", "gstreamer1.0-plugins-base"},
      {"vp8enc", "gstreamer1.0-plugins-good"},   {"rtpvp8pay", "gstreamer1.0-plugins-good"},
      {"jpegenc", "gstreamer1.0-plugins-good"},  {"rtph264pay", "gstreamer1.0-plugins-good"},
      {"webrtcbin", "gstreamer1.0-plugins-bad"}, {"openh264enc", "gstreamer1.0-plugins-bad"},
      {"h264parse", "gstreamer1.0-plugins-bad"}, {"dtlsenc", "gstreamer1.0-plugins-bad"},
      {"srtpenc", "gstreamer1.0-plugins-bad"},   {"sctpenc", "gstreamer1.0-plugins-bad"},
      {"mp4mux", "gstreamer1.0-plugins-good"},   {"valve", "libgstreamer1.0-0"},
      {"nicesink", "gstreamer1.0-nice"},         {"x264enc", "gstreamer1.0-plugins-ugly"},
  };
  std::string text = std::string("GStreamer has no element '") + name + "' here";
  for (const auto& [element, package] : kPackages)
    if (std::string(element) == name) text += std::string(": the package ") + package + " brings it";
  return Error{ErrorCode::kUnsupported, std::move(text)};
}

}  // namespace convoy::stream

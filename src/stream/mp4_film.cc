#include "stream/mp4_film.h"

#include <fmt/format.h>
#include <gst/app/gstappsrc.h>

#include <algorithm>

#include "stream/encoders.h"
#include "stream/gst.h"

namespace convoy::stream {

namespace {

constexpr double kBitsOfPixel = 0.12;  // of a picture; a room with robots looks well with it
constexpr GstClockTime kEnds = 60 * GST_SECOND;

struct UnrefMessage {
  void operator()(GstMessage* message) const { gst_message_unref(message); }
};
using Message = std::unique_ptr<GstMessage, UnrefMessage>;

class Mp4Film final : public film::Film {
 public:
  explicit Mp4Film(const film::Format& format) : format_(format) {}
  ~Mp4Film() override {
    if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  }
  Mp4Film(const Mp4Film&) = delete;
  Mp4Film& operator=(const Mp4Film&) = delete;

  Status begin(const Encoder& encoder, const std::string& path);
  Status add(ByteView rgb, Duration time) override;
  Status close() override;

 private:
  Status trouble(GstMessage* message) const;
  Message next(GstClockTime patience, GstMessageType kinds) const;

  film::Format format_;
  Gst<GstElement> pipeline_, source_;
};

Status Mp4Film::begin(const Encoder& encoder, const std::string& path) {
  const std::string launch = fmt::format(
      "appsrc name=source format=time block=true max-buffers=4 max-bytes=0 "
      "caps=video/x-raw,format=RGB,width={},height={},framerate={}/1 ! videoconvert n-threads=1 ! "
      "video/x-raw,format=I420 ! {} name=encoder {}{} ! h264parse ! video/x-h264,stream-format=avc,alignment=au ! "
      "mp4mux ! filesink name=file",
      format_.width, format_.height, format_.rate, encoder.element, encoder.options, encoder.after);
  GError* raw = nullptr;
  GstElement* const made = gst_parse_launch(launch.c_str(), &raw);
  const GErrorPtr error(raw);
  if (made != nullptr) pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(made)));
  if (made == nullptr || error)
    return fail(ErrorCode::kUnsupported,
                std::string("this GStreamer makes no such film: ") + (error ? error->message : ""));
  const auto part = [&](const char* name) { return Gst<GstElement>(gst_bin_get_by_name(GST_BIN(made), name)); };
  source_ = part("source");
  g_object_set(part("file").get(), "location", path.c_str(), nullptr);
  const double kbit = kBitsOfPixel * format_.width * format_.height * format_.rate / 1000;
  if (*encoder.bitrate != '\0')
    g_object_set(part("encoder").get(), encoder.bitrate,
                 static_cast<int>(std::clamp(kbit, 200.0, 50'000.0) * encoder.units), nullptr);
  if (gst_element_set_state(made, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) return {};
  const Message why = next(0, GST_MESSAGE_ERROR);
  return why ? trouble(why.get()) : fail(ErrorCode::kUnsupported, fmt::format("{} does not start", encoder.element));
}

Message Mp4Film::next(GstClockTime patience, GstMessageType kinds) const {
  GstBus* const bus = gst_element_get_bus(pipeline_.get());
  Message out(gst_bus_timed_pop_filtered(bus, patience, kinds));
  gst_object_unref(bus);
  return out;
}

Status Mp4Film::trouble(GstMessage* message) const {
  GError* raw = nullptr;
  gst_message_parse_error(message, &raw, nullptr);
  const GErrorPtr error(raw);
  return fail(ErrorCode::kInvalid, std::string("the film: ") + (error ? error->message : "no reason is given"));
}

Status Mp4Film::add(ByteView rgb, Duration time) {
  if (const Message why = next(0, GST_MESSAGE_ERROR)) return trouble(why.get());
  GstBuffer* const buffer = gst_buffer_new_allocate(nullptr, rgb.size(), nullptr);
  if (buffer == nullptr) return fail(ErrorCode::kUnavailable, "no memory for a picture");
  gst_buffer_fill(buffer, 0, rgb.data(), rgb.size());
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(nanos(time));
  GST_BUFFER_DURATION(buffer) = GST_SECOND / format_.rate;
  if (gst_app_src_push_buffer(GST_APP_SRC(source_.get()), buffer) == GST_FLOW_OK) return {};
  const Message why = next(0, GST_MESSAGE_ERROR);
  return why ? trouble(why.get()) : fail(ErrorCode::kUnavailable, "the encoder takes no more pictures");
}

Status Mp4Film::close() {
  gst_app_src_end_of_stream(GST_APP_SRC(source_.get()));
  const Message end = next(kEnds, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (!end) return fail(ErrorCode::kUnavailable, "the encoder does not come to the film's end");
  return GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_ERROR ? trouble(end.get()) : Status{};
}

}  // namespace

Result<std::unique_ptr<film::Film>> make_mp4(const film::Format& format, const std::string& path) {
  if (format.width < film::kLeastSide || format.height < film::kLeastSide || format.width > film::kMostSide ||
      format.height > film::kMostSide || format.width % 4 != 0 || format.height % 2 != 0)
    return fail(
        ErrorCode::kInvalid,
        fmt::format("a film of {} x {}: an .mp4 has {} to {} pixels each way, a multiple of 4 in a row and of 2 "
                    "in a column",
                    format.width, format.height, film::kLeastSide, film::kMostSide));
  if (format.rate < 1 || format.rate > film::kMostRate)
    return fail(ErrorCode::kInvalid, fmt::format("a film has 1 to {} pictures a second", film::kMostRate));
  const auto encoder = encoder_for("h264");
  if (!encoder) return tl::unexpected(encoder.error());
  for (const char* name : {"h264parse", "mp4mux"})
    if (!has_element(name)) return tl::unexpected(lacks_element(name));
  auto out = std::make_unique<Mp4Film>(format);
  if (auto ok = out->begin(**encoder, path); !ok) return tl::unexpected(ok.error());
  return out;
}

}  // namespace convoy::stream

#include "stream/video_stream.h"

#include <fmt/format.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <span>
#define GST_USE_UNSTABLE_API
#include <gst/webrtc/webrtc.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>

#include "stream/bitrate.h"
#include "stream/encoders.h"
#include "stream/gst.h"
#include "stream/ice.h"

namespace convoy::stream {

namespace {

// Elements of GStreamer.
constexpr const char* kOfStream[] = {"appsrc", "videoconvert", "rtpvp8pay", "valve", "jpegenc"};
constexpr const char* kOfPlayers[] = {"webrtcbin", "nicesink", "dtlsenc", "srtpenc", "sctpenc"};

Status has_all(std::span<const char* const> elements) {
  for (const char* name : elements)
    if (!has_element(name)) return tl::unexpected(lacks_element(name));
  return {};
}

constexpr std::uint64_t kMostWaiting = 2;        // pictures that wait for the encoder
constexpr unsigned kMostChannelMessage = 65536;  // bytes
constexpr int kPayload = 96;                     // of RTP, as offered

// As GStreamer has them: "stun://HOST:PORT", "turn://USER:PASSWORD@HOST:PORT?transport=udp".
std::string escaped(const std::string& text) {
  gchar* const raw = g_uri_escape_string(text.c_str(), nullptr, FALSE);
  std::string out = raw;
  g_free(raw);
  return out;
}
std::string gst_address(const VideoIceServer& server) {
  const std::size_t colon = server.url.find(':');
  if (colon == server.url.npos) return {};
  const std::string kind = server.url.substr(0, colon), rest = server.url.substr(colon + 1);
  if (kind == "stun") return "stun://" + rest;
  if (kind != "turn" && kind != "turns") return {};
  return kind + "://" + escaped(server.username) + ":" + escaped(server.credential) + "@" + rest;
}

// One who looks: a branch of the pipeline. Its callbacks come in GStreamer's threads.
struct Player {
  PlayerId id;
  VideoEvents& events;
  GstElement* encoder;  // all of these are the pipeline's
  GstElement* queue = nullptr;
  GstElement* webrtc = nullptr;
  GstPad* from = nullptr;      // of the tee; owned
  GObject* channel = nullptr;  // owned
  std::mutex mutex;
  bool open = false;    // the channel; under the mutex
  PlayerReport report;  // the last one; under the mutex

  Player(PlayerId name, VideoEvents& all, GstElement* source) : id(std::move(name)), events(all), encoder(source) {}
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  ~Player() {
    if (channel != nullptr) g_object_unref(channel);
    if (from != nullptr) gst_object_unref(from);
  }
};
using PlayerPtr = std::shared_ptr<Player>;

void drop_player(gpointer data) { delete static_cast<PlayerPtr*>(data); }
void drop_closure(gpointer data, GClosure*) { drop_player(data); }

// Connects a signal to a function that gets the player as its last argument, and keeps it.
void connect(gpointer object, const char* signal, GCallback call, const PlayerPtr& player) {
  g_signal_connect_data(object, signal, call, new PlayerPtr(player), drop_closure, static_cast<GConnectFlags>(0));
}
Player& of(gpointer data) { return **static_cast<PlayerPtr*>(data); }

// Whoever begins to look, or has lost something, can decode from here on.
void ask_for_key(GstElement* encoder) {
  GstPad* const out = gst_element_get_static_pad(encoder, "src");
  gst_pad_send_event(out, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
  gst_object_unref(out);
}

void on_offer(GstPromise* promise, gpointer data) {
  Player& player = of(data);
  if (gst_promise_wait(promise) != GST_PROMISE_RESULT_REPLIED) return;
  const GstStructure* const reply = gst_promise_get_reply(promise);
  GstWebRTCSessionDescription* offer = nullptr;
  if (reply != nullptr) gst_structure_get(reply, "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &offer, nullptr);
  if (offer == nullptr) return player.events.failed(player.id);
  const Promise local(gst_promise_new());
  g_signal_emit_by_name(player.webrtc, "set-local-description", offer, local.get());
  gchar* const text = gst_sdp_message_as_text(offer->sdp);
  player.events.described(player.id, text);
  g_free(text);
  gst_webrtc_session_description_free(offer);
}

void on_negotiation(GstElement* webrtc, gpointer data) {
  GstPromise* const promise =
      gst_promise_new_with_change_func(on_offer, new PlayerPtr(*static_cast<PlayerPtr*>(data)), drop_player);
  g_signal_emit_by_name(webrtc, "create-offer", nullptr, promise);
}

void on_candidate(GstElement*, guint line, gchar* text, gpointer data) {
  Player& player = of(data);
  player.events.candidate(player.id, text, line);
}

void on_state(GstElement* webrtc, GParamSpec*, gpointer data) {
  Player& player = of(data);
  GstWebRTCPeerConnectionState state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  g_object_get(webrtc, "connection-state", &state, nullptr);
  if (state == GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED) {
    ask_for_key(player.encoder);
    player.events.connected(player.id);
  }
  if (state == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED || state == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED)
    player.events.failed(player.id);
}

void on_channel_open(GObject*, gpointer data) {
  Player& player = of(data);
  {
    const std::scoped_lock lock(player.mutex);
    player.open = true;
  }
  player.events.channel(player.id);
}
void on_channel_close(GObject*, gpointer data) {
  const std::scoped_lock lock(of(data).mutex);
  of(data).open = false;
}
void on_channel_data(GObject*, GBytes* bytes, gpointer data) {
  Player& player = of(data);
  gsize size = 0;
  const auto* const first =
      bytes == nullptr ? nullptr : static_cast<const std::uint8_t*>(g_bytes_get_data(bytes, &size));
  if (first != nullptr && size <= kMostChannelMessage) player.events.message(player.id, Bytes(first, first + size));
}

// What it says of what it got of us.
gboolean of_report(GQuark, const GValue* value, gpointer data) {
  if (!GST_VALUE_HOLDS_STRUCTURE(value)) return TRUE;
  const GstStructure* const one = gst_value_get_structure(value);
  GstWebRTCStatsType type{};
  if (!gst_structure_get(one, "type", GST_TYPE_WEBRTC_STATS_TYPE, &type, nullptr)) return TRUE;
  if (type != GST_WEBRTC_STATS_REMOTE_INBOUND_RTP) return TRUE;
  auto& report = *static_cast<PlayerReport*>(data);
  gint64 lost = 0;
  if (gst_structure_get_int64(one, "packets-lost", &lost))
    report.lost = static_cast<std::uint64_t>(std::max<gint64>(0, lost));
  gst_structure_get_double(one, "fraction-lost", &report.fraction_lost);
  gst_structure_get_double(one, "round-trip-time", &report.round_trip_s);
  report.given = true;
  return TRUE;
}
void on_stats(GstPromise* promise, gpointer data) {
  if (gst_promise_wait(promise) != GST_PROMISE_RESULT_REPLIED) return;
  const GstStructure* const reply = gst_promise_get_reply(promise);
  if (reply == nullptr) return;
  PlayerReport report;
  gst_structure_foreach(reply, of_report, &report);
  const std::scoped_lock lock(of(data).mutex);
  of(data).report = report;
}

void free_bytes(gpointer data) { delete static_cast<Bytes*>(data); }

// What comes out of a sink, as events. Its callback comes in GStreamer's thread.
struct Tap {
  Tap(VideoEvents& all, CodedPicture::Kind its) : events(all), kind(its) {}
  VideoEvents& events;
  CodedPicture::Kind kind;
  std::atomic<bool> wanted{false};
};

GstFlowReturn on_coded(GstAppSink* sink, gpointer data) {
  const Tap& tap = *static_cast<Tap*>(data);
  GstSample* const sample = gst_app_sink_pull_sample(sink);
  if (sample == nullptr) return GST_FLOW_EOS;
  GstBuffer* const buffer = gst_sample_get_buffer(sample);
  GstMapInfo map;
  if (tap.wanted && buffer != nullptr && gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    CodedPicture picture{.kind = tap.kind, .key = true, .time_us = 0, .bytes = Bytes(map.data, map.data + map.size)};
    gst_buffer_unmap(buffer, &map);
    if (tap.kind == CodedPicture::Kind::kVideo)
      picture.key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    if (GST_BUFFER_PTS_IS_VALID(buffer)) picture.time_us = GST_BUFFER_PTS(buffer) / GST_USECOND;
    tap.events.coded(std::move(picture));
  }
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

class Pipeline final : public VideoStream {
 public:
  Pipeline(const VideoFormat& format, const Encoder& encoder, VideoEvents& events)
      : format_(format), encoder_(encoder), events_(events), rate_(format.bitrate), name_(encoder.element) {}
  ~Pipeline() override;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  Status begin();
  void push(Bytes rgb) override;
  Status add(const PlayerId& player, const VideoRoutes& routes) override;
  void remove(const PlayerId& player) override;
  Status answer(const PlayerId& player, const std::string& sdp) override;
  void candidate(const PlayerId& player, const std::string& candidate, unsigned line) override;
  void send(const PlayerId& player, ByteView bytes) override;
  void hand_out(bool video, bool jpeg) override;
  void ask_for_key() override { stream::ask_for_key(compressor_.get()); }
  std::optional<std::uint32_t> adapt() override;
  const std::string& encoder() const override { return name_; }

 private:
  static GstBusSyncReply on_bus(GstBus* bus, GstMessage* message, gpointer data);
  void trouble(GstMessage* message);
  Player* find(const PlayerId& id) const {
    const auto at = players_.find(id);
    return at == players_.end() ? nullptr : at->second.get();
  }
  void set_bitrate();
  void open_valves();
  void listen(const char* sink, CodedPicture::Kind kind);
  Status make_branch(const PlayerPtr& player, const VideoRoutes& routes);
  void detach(Player& player);

  VideoFormat format_;
  const Encoder& encoder_;
  VideoEvents& events_;
  Bitrate rate_;
  std::string name_;
  Gst<GstElement> pipeline_, source_, compressor_, tee_, video_valve_, jpeg_valve_;
  std::vector<std::unique_ptr<Tap>> taps_;
  mutable std::mutex mutex_;  // of players_, for the bus
  std::map<PlayerId, PlayerPtr> players_;
  PlayerPtr leaving_;                          // is being removed; under the mutex
  bool video_out_ = false, jpeg_out_ = false;  // what is handed out
};

Status Pipeline::begin() {
  std::string launch = fmt::format(
      "appsrc name=source is-live=true format=time do-timestamp=true "
      "caps=video/x-raw,format=RGB,width={},height={},framerate={}/1 ! videoconvert n-threads=1 ! "
      "video/x-raw,format=I420 ! tee name=raw ! valve name=video ! {} name=encoder {}{} ! tee name=coded ! "
      "{} pt={} mtu=1200 ! "
      "application/x-rtp,media=video,encoding-name={},payload={} ! tee name=tee allow-not-linked=true "
      "tee. ! queue max-size-buffers=1 leaky=downstream ! fakesink sync=false async=false "
      "coded. ! appsink name=pictures sync=false async=false max-buffers=4 drop=true "
      "raw. ! valve name=jpeg drop=true ! queue max-size-buffers=1 leaky=downstream ! jpegenc quality=80 ! "
      "appsink name=jpegs sync=false async=false max-buffers=4 drop=true",
      format_.width, format_.height, format_.rate, encoder_.element, encoder_.options, encoder_.after, encoder_.payer,
      kPayload, encoder_.encoding, kPayload);
  GError* raw = nullptr;
  GstElement* const made = gst_parse_launch(launch.c_str(), &raw);
  const GErrorPtr error(raw);
  if (made == nullptr || error) {
    if (made != nullptr) gst_object_unref(made);
    return fail(ErrorCode::kUnsupported,
                std::string("this GStreamer makes no such video: ") + (error ? error->message : ""));
  }
  pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(made)));
  const auto part = [&](const char* name) { return Gst<GstElement>(gst_bin_get_by_name(GST_BIN(made), name)); };
  source_ = part("source"), compressor_ = part("encoder"), tee_ = part("tee");
  video_valve_ = part("video"), jpeg_valve_ = part("jpeg");
  listen("pictures", CodedPicture::Kind::kVideo);
  listen("jpegs", CodedPicture::Kind::kJpeg);
  set_bitrate();
  GstBus* const bus = gst_element_get_bus(made);
  gst_bus_set_sync_handler(bus, on_bus, this, nullptr);
  gst_object_unref(bus);
  if (gst_element_set_state(made, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    return fail(ErrorCode::kUnsupported, fmt::format("the encoder {} does not start", encoder_.element));
  return {};
}

void Pipeline::listen(const char* sink, CodedPicture::Kind kind) {
  taps_.push_back(std::make_unique<Tap>(events_, kind));
  const Gst<GstElement> element(gst_bin_get_by_name(GST_BIN(pipeline_.get()), sink));
  GstAppSinkCallbacks calls{};
  calls.new_sample = on_coded;
  gst_app_sink_set_callbacks(GST_APP_SINK(element.get()), &calls, taps_.back().get(), nullptr);
}

void Pipeline::hand_out(bool video, bool jpeg) {
  video_out_ = video, jpeg_out_ = jpeg;
  for (const auto& tap : taps_) tap->wanted = tap->kind == CodedPicture::Kind::kJpeg ? jpeg : video;
  open_valves();
}

// Nothing is encoded that nobody takes.
void Pipeline::open_valves() {
  g_object_set(video_valve_.get(), "drop", players_.empty() && !video_out_ ? TRUE : FALSE, nullptr);
  g_object_set(jpeg_valve_.get(), "drop", jpeg_out_ ? FALSE : TRUE, nullptr);
}

Pipeline::~Pipeline() {
  while (!players_.empty()) remove(PlayerId(players_.begin()->first));
  if (!pipeline_) return;
  GstBus* const bus = gst_element_get_bus(pipeline_.get());
  gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);
  gst_object_unref(bus);
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

GstBusSyncReply Pipeline::on_bus(GstBus*, GstMessage* message, gpointer data) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) static_cast<Pipeline*>(data)->trouble(message);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

// Of one player's branch it ends that player alone.
void Pipeline::trouble(GstMessage* message) {
  GstObject* const where = GST_MESSAGE_SRC(message);
  {
    const std::scoped_lock lock(mutex_);
    const auto is_of = [where](const Player& player) {
      return player.webrtc != nullptr &&
             (where == GST_OBJECT(player.webrtc) || gst_object_has_as_ancestor(where, GST_OBJECT(player.webrtc)) ||
              where == GST_OBJECT(player.queue));
    };
    if (leaving_ && is_of(*leaving_)) return;  // has no more to say
    for (const auto& [id, player] : players_)
      if (is_of(*player)) return events_.failed(id);
  }
  GError* raw = nullptr;
  gst_message_parse_error(message, &raw, nullptr);
  const GErrorPtr error(raw);
  events_.broken(fmt::format("{}: {}", where == nullptr ? "GStreamer" : GST_OBJECT_NAME(where),
                             error ? error->message : "no reason is given"));
}

void Pipeline::push(Bytes rgb) {
  if (gst_app_src_get_current_level_buffers(GST_APP_SRC(source_.get())) >= kMostWaiting) return;
  auto* const owned = new Bytes(std::move(rgb));
  GstBuffer* const buffer = gst_buffer_new_wrapped_full(static_cast<GstMemoryFlags>(0), owned->data(), owned->size(), 0,
                                                        owned->size(), owned, free_bytes);
  gst_app_src_push_buffer(GST_APP_SRC(source_.get()), buffer);
}

Status Pipeline::make_branch(const PlayerPtr& player, const VideoRoutes& routes) {
  if (auto ok = has_all(kOfPlayers); !ok) return ok;
  player->queue = gst_element_factory_make("queue", nullptr);
  player->webrtc = gst_element_factory_make("webrtcbin", nullptr);
  // A second of packets; whoever takes none loses the oldest, and holds up nobody.
  g_object_set(player->queue, "leaky", 2, "max-size-buffers", 2000, "max-size-time", guint64{GST_SECOND},
               "max-size-bytes", 0, nullptr);
  g_object_set(player->webrtc, "bundle-policy", 3 /* max-bundle */, "latency", 0, nullptr);
  for (const VideoIceServer& server : routes.servers) {
    const std::string address = gst_address(server);
    gboolean taken = FALSE;
    if (address.starts_with("stun")) g_object_set(player->webrtc, "stun-server", address.c_str(), nullptr);
    else if (!address.empty()) g_signal_emit_by_name(player->webrtc, "add-turn-server", address.c_str(), &taken);
  }
  if (!routes.addresses.empty()) {
    GObject* agent = nullptr;
    g_object_get(player->webrtc, "ice-agent", &agent, nullptr);
    for (const std::string& address : routes.addresses) {
      gboolean taken = FALSE;
      g_signal_emit_by_name(agent, "add-local-ip-address", address.c_str(), &taken);
      if (!taken) g_object_unref(agent);
      if (!taken) return fail(ErrorCode::kInvalid, "'" + address + "' is no address of this machine");
    }
    g_object_unref(agent);
  }
  gst_bin_add_many(GST_BIN(pipeline_.get()), player->queue, player->webrtc, nullptr);
  connect(player->webrtc, "on-negotiation-needed", G_CALLBACK(on_negotiation), player);
  connect(player->webrtc, "on-ice-candidate", G_CALLBACK(on_candidate), player);
  connect(player->webrtc, "notify::connection-state", G_CALLBACK(on_state), player);
  if (!gst_element_link(player->queue, player->webrtc)) return fail(ErrorCode::kInternal, "webrtcbin takes no video");
  GstWebRTCRTPTransceiver* transceiver = nullptr;
  g_signal_emit_by_name(player->webrtc, "get-transceiver", 0, &transceiver);
  if (transceiver != nullptr) {
    g_object_set(transceiver, "direction", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY, "do-nack", TRUE, nullptr);
    gst_object_unref(transceiver);
  }
  // The channel belongs to the first offer: before negotiation begins, and not before the element is ready.
  gst_element_set_state(player->webrtc, GST_STATE_READY);
  g_signal_emit_by_name(player->webrtc, "create-data-channel", "cirrus", nullptr, &player->channel);
  if (player->channel != nullptr) {
    connect(player->channel, "on-open", G_CALLBACK(on_channel_open), player);
    connect(player->channel, "on-close", G_CALLBACK(on_channel_close), player);
    connect(player->channel, "on-message-data", G_CALLBACK(on_channel_data), player);
  }
  // First they play, then packets come: a branch that flushes would stop the encoder for all.
  gst_element_sync_state_with_parent(player->webrtc);
  gst_element_sync_state_with_parent(player->queue);
  player->from = gst_element_request_pad_simple(tee_.get(), "src_%u");
  GstPad* const into = gst_element_get_static_pad(player->queue, "sink");
  const bool linked = player->from != nullptr && gst_pad_link(player->from, into) == GST_PAD_LINK_OK;
  gst_object_unref(into);
  return linked ? Status{} : fail(ErrorCode::kInternal, "the encoder takes no more players");
}

Status Pipeline::add(const PlayerId& id, const VideoRoutes& routes) {
  remove(id);
  const auto player = std::make_shared<Player>(id, events_, compressor_.get());
  {
    const std::scoped_lock lock(mutex_);
    players_[id] = player;
  }
  open_valves();
  const Status ok = make_branch(player, routes);
  if (!ok) remove(id);
  return ok;
}

struct Unlinking {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};
GstPadProbeReturn unlink(GstPad* from, GstPadProbeInfo*, gpointer data) {
  GstPad* const into = gst_pad_get_peer(from);
  if (into != nullptr) {
    gst_pad_unlink(from, into);
    gst_object_unref(into);
  }
  auto* const unlinking = static_cast<Unlinking*>(data);
  const std::scoped_lock lock(unlinking->mutex);  // who waits ends its life
  unlinking->done = true;
  unlinking->changed.notify_all();
  return GST_PAD_PROBE_REMOVE;
}

// Between two packets.
void Pipeline::detach(Player& player) {
  if (player.from == nullptr) return;
  Unlinking unlinking;
  gst_pad_add_probe(player.from, GST_PAD_PROBE_TYPE_IDLE, unlink, &unlinking, nullptr);
  {
    std::unique_lock lock(unlinking.mutex);
    unlinking.changed.wait(lock, [&] { return unlinking.done; });
  }
  gst_element_release_request_pad(tee_.get(), player.from);
}

void Pipeline::remove(const PlayerId& id) {
  PlayerPtr player;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = players_.find(id);
    if (at == players_.end()) return;
    player = leaving_ = at->second;
    players_.erase(at);
  }
  open_valves();
  detach(*player);
  if (player->webrtc != nullptr) hush(player->webrtc);
  // Whoever is not connected yet holds up what its queue pushes, until it stops itself.
  for (GstElement* const element : {player->webrtc, player->queue}) {
    if (element == nullptr) continue;
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(pipeline_.get()), element);
  }
  {
    const std::scoped_lock lock(mutex_);
    leaving_ = nullptr;
    player->queue = player->webrtc = nullptr;
  }
  // Its signals keep the player, which keeps it.
  if (player->channel != nullptr) g_object_unref(std::exchange(player->channel, nullptr));
}

Status Pipeline::answer(const PlayerId& id, const std::string& sdp) {
  Player* const player = find(id);
  if (player == nullptr) return fail(ErrorCode::kNotFound, "there is no such player");
  GstSDPMessage* message = nullptr;
  if (gst_sdp_message_new_from_text(sdp.c_str(), &message) != GST_SDP_OK)
    return fail(ErrorCode::kInvalid, "the answer is no SDP");
  GstWebRTCSessionDescription* const answer = gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_ANSWER, message);
  const Promise promise(gst_promise_new());
  g_signal_emit_by_name(player->webrtc, "set-remote-description", answer, promise.get());
  gst_webrtc_session_description_free(answer);
  return {};
}

void Pipeline::candidate(const PlayerId& id, const std::string& candidate, unsigned line) {
  if (Player* const player = find(id))
    g_signal_emit_by_name(player->webrtc, "add-ice-candidate", line, candidate.c_str());
}

void Pipeline::send(const PlayerId& id, ByteView bytes) {
  Player* const player = find(id);
  if (player == nullptr || player->channel == nullptr) return;
  {
    const std::scoped_lock lock(player->mutex);
    if (!player->open) return;
  }
  GBytes* const data = g_bytes_new(bytes.data(), bytes.size());
  g_signal_emit_by_name(player->channel, "send-data", data);
  g_bytes_unref(data);
}

std::optional<std::uint32_t> Pipeline::adapt() {
  std::vector<PlayerReport> reports;
  for (const auto& [id, player] : players_) {
    {
      const std::scoped_lock lock(player->mutex);
      reports.push_back(player->report);
    }
    GstPromise* const promise = gst_promise_new_with_change_func(on_stats, new PlayerPtr(player), drop_player);
    g_signal_emit_by_name(player->webrtc, "get-stats", nullptr, promise);
  }
  if (rate_.take(reports)) set_bitrate();
  return rate_.news();
}

void Pipeline::set_bitrate() {
  if (*encoder_.bitrate != '\0')
    g_object_set(compressor_.get(), encoder_.bitrate, static_cast<int>(rate_.kbit() * encoder_.units), nullptr);
}

}  // namespace

Result<std::unique_ptr<VideoStream>> VideoStream::make(const VideoFormat& format, VideoEvents& events) {
  if (format.width < 16 || format.height < 16 || format.width > 4096 || format.height > 4096 || format.width % 4 != 0 ||
      format.height % 2 != 0)
    return fail(ErrorCode::kInvalid,
                fmt::format("a picture of {} x {}: a stream's has 16 to 4096 pixels each way, a multiple of "
                            "4 in a row and of 2 in a column",
                            format.width, format.height));
  if (format.rate < 1 || format.rate > 120) return fail(ErrorCode::kInvalid, "a stream has 1 to 120 pictures a second");
  if (format.bitrate < 50 || format.bitrate > 100'000)
    return fail(ErrorCode::kInvalid, "a stream has 50 to 100000 kbit/s");
  const auto encoder = encoder_for(format.codec);
  if (!encoder) return tl::unexpected(encoder.error());
  if (auto ok = has_all(kOfStream); !ok) return tl::unexpected(ok.error());
  auto out = std::make_unique<Pipeline>(format, **encoder, events);
  if (auto ok = out->begin(); !ok) return tl::unexpected(ok.error());
  return out;
}

Status VideoStream::check() {
  if (const auto encoder = encoder_for("vp8"); !encoder) return tl::unexpected(encoder.error());
  if (auto ok = has_all(kOfStream); !ok) return ok;
  return has_all(kOfPlayers);
}

}  // namespace convoy::stream

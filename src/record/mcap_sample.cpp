// Writes the file that third_party_test.py opens with other people's reader: mcap_sample none|zstd|lz4 FILE
#include <fmt/format.h>

#include <cstdio>

#include "record/foxglove/schema.h"
#include "record/foxglove/transforms.h"
#include "record/mcap_writer.h"

using namespace convoy;

namespace {

class StdioSink final : public ByteSink {
 public:
  explicit StdioSink(std::FILE* file) : file_(file) {}
  Status write(ByteView bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return {};
    return fail(ErrorCode::kUnavailable, "cannot write");
  }
  Status flush() override { return {}; }

 private:
  std::FILE* file_;
};

// 3,000 messages of each of three text channels, 100 of transforms, and every record type that we write. The Python
// side computes the same values.
Status write_sample(McapWriter& file) {
  const auto text = file.add_schema("sample.Text", "jsonschema", as_bytes("{\"type\":\"object\"}"));
  if (!text) return tl::unexpected(text.error());
  const ChannelSchema frames = schema_of(FoxgloveMessage::kFrameTransforms);
  const auto tf = file.add_schema(frames.name, frames.encoding, frames.data);
  if (!tf) return tl::unexpected(tf.error());
  std::vector<std::uint16_t> channels;
  for (int i = 0; i < 3; ++i) {
    const auto id = file.add_channel({.schema_id = *text,
                                      .topic = fmt::format("/robot{}/state", i),
                                      .message_encoding = "json",
                                      .metadata = {{"robot", fmt::format("robot{}", i)}, {"unit", "m"}}});
    if (!id) return tl::unexpected(id.error());
    channels.push_back(*id);
  }
  const auto transforms = file.add_channel({.schema_id = *tf, .topic = "/tf", .message_encoding = "protobuf"});
  const auto unused = file.add_channel({.topic = "/unused", .message_encoding = "json"});
  if (!transforms || !unused) return fail(ErrorCode::kInternal, "no channel");

  Status ok = file.add_metadata({.name = "scenario", .entries = {{"seed", "42"}, {"name", "näme"}}});
  Bytes encoded;
  for (std::uint32_t k = 0; k < 3000 && ok; ++k) {
    const std::uint64_t t = k * 10'000'000ull;
    for (std::size_t i = 0; i < 3 && ok; ++i) {
      // Long enough for several chunks.
      const std::string body = fmt::format("{{\"k\":{},\"robot\":{},\"pad\":\"{:0>300}\"}}", k, i, k * 7919u);
      ok = file.write({.channel_id = channels[i],
                       .sequence = k,
                       .log_time_ns = t + i,
                       .publish_time_ns = t,
                       .data = as_bytes(body)});
    }
    if (!ok || k % 30 != 0) continue;
    const double s = k * 0.25;
    const FrameTransform frames[] = {
        {.parent_frame = "world", .child_frame = "robot0", .X_PC = {.p = {s, -s, 0.5}, .q = {1, 0, 0, 0}}},
        {.parent_frame = "robot0", .child_frame = "lidar", .X_PC = {.p = {0, 0, 1e-300}, .q = {0.5, -0.5, 0.5, -0.5}}}};
    encode_frame_transforms(instant(static_cast<std::int64_t>(t)), frames, encoded);
    ok = file.write(
        {.channel_id = *transforms, .sequence = k / 30, .log_time_ns = t, .publish_time_ns = t, .data = encoded});
    if (ok && k == 1500)
      ok = file.attach(
          {.log_time_ns = t, .name = "scenario.yaml", .media_type = "text/yaml", .data = as_bytes("a: 1\n")});
    if (ok && k % 600 == 0) ok = file.finish_chunk();
  }
  if (!ok) return ok;
  return file.close();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 3 ? argv[1] : "";
  const auto compression = compression_of(name == "none" ? "" : name);
  if (argc != 3 || !compression) return std::fputs("usage: mcap_sample none|zstd|lz4 FILE\n", stderr), 2;
  std::FILE* const out = std::fopen(argv[2], "wb");
  if (!out) return std::perror(argv[2]), 2;
  StdioSink sink(out);
  McapWriter file(sink, {.compression = *compression, .library = "convoy mcap_sample"});
  const Status ok = write_sample(file);
  if (!ok) std::fprintf(stderr, "%s\n", ok.error().message().c_str());
  return std::fclose(out) == 0 && ok ? 0 : 1;
}

#include "record/recording_writer.h"

#include <algorithm>

#include "core/hash.h"

namespace convoy {
namespace {

constexpr const char* kOurs = "application/x-convoy";

}  // namespace

RecordingWriter::RecordingWriter(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text)
    : file_(sink, {.profile = "", .library = "convoy " + head.version}) {
  begin(setup, std::move(head), scenario_text);
}

void RecordingWriter::keep(const Status& status) {
  if (!status && !failure_) failure_ = status.error();
}

void RecordingWriter::begin(const Setup& setup, RecordingHead head, std::string_view scenario_text) {
  const Bytes setup_bytes = save(setup);
  head.setup_hash = hash64(setup_bytes);
  const Bytes head_bytes = save(head);
  keep(file_.attach({.name = topic::kHead, .media_type = kOurs, .data = head_bytes}));
  keep(file_.attach({.name = topic::kSetup, .media_type = kOurs, .data = setup_bytes}));
  if (!scenario_text.empty())
    keep(file_.attach({.name = topic::kScenario, .media_type = "application/yaml", .data = as_bytes(scenario_text)}));
  keep(file_.add_metadata({.name = "convoy",
                           .entries = {{"version", head.version},
                                       {"build", head.build},
                                       {"numeric_fingerprint", hex16(head.fingerprint)},
                                       {"protocol", std::to_string(head.protocol)},
                                       {"layout", std::to_string(head.layout)},
                                       {"mode", head.mode},
                                       {"seed", std::to_string(setup.seed)},
                                       {"scenario", head.scenario},
                                       {"setup", hex16(head.setup_hash)},
                                       {"tick_ns", std::to_string(nanos(setup.tick))}}}));
}

RecordingWriter::Line RecordingWriter::add_line(const std::string& name, std::uint16_t schema,
                                                const std::string& encoding, const char* help) {
  auto id = file_.add_channel(
      {.schema_id = schema, .topic = name, .message_encoding = encoding, .metadata = {{"what", help}}});
  if (!id) keep(tl::unexpected(id.error()));
  return {id.value_or(0), 0};
}

RecordingWriter::Line RecordingWriter::line(const char* name, const char* help) {
  return add_line(name, 0, "x-convoy", help);
}

RecordingWriter::Line RecordingWriter::line(const std::string& name, const ChannelSchema& schema, const char* help) {
  auto known = schemas_.find(schema.name);
  if (known == schemas_.end()) {
    const auto id = file_.add_schema(schema.name, schema.encoding, schema.data);
    if (!id) keep(tl::unexpected(id.error()));
    known = schemas_.emplace(schema.name, id.value_or(0)).first;
  }
  return add_line(name, known->second, schema.message_encoding, help);
}

void RecordingWriter::write(Line& to, std::uint64_t time_ns, ByteView bytes) {
  if (failure_ || closed_) return;
  if (time_ns >= chunk_ends_ns_) {
    if (chunk_ends_ns_ > 0) keep(file_.finish_chunk());
    chunk_ends_ns_ = time_ns + static_cast<std::uint64_t>(nanos(kChunkEvery));
  }
  keep(file_.write({.channel_id = to.channel,
                    .sequence = to.sequence++,
                    .log_time_ns = time_ns,
                    .publish_time_ns = time_ns,
                    .data = bytes}));
}

void RecordingWriter::write_pieces(Line& to, Place place, std::uint64_t time_ns, const Bytes& whole) {
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(kPiece, whole.size() - at);
    Piece piece{place.run, place.tick, at + n == whole.size(), {}};
    piece.bytes.assign(whole.begin() + static_cast<std::ptrdiff_t>(at),
                       whole.begin() + static_cast<std::ptrdiff_t>(at + n));
    write(to, time_ns, save(piece));
    at += n;
  } while (at < whole.size());
}

void RecordingWriter::code(std::span<const CodeFile> files) {
  if (failure_ || closed_) return;
  const Bytes list = save(CodeList{{files.begin(), files.end()}});
  keep(file_.attach({.name = topic::kCode, .media_type = kOurs, .data = list}));
  std::map<std::string, std::string> entries;
  for (const CodeFile& file : files) entries[file.name] = hex16(file.hash);
  keep(file_.add_metadata({.name = topic::kCode, .entries = entries}));
}

void RecordingWriter::on_time(Moment now) {
  if (closed_ || failure_ || now < chunk_due_) return;
  chunk_due_ = now + kChunkEvery;
  keep(file_.finish_chunk());
}

Status RecordingWriter::close() {
  if (!closed_) {
    closed_ = true;
    if (!failure_) keep(file_.close());
  }
  return failure_ ? Status(tl::unexpected(*failure_)) : Status{};
}

}  // namespace convoy

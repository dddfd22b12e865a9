#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/hash.h"
#include "core/random.h"
#include "record/crc32.h"
#include "record/mcap_reader.h"
#include "record/mcap_writer.h"

namespace mcap_test {

using namespace convoy;

namespace {

constexpr Compression kAll[] = {Compression::kNone, Compression::kZstd, Compression::kLz4};

std::string body_of(std::uint32_t k) { return fmt::format("message {} {:-<{}}", k, "", k % 40); }

std::string line(const MessageView& m) {
  return fmt::format("{} {} {} {}\n", m.channel->topic, m.sequence, m.log_time_ns, as_text(m.data));
}

// A small file of every record type: three chunks of 12 messages on two channels, times 10 ns apart.
struct Sample {
  Bytes bytes;
  std::string messages;  // in file order
  std::vector<std::string> lines;
  std::vector<std::uint64_t> chunk_ends;  // offsets after each chunk record
};

Sample sample(Compression compression) {
  Sample out;
  MemorySink sink;
  McapWriter file(sink, {.compression = compression});
  const auto schema = file.add_schema("Text", "jsonschema", as_bytes("{}"));
  std::vector<std::uint16_t> ids;
  for (const char* topic : {"/a", "/b"})
    ids.push_back(*file.add_channel(
        {.schema_id = *schema, .topic = topic, .message_encoding = "json", .metadata = {{"k", "v"}}}));
  REQUIRE(file.add_metadata({.name = "meta", .entries = {{"seed", "42"}}}));
  for (std::uint32_t k = 0; k < 36; ++k) {
    const std::string body = body_of(k);
    REQUIRE(file.write({.channel_id = ids[k % 2],
                        .sequence = k,
                        .log_time_ns = 100 + 10 * k,
                        .publish_time_ns = k,
                        .data = as_bytes(body)}));
    out.lines.push_back(fmt::format("{} {} {} {}\n", k % 2 ? "/b" : "/a", k, 100 + 10 * k, body));
    out.messages += out.lines.back();
    if (k % 12 == 11) REQUIRE(file.finish_chunk());
    if (k == 20)
      REQUIRE(file.attach({.log_time_ns = 5, .name = "note", .media_type = "text/plain", .data = as_bytes("hello")}));
  }
  REQUIRE(file.close());
  out.bytes = std::move(sink.bytes);
  const auto reader = McapReader::open(out.bytes);
  REQUIRE(reader);
  for (const auto& chunk : reader->chunks()) out.chunk_ends.push_back(chunk.offset + chunk.length);
  return out;
}

std::string between(const McapReader& reader, std::uint64_t from, std::uint64_t to) {
  std::string seen;
  const Status ok = reader.messages_between(from, to, [&](const MessageView& m) -> Status {
    seen += line(m);
    return {};
  });
  return ok ? seen : seen + "error: " + ok.error().text;
}

// Everything that the readers hand over of damaged bytes must be of the sample, whatever else they report of them.
void check_nothing_false(const Sample& truth, ByteView bytes, bool& noticed) {
  std::size_t strangers = 0, count = 0;
  const auto see = [&](const MessageView& m) -> Status {
    ++count;
    if (m.sequence >= truth.lines.size() || truth.lines[m.sequence] != line(m) || !m.schema || m.schema->name != "Text")
      ++strangers;
    return {};
  };
  const auto report = scan_mcap(bytes, {.message = see, .attachment = [&](const mcap::Attachment& a, bool) -> Status {
                                          if (a.name != "note" || as_text(a.data) != "hello") ++strangers;
                                          return {};
                                        }});
  noticed = !report || !report->intact();
  if (report && report->intact()) CHECK(count == truth.lines.size());
  if (const auto reader = McapReader::open(bytes)) {
    (void)reader->messages_between(0, UINT64_MAX, see);
    for (const auto& index : reader->attachments())
      if (const auto a = reader->attachment(index); a && as_text(a->data) != "hello") ++strangers;
    for (const auto& index : reader->metadata()) (void)reader->metadata(index);
  }
  CHECK(strangers == 0);
}

class FailingSink final : public ByteSink {
 public:
  explicit FailingSink(int writes) : left_(writes) {}
  Status write(ByteView) override {
    if (left_-- > 0) return {};
    return fail(ErrorCode::kUnavailable, "disk full");
  }
  Status flush() override { return {}; }

 private:
  int left_;
};

}  // namespace

TEST_CASE("crc32 gives the published check value, in one piece or several") {
  const ByteView nine = as_bytes("123456789");
  CHECK(crc32(nine) == 0xCBF43926u);
  CHECK(crc32(nine.subspan(4), crc32(nine.first(4))) == 0xCBF43926u);
  CHECK(crc32({}) == 0);
}

TEST_CASE("what was written is read again, with each compression") {
  for (const Compression compression : kAll) {
    CAPTURE(compression_name(compression));
    const Sample s = sample(compression);
    const auto reader = McapReader::open(s.bytes);
    REQUIRE(reader);

    std::string seen;
    const Status ok = reader->messages([&](const MessageView& m) -> Status {
      CHECK(m.checked);
      seen += line(m);
      return {};
    });

    CHECK(ok);
    CHECK(seen == s.messages);
    CHECK(between(*reader, 0, UINT64_MAX) == s.messages);
    CHECK(reader->header().library == "convoy");
    CHECK(reader->statistics().message_count == 36);
    CHECK(reader->statistics().start_ns == 100);
    CHECK(reader->statistics().end_ns == 450);
    CHECK(reader->chunks().size() == 3);
    CHECK(reader->channels().at(1).metadata.at("k") == "v");
    CHECK(reader->schemas().at(1).encoding == "jsonschema");
    REQUIRE(reader->attachments().size() == 1);
    CHECK(as_text(reader->attachment(reader->attachments()[0])->data) == "hello");
    REQUIRE(reader->metadata().size() == 1);
    CHECK(reader->metadata(reader->metadata()[0])->entries.at("seed") == "42");
    CHECK(sample(compression).bytes == s.bytes);
  }
}

TEST_CASE("a span of time gives its messages only, from the chunks that hold them") {
  const Sample s = sample(Compression::kZstd);
  const auto reader = McapReader::open(s.bytes);
  REQUIRE(reader);

  CHECK(between(*reader, 210, 230) == s.lines[11] + s.lines[12]);
  CHECK(between(*reader, 450, 451) == s.lines[35]);
  CHECK(between(*reader, 0, 100) == "");
  CHECK(between(*reader, 451, UINT64_MAX) == "");

  Bytes broken = s.bytes;
  broken[reader->chunks()[0].offset + 60] ^= 1;
  const auto partly = McapReader::open(broken);
  REQUIRE(partly);
  CHECK(between(*partly, 230, 240) == s.lines[13]);
  CHECK(between(*partly, 100, 110).find(fmt::format("byte {}: chunk", reader->chunks()[0].offset)) !=
        std::string::npos);
}

TEST_CASE("chunks that overlap in time are merged by log time, and equal times keep the order of the file") {
  MemorySink sink;
  McapWriter file(sink, {});
  const auto channel = file.add_channel({.topic = "/t", .message_encoding = "x"});
  const std::uint64_t times[] = {50, 10, 30, 30, 70, 30, 20, 90, 60};
  for (std::uint32_t k = 0; k < 9; ++k) {
    REQUIRE(file.write({.channel_id = *channel, .sequence = k, .log_time_ns = times[k]}));
    if (k % 3 == 2) REQUIRE(file.finish_chunk());
  }
  REQUIRE(file.close());

  std::string order;
  const auto reader = McapReader::open(sink.bytes);
  REQUIRE(reader);
  REQUIRE(reader->messages_between(0, 80, [&](const MessageView& m) -> Status {
    order += fmt::format("{}@{} ", m.sequence, m.log_time_ns);
    return {};
  }));
  CHECK(order == "1@10 6@20 2@30 3@30 5@30 0@50 8@60 4@70 ");
}

TEST_CASE("a file without messages, and one without anything, are whole files") {
  for (const bool channel : {false, true}) {
    MemorySink sink;
    McapWriter file(sink);
    if (channel) REQUIRE(file.add_channel({.topic = "/t", .message_encoding = "x"}));
    REQUIRE(file.close());

    const auto reader = McapReader::open(sink.bytes);
    REQUIRE(reader);
    CHECK(between(*reader, 0, UINT64_MAX) == "");
    CHECK(scan_mcap(sink.bytes)->text() == "intact");
    CHECK(reader->channels().size() == (channel ? 1 : 0));
  }
}

TEST_CASE("no bytes are a cut file, and other bytes are none of ours") {
  CHECK(!McapReader::open({}));
  const auto report = scan_mcap({});
  REQUIRE(report);
  CHECK(report->text() == "cut: whole up to byte 0");
  CHECK(scan_mcap(as_bytes("not a recording")).error().text == "byte 0: not an MCAP file");
}

TEST_CASE("a file larger than a chunk has chunks within the bound, and a message beyond it has its own") {
  for (const Compression compression : kAll) {
    MemorySink sink;
    McapWriter file(sink, {.compression = compression});
    const auto channel = file.add_channel({.topic = "/t", .message_encoding = "x"});
    Random random{stream_key(1, 2, "mcap test")};
    Bytes body(100'000);
    for (auto& b : body) b = static_cast<std::uint8_t>(random.bits());
    const Bytes large(2 * kChunkSize, 7);
    for (std::uint32_t k = 0; k < 30; ++k)
      REQUIRE(file.write({.channel_id = *channel, .sequence = k, .log_time_ns = k, .data = k == 20 ? large : body}));
    REQUIRE(file.close());

    const auto reader = McapReader::open(sink.bytes);
    REQUIRE(reader);
    CHECK(reader->chunks().size() == 3 + 1 + 2);
    for (const auto& chunk : reader->chunks())
      CHECK((chunk.plain_size <= kChunkSize || chunk.start_ns == chunk.end_ns));
    std::uint32_t k = 0;
    CHECK(reader->messages([&](const MessageView& m) -> Status {
      CHECK(m.sequence == k);
      CHECK(m.data.size() == (k == 20 ? large : body).size());
      ++k;
      return {};
    }));
    CHECK(k == 30);
  }
}

TEST_CASE("a file cut at any byte gives the messages of its whole chunks, and reports where it ends") {
  for (const Compression compression : kAll) {
    const Sample s = sample(compression);
    for (std::size_t n = 0; n < s.bytes.size(); ++n) {
      const Bytes head(s.bytes.begin(), s.bytes.begin() + static_cast<std::ptrdiff_t>(n));  // exact, for the sanitizer
      std::size_t chunks = 0;
      while (chunks < s.chunk_ends.size() && s.chunk_ends[chunks] <= n) ++chunks;
      std::string expected, seen;
      for (std::size_t k = 0; k < 12 * chunks; ++k) expected += s.lines[k];

      const auto report = scan_mcap(head, {.message = [&](const MessageView& m) -> Status {
                                      seen += line(m);
                                      return {};
                                    }});

      REQUIRE(report);
      REQUIRE(seen == expected);
      REQUIRE(report->cut);
      REQUIRE(report->damages.empty());
      REQUIRE(report->whole <= n);
      REQUIRE(report->chunks == chunks);
      REQUIRE(!McapReader::open(head));
    }
  }
}

TEST_CASE("no flipped bit passes unseen or changes a message that is handed over") {
  for (const Compression compression : kAll) {
    const Sample s = sample(compression);
    Bytes bytes = s.bytes;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      bool noticed = false;
      check_nothing_false(s, bytes, noticed);
      CAPTURE(bit);
      CHECK(noticed);
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
  }
}

TEST_CASE("in a file that is cut as well, what a flipped bit falsifies is not called checked") {
  const Sample s = sample(Compression::kZstd);
  Bytes bytes(s.bytes.begin(), s.bytes.begin() + static_cast<std::ptrdiff_t>(s.chunk_ends[2] + 40));
  for (std::size_t bit = 8 * mcap::kMagic.size(); bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    std::size_t strangers = 0;
    const auto report = scan_mcap(bytes, {.message = [&](const MessageView& m) -> Status {
                                    if (m.checked && (m.sequence >= s.lines.size() || s.lines[m.sequence] != line(m)))
                                      ++strangers;
                                    return {};
                                  }});
    CHECK(report->cut);
    CHECK(strangers == 0);
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

TEST_CASE("the bytes of an uncompressed file never change, whatever compiler and machine") {
  CHECK(hex16(hash64(sample(Compression::kNone).bytes)) == "1413572f5cebc5c2");
}

TEST_CASE("bytes at random places may be anything: no crash, and no false message") {
  Random random{stream_key(5, 1, "mcap test")};
  for (const Compression compression : kAll) {
    const Sample s = sample(compression);
    for (int round = 0; round < 3000; ++round) {
      Bytes bytes = s.bytes;
      const int changes = 1 + static_cast<int>(random.below(8));
      for (int i = 0; i < changes; ++i)
        bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^=
            static_cast<std::uint8_t>(1 + random.below(255));
      bytes.resize(bytes.size() - random.below(3) * random.below(200));
      bytes.shrink_to_fit();
      bool noticed = false;
      check_nothing_false(s, bytes, noticed);
      CHECK(noticed);
    }
  }
}

TEST_CASE("a damaged chunk is named by its offset, and the others are read") {
  const Sample s = sample(Compression::kNone);
  const std::uint64_t second = McapReader::open(s.bytes)->chunks()[1].offset;
  Bytes bytes = s.bytes;
  bytes[s.chunk_ends[1] - 1] ^= 0x40;

  std::string seen, expected;
  const auto report = scan_mcap(bytes, {.message = [&](const MessageView& m) -> Status {
                                  seen += line(m);
                                  return {};
                                }});

  for (std::size_t k = 0; k < 36; ++k)
    if (k / 12 != 1) expected += s.lines[k];
  REQUIRE(report);
  CHECK(seen == expected);
  CHECK(!report->cut);
  REQUIRE(report->damages.size() == 2);
  CHECK(report->damages[0].offset == second);
  CHECK(report->damages[0].text.find("chunk: CRC") == 0);
  CHECK(report->damages[1].text == "the CRC of the data section is wrong");
  const Status strict = McapReader::open(bytes)->messages([](const MessageView&) -> Status { return {}; });
  CHECK(strict.error().text.find(fmt::format("byte {}: chunk: CRC", second)) == 0);
}

TEST_CASE("a chunk whose length is wrong costs that chunk only, while the summary is intact") {
  const Sample s = sample(Compression::kLz4);
  const std::uint64_t second = McapReader::open(s.bytes)->chunks()[1].offset;
  Bytes bytes = s.bytes;
  bytes[second + 8] ^= 0x80;

  const auto report = scan_mcap(bytes);

  REQUIRE(report);
  CHECK(report->messages == 24);
  CHECK(report->damages[0] == Damage{second, "a record runs past the end of the file"});
}

TEST_CASE("a chunk that claims more than its bytes can hold is refused before memory is taken") {
  for (const Compression compression : kAll) {
    const Bytes packed = *pack(compression, Bytes(100, 1));
    CHECK(unpack(compression, packed, 100)->size() == 100);
    CHECK(!unpack(compression, packed, kMaxUnpacked + 1));
    CHECK(!unpack(compression, packed, UINT64_MAX));
    CHECK(!unpack(compression, packed, kMaxUnpacked));
    CHECK(!unpack(compression, packed, 99));
    CHECK(!unpack(compression, packed, 101));
  }
  const Bytes zeros(32u << 20);
  for (const Compression compression : kAll) {
    const Bytes packed = *pack(compression, zeros);
    CHECK(*unpack(compression, packed, zeros.size()) == zeros);
  }
}

TEST_CASE("a failing sink is reported at once and ever after") {
  for (int writes = 0; writes < 6; ++writes) {
    FailingSink sink(writes);
    McapWriter file(sink);
    const auto channel = file.add_channel({.topic = "/t", .message_encoding = "x"});
    Status ok;
    if (channel) ok = file.write({.channel_id = *channel});
    if (ok) ok = file.close();

    CHECK(file.close().error().text == (writes < 6 && !ok ? "disk full"
                                        : channel         ? "the recording is closed"
                                                          : "disk full"));
  }
}

TEST_CASE("what the writer refuses leaves the file as it was") {
  MemorySink sink;
  McapWriter file(sink);
  const auto channel = file.add_channel({.topic = "/t", .message_encoding = "x"});
  REQUIRE(file.write({.channel_id = *channel, .data = as_bytes("one")}));

  CHECK(file.write({.channel_id = 9}).error().code == ErrorCode::kNotFound);
  CHECK(file.write({.channel_id = *channel, .data = Bytes(kMaxMessage + 1)}).error().code == ErrorCode::kInvalid);
  CHECK(file.add_channel({.schema_id = 3, .topic = "/u"}).error().code == ErrorCode::kNotFound);
  CHECK(file.add_channel({.topic = "\xff"}).error().code == ErrorCode::kInvalid);
  CHECK(file.add_metadata({.name = "m", .entries = {{"k", "\xc0\x80"}}}).error().code == ErrorCode::kInvalid);

  REQUIRE(file.close());
  CHECK(file.write({.channel_id = *channel}).error().code == ErrorCode::kState);
  CHECK(scan_mcap(sink.bytes)->text() == "intact");
  CHECK(scan_mcap(sink.bytes)->messages == 1);
}

TEST_CASE("messages outside of chunks, as others write them, are read; checked only under a CRC") {
  for (const bool with_crc : {true, false}) {
    Bytes bytes(mcap::kMagic.begin(), mcap::kMagic.end());
    append(bytes, mcap::Header{.profile = "", .library = "other"});
    append(bytes, mcap::Channel{.id = 4, .topic = "/t", .message_encoding = "x"});
    append(bytes, mcap::Message{.channel_id = 4, .sequence = 1, .log_time_ns = 9, .data = as_bytes("plain")});
    mcap::append_data_end(bytes, with_crc ? crc32(bytes) : 0);
    append(bytes, mcap::Footer{});
    bytes.insert(bytes.end(), mcap::kMagic.begin(), mcap::kMagic.end());

    std::string seen;
    const auto reader = McapReader::open(bytes);
    REQUIRE(reader);
    CHECK(reader->messages([&](const MessageView& m) -> Status {
      CHECK(m.checked == with_crc);
      seen += line(m);
      return {};
    }));
    CHECK(seen == "/t 1 9 plain\n");
    CHECK(between(*reader, 0, 10) == "error: the file has no index by time");
  }
}

}  // namespace mcap_test

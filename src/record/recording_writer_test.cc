#include "record/recording_writer.h"

#include <doctest/doctest.h>

#include "record/mcap_reader.h"

namespace recording_writer_test {

using namespace convoy;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

struct Rig {
  MemorySink sink;
  Setup setup;
  RecordingWriter file{sink, setup, {}, ""};
  RecordingWriter::Line line = file.line("/test", "test");

  void write(std::uint64_t time_ns) { file.write(line, time_ns, as_bytes("a record")); }
};

// The log time of the last message of which all is there.
std::uint64_t last_whole(ByteView bytes) {
  std::uint64_t last = 0;
  const auto note = [&](const MessageView& m) {
    last = m.log_time_ns;
    return Status{};
  };
  REQUIRE(scan_mcap(bytes, {.message = note}).has_value());
  return last;
}

}  // namespace

TEST_CASE("a file that is cut in its last chunk lacks less than a second of simulated time, however fast the run was") {
  Rig dut;
  for (std::uint64_t i = 0; i <= 3050; ++i) dut.write(i * kSecond / 100);

  CHECK(last_whole(dut.sink.bytes) == 30 * kSecond - kSecond / 100);
  REQUIRE(dut.file.close().has_value());
  CHECK(last_whole(dut.sink.bytes) == 30 * kSecond + kSecond / 2);
}

TEST_CASE("a crash loses less than a second of the host's clock, however slow the run is, and when it stands") {
  Rig dut;
  Moment now = Moment{} + std::chrono::hours(1);
  dut.file.on_time(now);
  std::uint64_t written = 0;
  for (int i = 0; i < 200; ++i) {  // a tick every 50 ms, of 1 ms each
    now += std::chrono::milliseconds(50);
    dut.write(written += kSecond / 1000);
    dut.file.on_time(now);
    CHECK(written - last_whole(dut.sink.bytes) <= 20 * kSecond / 1000);
  }

  now += std::chrono::minutes(5);  // paused, but for one step
  dut.write(++written);
  dut.file.on_time(now);
  CHECK(last_whole(dut.sink.bytes) == written);
}

TEST_CASE("a writer whose sink fails is silent from then on, and has the reason") {
  struct Full final : ByteSink {
    int left = 12;
    Status write(ByteView) override { return left-- > 0 ? Status{} : fail(ErrorCode::kUnavailable, "no space left"); }
    Status flush() override { return {}; }
  } sink;
  Setup setup;
  RecordingWriter dut(sink, setup, {}, "");
  auto line = dut.line("/test", "test");
  for (std::uint64_t i = 0; i < 20; ++i) dut.write(line, i * kSecond, as_bytes("a record"));

  REQUIRE(dut.failure().has_value());
  CHECK(dut.failure()->text == "no space left");
  CHECK_FALSE(dut.close().has_value());
}

}  // namespace recording_writer_test

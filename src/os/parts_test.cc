// The small parts: files, addresses, terminal, machine, clock.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/address.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/terminal.h"

namespace parts_test {

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("a file is read as it was written, and not beyond the limit") {
  const auto directory = os::TempDirectory::create();
  REQUIRE(directory.has_value());
  const std::string path = directory->path() + "/a/b/file";
  REQUIRE(os::make_directories(directory->path() + "/a/b").has_value());
  REQUIRE(os::make_directories(directory->path() + "/a/b").has_value());

  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{100'000}}) {
    const Bytes bytes(size, 7);
    REQUIRE(os::write_file(path, bytes).has_value());
    CHECK(os::read_file(path) == bytes);
    CHECK(os::read_file(path, size) == bytes);
    const auto mapped = os::MappedFile::open(path);
    REQUIRE(mapped.has_value());
    CHECK(std::equal(mapped->bytes().begin(), mapped->bytes().end(), bytes.begin(), bytes.end()));
  }

  CHECK(os::read_file(path, 99'999).error().text == path + " is longer than the 99999 bytes allowed here");
  CHECK(os::read_file("/nonexistent").error().text == "cannot open /nonexistent: No such file or directory");
  CHECK(os::read_file("/nonexistent").error().code == ErrorCode::kNotFound);
  CHECK_FALSE(os::read_file(directory->path()).has_value());
  CHECK(os::read_file("/proc/self/status")->size() > 100);
  CHECK_FALSE(os::write_file("/nonexistent/x", "text").has_value());
}

TEST_CASE("an append file keeps what was there, counts, and remembers that it failed") {
  const auto directory = os::TempDirectory::create();
  REQUIRE(directory.has_value());
  const std::string path = directory->path() + "/log";
  using Mode = os::AppendFile::Mode;
  {
    auto file = os::AppendFile::open(path, Mode::kNew);
    REQUIRE(file.has_value());
    REQUIRE(file->write(as_bytes("one ")).has_value());
    CHECK(os::read_text(path) == "");
    REQUIRE(file->sync().has_value());
    CHECK(os::read_text(path) == "one ");
    REQUIRE(file->write(as_bytes("two ")).has_value());
  }
  auto file = os::AppendFile::open(path, Mode::kAppend);
  REQUIRE(file.has_value());
  CHECK(file->size() == 8);
  REQUIRE(file->write(as_bytes("three")).has_value());
  REQUIRE(file->write(Bytes(300'000, '.')).has_value());
  REQUIRE(file->flush().has_value());
  CHECK(os::read_text(path) == "one two three" + std::string(300'000, '.'));

  auto full = os::AppendFile::open("/dev/full", Mode::kAppend);
  REQUIRE(full.has_value());
  REQUIRE(full->write(as_bytes("x")).has_value());
  CHECK(full->flush().error().text == "cannot write /dev/full: No space left on device");
  CHECK_FALSE(full->write(as_bytes("x")).has_value());
}

TEST_CASE("a temporary directory goes with its contents") {
  std::string path;
  {
    const auto directory = os::TempDirectory::create("convoy-test");
    REQUIRE(directory.has_value());
    path = directory->path();
    REQUIRE(os::write_file(path + "/file", "text").has_value());
    CHECK(os::exists(path));
  }
  CHECK_FALSE(os::exists(path));
}

TEST_CASE("addresses go from text to endpoint and back") {
  CHECK(os::parse_host_port("127.0.0.1:7447") == os::HostPort{"127.0.0.1", 7447});
  CHECK(os::parse_host_port("[::1]:0") == os::HostPort{"::1", 0});
  CHECK(os::parse_host_port("a.example:1") == os::HostPort{"a.example", 1});
  for (const char* bad :
       {"", ":", ":1", "a", "a:", "a:x", "a:-1", "a:65536", "::1:7447", "[::1]", "[::1]7", "[::1", "a:1 "}) {
    CHECK_FALSE(os::parse_host_port(bad).has_value());
  }
  CHECK(os::endpoint_text(os::ipv4(10, 1, 2, 3, 99)) == "10.1.2.3:99");
  for (const char* text : {"127.0.0.1:5", "[::1]:7", "[2001:db8::1:2]:65535"}) {
    const auto found = os::resolve(*os::parse_host_port(text));
    REQUIRE(found.has_value());
    CHECK(os::endpoint_text(found->front()) == text);
    const int family = os::family_of(found->front());
    CHECK(os::from_socket_address(os::to_socket_address(found->front(), family)) == found->front());
  }
  const Endpoint v4 = os::ipv4(127, 0, 0, 1, 5);
  CHECK(os::from_socket_address(os::to_socket_address(v4, AF_INET6)) == v4);
  CHECK(os::is_loopback(v4));
  CHECK_FALSE(os::is_loopback(os::ipv4(128, 0, 0, 1, 5)));
}

TEST_CASE("lines are escaped and bounded, levels filter") {
  CHECK(os::escape_line("a\nb\t\x1b[2J\x7f") == "a\\nb\\t\\x1b[2J\\x7f");
  CHECK(os::escape_line("gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x9a") == "gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x9a");
  CHECK(os::escape_line("\xc3(\xc0\x80\xed\xa0\x80") == "\\xc3(\\xc0\\x80\\xed\\xa0\\x80");
  CHECK(os::escape_line("\xe2\x80\xae") == "\\xe2\\x80\\xae");
  CHECK(os::escape_line("abcdef", 3) == "abc...");

  const auto directory = os::TempDirectory::create();
  REQUIRE(directory.has_value());
  const std::string path = directory->path() + "/log";
  const os::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  {
    os::StderrLog log(LogLevel::kInfo, fd.get(), false);
    log.line(LogLevel::kDebug, "hidden");
    log.line(LogLevel::kInfo, "seen\nforged: line");
    log.line(LogLevel::kWarn, "odd");
    log.status("early", Moment(1s));
    log.status("later", Moment(12s));
    log.status("too soon", Moment(13s));
  }
  CHECK(os::read_text(path) == "convoy: seen\\nforged: line\nconvoy: warning: odd\nconvoy: later\n");
  CHECK(os::parse_log_level("warn") == LogLevel::kWarn);
  CHECK_FALSE(os::parse_log_level("loud").has_value());
}

TEST_CASE("on a terminal the status line gives way to log lines and comes back") {
  const auto directory = os::TempDirectory::create();
  REQUIRE(directory.has_value());
  const std::string path = directory->path() + "/log";
  const os::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  {
    os::StderrLog log(LogLevel::kInfo, fd.get(), true);
    log.status("1 %", Moment(1s));
    log.status("skipped", Moment(1s + 1ms));
    log.line(LogLevel::kInfo, "text");
    log.status("2 %", Moment(2s));
  }
  CHECK(os::read_text(path) == "\r\x1b[K1 %\r\x1b[Kconvoy: text\n1 %\r\x1b[K2 %\r\x1b[K");
}

TEST_CASE("the machine is described") {
  CHECK(os::cores() >= 1);
  CHECK(os::raise_descriptor_limit().soft == os::descriptor_limit().hard);
  CHECK(os::memory().total_bytes > os::memory().resident_bytes);
  CHECK(os::memory().resident_bytes > 0);
  CHECK(os::build_id() != 0);
  CHECK(os::build_id() == os::build_id());
  CHECK(os::build_id_of(*os::executable_path()) == os::build_id());  // read from the file as from memory
  CHECK(os::build_id_of("/etc/hostname") == 0);
  CHECK(os::build_id_of("/nowhere") == 0);
  CHECK_FALSE(os::host_name().empty());
  CHECK(os::kernel().find("Linux ") == 0);
  CHECK_FALSE(os::hwcaps().empty());
  CHECK(os::executable_path()->find("os_test") != std::string::npos);
}

TEST_CASE("clocks run forward") {
  const Moment before = os::now();
  const Duration cpu = os::thread_cpu_time();
  CHECK(os::now() >= before);
  CHECK(os::thread_cpu_time() >= cpu);
  CHECK(os::process_cpu_time() > Duration::zero());
  CHECK(os::unix_time() > 1.5e9);
}

}  // namespace parts_test

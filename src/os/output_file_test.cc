#include "os/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "os/file.h"

namespace output_file_test {

using namespace convoy;
namespace fs = std::filesystem;

namespace {

struct Folder {
  os::TempDirectory directory = std::move(*os::TempDirectory::create());
  std::string operator/(const std::string& name) const { return directory.path() + "/" + name; }
  std::size_t files() const {
    std::size_t n = 0;
    for (const auto& entry : fs::directory_iterator(directory.path())) n += !entry.path().empty();
    return n;
  }
};

}  // namespace

TEST_CASE("an output file leaves what was there as it was until it is written") {
  const Folder folder;
  const std::string path = folder / "file";
  REQUIRE(os::write_file(path, "old").has_value());
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  auto file = os::OutputFile::open(path);
  REQUIRE(file.has_value());
  CHECK(os::read_text(path) == "old");
  CHECK(folder.files() == 1);

  REQUIRE(file->write(as_bytes("new")).has_value());

  CHECK(os::read_text(path) == "new");
  CHECK(folder.files() == 1);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
}

TEST_CASE("an output file that is never written leaves nothing") {
  const Folder folder;
  REQUIRE(os::OutputFile::open(folder / "file").has_value());
  CHECK(folder.files() == 0);
}

TEST_CASE("where nothing can be written, opening fails and says why") {
  const Folder folder;
  const auto text_of = [](const std::string& path) { return os::OutputFile::open(path).error().text; };
  CHECK(text_of("/nonexistent/x") == "cannot create /nonexistent/x: No such file or directory");
  CHECK(text_of(folder.directory.path()) == "cannot write " + folder.directory.path() + ": Is a directory");
  REQUIRE(os::write_file(folder / "file", "text").has_value());
  CHECK(text_of(folder / "file/x") == "cannot create " + (folder / "file/x") + ": Not a directory");
  fs::create_symlink("loop", folder / "loop");
  CHECK(text_of(folder / "loop") == "cannot create " + (folder / "loop") + ": Too many levels of symbolic links");
  fs::create_symlink("/nonexistent/x", folder / "dangling");
  CHECK(text_of(folder / "dangling") == "cannot create " + (folder / "dangling") + ": No such file or directory");
}

TEST_CASE("links stay: what they lead to is written, there or not") {
  const Folder folder;
  REQUIRE(os::make_directories(folder / "a/b").has_value());
  REQUIRE(os::write_file(folder / "a/b/file", "old").has_value());
  fs::create_symlink("b/file", folder / "a/link");  // counts from where the link is
  fs::create_symlink(folder / "a/link", folder / "first");
  fs::create_symlink("a/b/new", folder / "dangling");

  REQUIRE(os::write_file(folder / "first", "new").has_value());
  REQUIRE(os::write_file(folder / "dangling", "made").has_value());

  CHECK(os::read_text(folder / "a/b/file") == "new");
  CHECK(os::read_text(folder / "a/b/new") == "made");
  for (const char* link : {"first", "dangling", "a/link"}) CHECK(fs::is_symlink(folder / link));
  CHECK(os::followed(folder / "first") == folder / "a/b/file");
}

TEST_CASE("what is no regular file is written where it is, and stays what it is") {
  const Folder folder;
  const std::string fifo = folder / "fifo", link = folder / "link";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  fs::create_symlink(fifo, link);
  const os::Descriptor reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(os::write_file(link, "text").has_value());
  char got[8] = {};
  CHECK(::read(reader.get(), got, sizeof got) == 4);
  CHECK(std::string_view(got, 4) == "text");
  CHECK(os::is_special(link));
  CHECK(fs::is_symlink(link));

  auto full = os::OutputFile::open("/dev/full");
  REQUIRE(full.has_value());
  CHECK(full->write(as_bytes("x")).error().text == "cannot write /dev/full: No space left on device");
  CHECK(os::is_special("/dev/full"));
}

TEST_CASE("a file that has been removed is written through its descriptor, and nothing is put in its place") {
  const Folder folder;
  const std::string path = folder / "file";
  const os::Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::write(fd.get(), "longer", 6) == 6);
  REQUIRE(os::remove_file(path).has_value());

  REQUIRE(os::write_file("/proc/self/fd/" + std::to_string(fd.get()), "text").has_value());

  char got[8] = {};
  CHECK(::pread(fd.get(), got, sizeof got, 0) == 4);
  CHECK(folder.files() == 0);
}

}  // namespace output_file_test

#include "os/headed_file.h"

#include <doctest/doctest.h>

#include "os/file.h"

namespace headed_file_test {

using namespace convoy;

namespace {

struct Folder {
  os::TempDirectory directory = std::move(*os::TempDirectory::create());
  std::string operator/(const std::string& name) const { return directory.path() + "/" + name; }
};

}  // namespace

TEST_CASE("a headed file grows, and its beginning is written once more") {
  const Folder folder;
  const std::string path = folder / "film";
  auto file = os::HeadedFile::open(path);
  REQUIRE(file);
  REQUIRE(file->write(as_bytes("head ")));
  REQUIRE(file->write(as_bytes("one two")));
  REQUIRE(file->rewrite(0, as_bytes("HE")));
  REQUIRE(file->write(as_bytes(" three")));
  REQUIRE(file->sync());
  CHECK(os::read_text(path) == "HEad one two three");
}

TEST_CASE("what was there stays until the first bytes, and what was not is gone if there are none") {
  const Folder folder;
  const std::string old = folder / "old", fresh = folder / "fresh";
  REQUIRE(os::write_file(old, "a long text that was there"));
  {
    const auto kept = os::HeadedFile::open(old), made = os::HeadedFile::open(fresh);
    REQUIRE(kept);
    REQUIRE(made);
    CHECK(os::exists(fresh));
  }
  CHECK(os::read_text(old) == "a long text that was there");
  CHECK_FALSE(os::exists(fresh));

  auto file = os::HeadedFile::open(old);
  REQUIRE(file->write(as_bytes("new")));
  CHECK(os::read_text(old) == "new");
}

TEST_CASE("folders, devices and places that are not there are refused") {
  const Folder folder;
  CHECK(os::HeadedFile::open("/dev/null").error().text == "cannot write /dev/null: it is no regular file");
  CHECK_FALSE(os::HeadedFile::open(folder.directory.path()));
  CHECK(os::HeadedFile::open(folder / "no/where").error().code == ErrorCode::kNotFound);
}

}  // namespace headed_file_test

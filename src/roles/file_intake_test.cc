#include "roles/file_intake.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace file_intake_test {

using namespace convoy;

namespace {

constexpr Owner kMe{1}, kOther{2};
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Bytes file_of(std::uint8_t kind, std::size_t size) { return Bytes(size, kind); }

AddFile piece(const Bytes& file, std::size_t from, std::size_t to) {
  return {hash64(file), from, file.size(),
          Bytes(file.begin() + static_cast<long>(from), file.begin() + static_cast<long>(to))};
}

// The beginning of a file of that size.
AddFile begun(std::uint64_t hash, std::uint64_t total) { return {hash, 0, total, Bytes{1}}; }

std::string refusal(const auto& outcome) { return outcome ? "" : outcome.error().text; }

}  // namespace

TEST_CASE("a file is whole with its last piece, and then once") {
  FileIntake dut;
  const Bytes file = file_of(7, 30);

  CHECK(*dut.take(kMe, piece(file, 0, 10), {}) == nullptr);
  CHECK(refusal(dut.take(kMe, piece(file, 20, 30), {})) == "the piece of a file does not follow the one before");
  CHECK(*dut.take(kMe, piece(file, 10, 20), {}) == nullptr);
  const auto whole = dut.take(kMe, piece(file, 20, 30), {});

  REQUIRE(whole);
  REQUIRE(*whole);
  CHECK(**whole == file);
  CHECK(!dut.take(kMe, piece(file, 20, 30), {}));
  CHECK(**dut.take(kMe, piece({}, 0, 0), {}) == Bytes{});
}

TEST_CASE("pieces that are not a file's are refused") {
  FileIntake dut;
  const Bytes file = file_of(7, 30);
  AddFile other_size = piece(file, 10, 20), too_much = piece(file, 10, 30), wrong = piece(file, 10, 30);
  other_size.total = 31, too_much.bytes.push_back(7), wrong.bytes.back() = 8;
  dut.take(kMe, piece(file, 0, 10), {});

  for (const AddFile& bad : {other_size, too_much, piece(file, 10, 10)})
    CHECK(refusal(dut.take(kMe, bad, {})) == "the piece of a file does not follow the one before");
  CHECK(refusal(dut.take(kMe, begun(1, kMaxModelFile + 1), {})) == "the file is larger than 256 MB");
  CHECK(refusal(dut.take(kMe, wrong, {})) == "the file is not the one that its hash names");
  // Of the wrong one nothing is left; and what was begun can be begun anew.
  CHECK(*dut.take(kMe, piece(file, 0, 10), {}) == nullptr);
  CHECK(**dut.take(kMe, piece(file, 0, 30), {}) == file);
}

TEST_CASE("pieces of members do not meet, even of the same file") {
  FileIntake dut;
  const Bytes file = file_of(7, 30);

  CHECK(dut.take(kMe, piece(file, 0, 10), {}));
  CHECK(dut.take(kOther, piece(file, 0, 20), {}));
  CHECK(dut.take(kMe, piece(file, 10, 20), {}));
  CHECK(**dut.take(kOther, piece(file, 20, 30), {}) == file);
  dut.settled(kOther, hash64(file), true);
  CHECK(!dut.take(kMe, piece(file, 20, 30), {}));  // the world has it; so its halves are gone
}

TEST_CASE("a member has eight places and 256 MiB for what is on its way, and others have theirs") {
  FileIntake dut;
  for (std::uint64_t i = 1; i <= kComingFilesOfMember; ++i) CHECK(dut.take(kMe, begun(i, 10), {}));
  CHECK(refusal(dut.take(kMe, begun(9, 10), {})) == "8 of your files are on their way already, which is the limit");
  CHECK(dut.take(kMe, {1, 1, 10, Bytes{2}}, {}));  // what was begun goes on
  CHECK(dut.take(kOther, begun(1, kMaxModelFile), {}));
  CHECK(refusal(dut.take(kOther, begun(2, 1), {})) ==
        "your files on their way would have too many bytes, and 256 MiB is the limit");

  dut.left(kMe);
  CHECK(dut.take(kMe, begun(9, 10), {}));
  CHECK(dut.take(kOther, begun(1, 10), {}));  // begun anew
}

TEST_CASE("a member's files have 512 MiB of the world, and those that the world lost no longer count") {
  FileIntake dut;
  ModelFiles world;
  const auto brings = [&](Owner from, std::uint64_t hash, std::uint64_t size) {
    const Status ok = dut.take_whole(from, {{hash, size}}, world);
    if (ok) dut.settled(from, hash, true), world[hash] = std::make_shared<const Bytes>();
    return refusal(ok);
  };
  CHECK(brings(kMe, 1, 400 * kMiB) == "");
  CHECK(brings(kMe, 2, 113 * kMiB) ==
        "the files that you have brought would have too many bytes, and 512 MiB is the limit");
  CHECK(refusal(dut.take(kMe, begun(2, 113 * kMiB), world)) ==
        "the files that you have brought would have too many bytes, and 512 MiB is the limit");
  CHECK(brings(kMe, 3, 112 * kMiB) == "");
  CHECK(refusal(dut.take(kMe, begun(4, 1), world)) != "");
  CHECK(brings(kOther, 5, 400 * kMiB) == "");

  world.erase(1);  // a reset
  CHECK(brings(kMe, 2, 400 * kMiB) == "");
}

TEST_CASE("small files count 4 KiB each, so that a budget bounds their number too") {
  FileIntake dut;
  ModelFiles world;
  std::uint64_t hash = 1;
  for (; dut.take_whole(kMe, {{hash, 1}}, world); ++hash) {
    dut.settled(kMe, hash, true);
    world[hash] = std::make_shared<const Bytes>();
    if (hash % 1000 == 0) hash += kFileBytesOfMember;  // other numbers, no other meaning
    if (world.size() > 3000) break;
  }
  CHECK(world.size() > 3000);
  CHECK(dut.take_whole(kMe, {{1, kFileBytesOfMember - 3001 * kLeastFile}}, world));
  CHECK(!dut.take_whole(kMe, {{2, 1}}, world));
}

TEST_CASE("all members together have 64 places and 1 GiB on their way, and the world has 2 GiB of files") {
  FileIntake places, bytes, whole;
  for (std::uint32_t i = 0; i < kMaxHalfFiles; ++i) CHECK(places.take(Owner(1 + i / 8), begun(i, 10), {}));
  CHECK(refusal(places.take(Owner(99), begun(99, 10), {})) ==
        "64 files are on their way from all members, which is the limit");
  places.left(Owner(8));
  CHECK(places.take(Owner(99), begun(99, 10), {}));

  for (std::uint32_t i = 1; i <= 4; ++i) CHECK(bytes.take(Owner(i), begun(i, kMaxModelFile), {}));
  CHECK(refusal(bytes.take(Owner(5), begun(5, 1), {})) ==
        "files on their way from all members would have too many bytes, and 1024 MiB is the limit");

  const auto half_gib = std::make_shared<const Bytes>(std::size_t{512} << 20);
  ModelFiles world;
  for (std::uint64_t i = 100; i < 104; ++i) world[i] = half_gib;
  CHECK(refusal(whole.take(kMe, begun(1, 1), world)) ==
        "the world's files would have too many bytes, and 2048 MiB is the limit");
}

TEST_CASE("whole files of a member that left keep their place until the world has them") {
  FileIntake dut;
  const Bytes file = file_of(7, 30);
  for (std::uint32_t i = 1; i < kMaxHalfFiles; ++i) dut.take(Owner(10 + i / 8), begun(i, 10), {});
  REQUIRE(*dut.take(kMe, piece(file, 0, 30), {}));

  dut.left(kMe);
  CHECK(!dut.take(kOther, begun(99, 10), {}));
  dut.settled(kMe, hash64(file), true);
  CHECK(dut.take(kOther, begun(99, 10), {}));
}

TEST_CASE("who is refused for its budget is named, and then after ten seconds at the soonest") {
  FileIntake dut;
  const auto at = [](int s) { return Moment{} + std::chrono::seconds(s); };
  dut.take(kMe, begun(1, kMaxModelFile), {});
  CHECK(dut.take_news(at(0)).empty());
  dut.take(kMe, begun(2, 1), {}), dut.take(kMe, begun(3, 1), {}), dut.take(kOther, {4, 5, 6, {}}, {});
  CHECK(dut.take_news(at(0)) ==
        std::map<Owner, std::string>{{kMe, "wants to bring more files than it may: 2 were refused"}});
  dut.take(kMe, begun(2, 1), {});
  CHECK(dut.take_news(at(9)).empty());
  CHECK(dut.take_news(at(10)).size() == 1);
}

}  // namespace file_intake_test

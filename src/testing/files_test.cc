// Files that members bring: pieces wait at the server until a file is whole, each member has a budget, and who leaves in
// the middle leaves nothing behind.
#include <doctest/doctest.h>

#include <algorithm>

#include "roles/file_desk.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace files_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

Bytes file_of(std::uint8_t kind, std::size_t size) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(i * 7 + kind);
  return out;
}

proto::Request add(const AddFile& piece) {
  const Bytes bytes = save(piece);
  proto::Request request;
  request.set_add_file(bytes.data(), bytes.size());
  return request;
}

proto::Request piece(const Bytes& file, std::size_t from, std::size_t to) {
  return add({hash64(file), from, file.size(),
              Bytes(file.begin() + static_cast<long>(from), file.begin() + static_cast<long>(to))});
}

// All pieces of a file.
std::vector<proto::Request> pieces(const Bytes& file) {
  std::vector<proto::Request> out;
  for (std::size_t at = 0; at < file.size(); at += kMaxFilePiece)
    out.push_back(piece(file, at, std::min(file.size(), at + kMaxFilePiece)));
  return out;
}

proto::Request begun(std::uint64_t hash, std::uint64_t total) { return add({hash, 0, total, Bytes{1}}); }

Setup floor() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kRandomWalk)};
  return setup;
}

bool has(const Rig& rig, const Bytes& file) { return rig.server->run().world().files().count(hash64(file)) > 0; }

}  // namespace

TEST_CASE("who is over its budget of files is refused and named, and a quiet member's file enters meanwhile") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Rig rig(floor(), {.free = free});
    rig.run_to(1);
    const std::size_t quiet = rig.add_caller("quiet", PeerRole::kControl);
    for (std::uint64_t i = 1; i <= kComingFilesOfMember; ++i) REQUIRE(rig.error_of(begun(i, 10)) == "");

    const proto::Reply refused = rig.call(begun(99, 10));

    CHECK(refused.text() == "8 of your files are on their way already, which is the limit");
    CHECK(refused.error() == static_cast<std::uint32_t>(ErrorCode::kUnavailable));
    CHECK(rig.logged("ctl wants to bring more files than it may: 1 were refused"));
    const Bytes file = file_of(1, 100);
    CHECK(rig.error_of(piece(file, 0, 100), quiet) == "");
    CHECK(has(rig, file));
    // One more than fits, of a member that has nothing else.
    CHECK(rig.error_of(begun(1, kMaxModelFile), quiet) == "");
    CHECK(rig.error_of(begun(2, 1), quiet) ==
          "your files on their way would have too many bytes, and 256 MiB is the limit");
  }
}

TEST_CASE("a quiet member's small file does not wait for the large ones of others") {
  Rig rig(floor());
  rig.run_to(1);
  const std::size_t quiet = rig.add_caller("quiet", PeerRole::kControl);
  const Bytes large = file_of(1, 20 * kMaxFilePiece), small = file_of(2, 100);
  std::uint64_t last = 0;
  for (const proto::Request& one : pieces(large)) last = rig.callers[0]->send(one);
  REQUIRE(rig.run_until([&] { return rig.callers[0]->replies() >= 19; }));
  const Tick before = rig.run().tick();

  CHECK(rig.error_of(piece(small, 0, 100), quiet) == "");
  CHECK(rig.run().tick() <= before + 3);
  CHECK(!rig.callers[0]->reply(last));
  CHECK(rig.run_until([&] { return rig.callers[0]->reply(last); }));
  CHECK(has(rig, large));
}

TEST_CASE("places of a member that left in the middle are free, and nothing of its files is in the journal") {
  Rig rig(floor(), {.paused = true});
  std::vector<std::size_t> many{0};
  while (many.size() < kMaxHalfFiles / kComingFilesOfMember)
    many.push_back(rig.add_caller("caller" + std::to_string(many.size()), PeerRole::kControl));
  std::uint64_t hash = 0;
  for (const std::size_t caller : many)
    for (std::size_t i = 0; i < kComingFilesOfMember; ++i) REQUIRE(rig.error_of(begun(++hash, 10), caller) == "");
  const std::size_t late = rig.add_caller("late", PeerRole::kControl);
  CHECK(rig.error_of(begun(99, 10), late) == "64 files are on their way from all members, which is the limit");

  rig.callers[many[1]]->session().leave();
  rig.run_until([&] { return rig.server->membership().members().size() == 2 + many.size(); });

  const Bytes file = file_of(1, 2 * kMaxFilePiece);
  for (const proto::Request& one : pieces(file)) CHECK(rig.error_of(one, late) == "");
  CHECK(has(rig, file));
  CHECK(rig.memory.journal().size() == 2);  // that file, and halves of no other
}

TEST_CASE("members that bring the same file, piece by piece in any order, all succeed, and it enters once") {
  Rig rig(floor());
  rig.run_to(1);
  const std::size_t other = rig.add_caller("other", PeerRole::kControl);
  const Bytes file = file_of(1, 3 * kMaxFilePiece + 5);
  const std::vector<proto::Request> all = pieces(file);
  std::vector<std::pair<std::size_t, std::uint64_t>> sent;
  for (const std::size_t caller :
       {std::size_t{0}, other, other, std::size_t{0}, other, std::size_t{0}, std::size_t{0}, other}) {
    const auto mine = std::count_if(sent.begin(), sent.end(), [&](const auto& s) { return s.first == caller; });
    sent.emplace_back(caller, rig.callers[caller]->send(all[static_cast<std::size_t>(mine)]));
    rig.run_until([] { return false; }, 0.001);
  }
  for (const auto& [caller, id] : sent) {
    REQUIRE(rig.run_until([&, c = caller, i = id] { return rig.callers[c]->reply(i) != nullptr; }));
    CHECK(rig.callers[caller]->reply(id)->text() == "");
  }

  CHECK(has(rig, file));
  CHECK(rig.memory.journal().size() == all.size());
  CHECK(rig.error_of(piece(file, 0, 10)) == "");  // once more, and it is no edit
  CHECK(rig.memory.journal().size() == all.size());
}

TEST_CASE("a file that is entering enters, whenever the world is reset") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    for (int ms = 0; ms < 4; ++ms) {
      CAPTURE(ms);
      Rig rig(floor(), {.free = free});
      rig.run_to(1);
      const std::size_t other = rig.add_caller("other", PeerRole::kControl);
      const Bytes file = file_of(1, 40 * kMaxFilePiece);
      std::uint64_t last = 0;
      for (const proto::Request& one : pieces(file)) last = rig.callers[0]->send(one);
      REQUIRE(rig.run_until([&] { return rig.callers[0]->replies() == 39; }));
      rig.run_until([] { return false; }, 0.001 * ms);

      CHECK(rig.error_of(just([](Request& r) { r.mutable_reset(); }), other) == "");
      CHECK(!rig.callers[0]->reply(last));
      REQUIRE(rig.run_until([&] { return rig.callers[0]->reply(last); }));

      CHECK(rig.callers[0]->reply(last)->text() == "");
      CHECK(has(rig, file));
    }
  }
}

TEST_CASE("files that members bring, and do not bring, give the same digest from the journal") {
  Rig rig(floor(), {.end = 200});
  rig.run_to(1);
  const std::size_t other = rig.add_caller("other", PeerRole::kControl),
                    gone = rig.add_caller("gone", PeerRole::kControl);
  const Bytes one = file_of(1, 4 * kMaxFilePiece + 1), two = file_of(2, 2 * kMaxFilePiece + 1), half = file_of(3, 100);
  REQUIRE(rig.error_of(piece(half, 0, 50), gone) == "");
  for (const proto::Request& p : pieces(one)) rig.callers[0]->send(p);
  for (const proto::Request& p : pieces(two)) rig.callers[other]->send(p);
  rig.callers[gone]->session().leave();
  REQUIRE(rig.run_until([&] { return has(rig, one) && has(rig, two); }));
  CHECK(rig.error_of(piece(half, 0, 100), other) == "");
  REQUIRE(rig.finish());

  Rig again(floor(), {.end = 200});
  JournalReplay replay(rig.memory.journal());
  replay.set_conductor(again.conductor());
  again.conductor().watchers().add(&replay);
  REQUIRE(again.finish());

  CHECK(rig.memory.journal().size() == 5 + 3 + 1);
  CHECK(again.memory.digests() == rig.memory.digests());
  CHECK(has(again, one));
  CHECK(has(again, half));
}

TEST_CASE("files that are entering when the run ends are refused") {
  Rig rig(floor(), {.end = 10, .stay = true});
  rig.run_to(1);
  const Bytes file = file_of(1, 30 * kMaxFilePiece);
  std::uint64_t last = 0;
  for (const proto::Request& one : pieces(file)) last = rig.callers[0]->send(one);
  REQUIRE(rig.run_until([&] { return rig.callers[0]->reply(last); }));
  CHECK(rig.callers[0]->reply(last)->text() == "the run is over");
}

}  // namespace files_test

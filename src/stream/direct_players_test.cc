#include "stream/direct_players.h"

#include <doctest/doctest.h>

#include <vector>

namespace convoy::stream::direct_players_test {
namespace {

using Kind = CodedPicture::Kind;

struct Line final : DirectLine {
  std::vector<std::pair<PlayerId, Bytes>> sent;
  std::string invite() override { return "ws://here/"; }
  void send(const PlayerId& player, SharedBytes message) override { sent.emplace_back(player, *message); }
  void close(const PlayerId&, const std::string&) override {}
  std::vector<unsigned> to(const PlayerId& player) const {  // the last byte of each message
    std::vector<unsigned> out;
    for (const auto& [who, bytes] : sent)
      if (who == player) out.push_back(bytes.back());
    return out;
  }
};

CodedPicture picture(Kind kind, bool key, std::uint8_t what, std::uint64_t time_us = 0) {
  return {kind, key, time_us, {what}};
}

TEST_CASE("a picture has its kind, whether it is a key picture and its time in front") {
  Line line;
  DirectPlayers players(&line);
  players.add("a", Kind::kVideo);
  CHECK(!players.show(picture(Kind::kVideo, true, 9, 0x0102030405060708)));
  REQUIRE(line.sent.size() == 1);
  CHECK(line.sent[0].second == Bytes{1, 1, 8, 7, 6, 5, 4, 3, 2, 1, 9});
  players.send("a", Bytes{255, 3});
  CHECK(line.sent[1].second == Bytes{0, 255, 3});
}

TEST_CASE("who has taken nothing gets two pictures, and then goes on with a key picture alone") {
  Line line;
  DirectPlayers players(&line);
  players.add("slow", Kind::kVideo), players.add("quick", Kind::kVideo);
  CHECK(players.show(picture(Kind::kVideo, false, 0)));  // both have just come
  for (std::uint8_t i = 1; i <= 4; ++i) {
    CHECK(!players.show(picture(Kind::kVideo, i == 1, i)));
    players.taken("quick");
  }
  CHECK(line.to("slow") == std::vector<unsigned>{1, 2});
  CHECK(line.to("quick") == std::vector<unsigned>{1, 2, 3, 4});
  players.taken("slow");
  CHECK(players.show(picture(Kind::kVideo, false, 5)));
  CHECK(!players.show(picture(Kind::kVideo, true, 6)));
  CHECK(line.to("slow") == std::vector<unsigned>{1, 2, 6});
  players.taken("nobody");
}

TEST_CASE("each gets its kind, and what is left out of JPEG breaks nothing") {
  Line line;
  DirectPlayers players(&line);
  CHECK(!players.wants(Kind::kJpeg));
  players.add("a", Kind::kJpeg);
  CHECK(players.wants(Kind::kJpeg));
  CHECK(!players.wants(Kind::kVideo));
  CHECK(!players.show(picture(Kind::kVideo, false, 1)));
  for (std::uint8_t i = 2; i <= 4; ++i) CHECK(!players.show(picture(Kind::kJpeg, true, i)));
  players.taken("a");
  CHECK(!players.show(picture(Kind::kJpeg, true, 5)));
  CHECK(line.to("a") == std::vector<unsigned>{2, 3, 5});
  CHECK(players.remove("a"));
  CHECK(!players.remove("a"));
  CHECK(!players.wants(Kind::kJpeg));
}

}  // namespace
}  // namespace convoy::stream::direct_players_test

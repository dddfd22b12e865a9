#include "gang/gang.h"

#include <doctest/doctest.h>

namespace convoy::gang {

namespace gang_test {

Gang two() {
  Gang out{.name = "convoy-hello", .folder = "/shared/hello-1", .exe = "/opt/convoy", .interface = "ib0", .threads = 2};
  out.ranks = {{"server", {"/opt/convoy", "server", "--listen", "{own}:0"}, {}},
               {"host0", {"/opt/convoy", "client", "--connect", "{server}"}, {{"CONVOY_JOIN", "{server}/host0"}}}};
  return out;
}

TEST_CASE("a job's description is read as it was written") {
  const auto read = parse_gang(text_of(two()));
  REQUIRE(read);
  CHECK(*read == two());
}

TEST_CASE("what is no description of a job is refused, whatever of it is wrong") {
  const std::string sound = text_of(two());
  CHECK(!parse_gang(""));
  CHECK(!parse_gang("[]"));
  for (const char* field : {"name", "folder", "exe", "interface", "threads", "patience_s", "ranks", "argv"}) {
    std::string text = sound;
    const std::size_t at = text.find("\"" + std::string(field) + "\"");
    REQUIRE(at != text.npos);
    text[at + 1] = 'X';
    CHECK_MESSAGE(!parse_gang(text), field);
  }
  std::string none = sound;
  none.replace(none.find("\"threads\": 2"), 12, "\"threads\": \"2\"");
  CHECK(!parse_gang(none));
}

TEST_CASE("words in braces are filled in wherever they stand, and what is filled in is left alone") {
  CHECK(filled("{own}:0", {{"own", "10.0.0.7"}}) == "10.0.0.7:0");
  CHECK(filled("{server}/{server}", {{"server", "a:1"}}) == "a:1/a:1");
  CHECK(filled("{other}", {{"own", "x"}}) == "{other}");
  CHECK(filled("{own}", {{"own", "{own}"}}) == "{own}");
}

TEST_CASE("an end says how it was") {
  const auto end = parse_end(text_of(RankEnd{0, 9, "was killed by SIGKILL (Killed)"}));
  REQUIRE(end);
  CHECK(end->signal == 9);
  CHECK(end->status == 0);
  CHECK(end->text == "was killed by SIGKILL (Killed)");
  CHECK(!parse_end("{\"status\": 0"));
  CHECK(!parse_end("{\"status\": 0}"));
}

}  // namespace gang_test

}  // namespace convoy::gang

#include "gang/said.h"

#include <doctest/doctest.h>

namespace convoy::gang {

namespace said_test {

TEST_CASE("what a rank says is read as it was said, empty lines too") {
  for (const SaidKind kind : {SaidKind::kOut, SaidKind::kLog, SaidKind::kAt, SaidKind::kReport, SaidKind::kEnd})
    for (const char* text : {"listening on port 7447", "", "  \"a\": 1", "0 out x"}) {
      const Said said{12, kind, text};
      const auto read = parse_said(text_of(said));
      REQUIRE(read);
      CHECK(*read == said);
    }
  CHECK(text_of({3, SaidKind::kOut, "digest 1"}) == "3 out digest 1");
}

TEST_CASE("other lines of a process are not taken for it") {
  for (const char* line : {"", "convoy: this is rank 3, and the job has 2", "7", "7 out", "7 other x", "-1 out x",
                           "out x", "99999999999999999999999 out x"})
    CHECK_MESSAGE(!parse_said(line), line);
}

}  // namespace said_test

}  // namespace convoy::gang

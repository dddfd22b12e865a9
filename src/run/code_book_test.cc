#include "run/code_book.h"

#include <doctest/doctest.h>

namespace convoy::code_book_test {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("the first host that has a file sets what all others must have") {
  CodeBook book;
  book.add("host0", std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 2}});
  CHECK(book.differences("host1", std::vector<CodeFile>{{"./b.so", 2}, {"./c.so", 3}}) == Lines{});
  CHECK(book.differences("host1", std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 7}}) ==
        Lines{"host1 has another build of ./b.so (0000000000000007) than host0 (0000000000000002)"});
  book.add("host1", std::vector<CodeFile>{{"./b.so", 7}, {"./c.so", 3}});
  CHECK(book.files() == std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 2}, {"./c.so", 3}});
  CHECK(book.differences("host2", std::vector<CodeFile>{{"./c.so", 4}}) ==
        Lines{"host2 has another build of ./c.so (0000000000000004) than host1 (0000000000000003)"});
  CHECK(book.differences("host2", std::vector<CodeFile>{{"./b.so", 7}}) ==
        Lines{"host2 has another build of ./b.so (0000000000000007) than host0 (0000000000000002)"});
}

TEST_CASE("news are told once, and growth too") {
  CodeBook book;
  CHECK(!book.take_grown());
  book.add("host0", std::vector<CodeFile>{{"./a.so", 1}});
  CHECK(book.take_grown());
  book.add("host1", std::vector<CodeFile>{{"./a.so", 1}});
  CHECK(!book.take_grown());
  const std::string x = "host1 has another build of ./a.so (0000000000000002) than host0 (0000000000000001)";
  const std::string y = "host2 has another build of ./a.so (0000000000000003) than host0 (0000000000000001)";
  CHECK(book.admit("host1", std::vector<CodeFile>{{"./a.so", 2}}, false).has_value());
  CHECK(book.admit("host1", std::vector<CodeFile>{{"./a.so", 2}}, false).has_value());
  CHECK(book.admit("host2", std::vector<CodeFile>{{"./a.so", 3}}, false).has_value());
  CHECK(book.take_news() == Lines{x, y});
  CHECK(book.take_news() == Lines{});
  CHECK(book.tolerated() == Lines{x, y});
}

TEST_CASE("who is admitted strictly has no other build, and nothing of who is not is taken over") {
  CodeBook book;
  book.add("host0", std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 2}});
  const Status refused = book.admit("host1", std::vector<CodeFile>{{"./a.so", 7}, {"./b.so", 8}, {"./c.so", 9}}, true);
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kDenied);
  CHECK(refused.error().text ==
        "host1 has another build of ./a.so (0000000000000007) than host0 (0000000000000001), and 1 more files differ");
  CHECK(book.files() == std::vector<CodeFile>{{"./a.so", 1}, {"./b.so", 2}});
  CHECK(book.admit("host1", std::vector<CodeFile>{{"\n", 1}}, false).error().code == ErrorCode::kInvalid);
}

TEST_CASE("a list that cannot be shown is refused") {
  CHECK(check_code(std::vector<CodeFile>{{"./a.so", 0}}).has_value());
  CHECK(!check_code(std::vector<CodeFile>{{"", 0}}));
  CHECK(!check_code(std::vector<CodeFile>{{"a\033[2J", 0}}));
  CHECK(!check_code(std::vector<CodeFile>{{"a\xff", 0}}));
  CHECK(!check_code(std::vector<CodeFile>{{std::string(kMaxCodeName + 1, 'a'), 0}}));
  CHECK(!check_code(std::vector<CodeFile>(kMaxCodeFiles + 1, {"a", 0})));
}

}  // namespace
}  // namespace convoy::code_book_test

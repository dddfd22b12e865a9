#include "core/base64.h"

#include <doctest/doctest.h>

namespace base64_test {

using namespace convoy;

namespace {

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("base64 of one, two and three bytes, and back") {
  const std::pair<const char*, const char*> known[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfd", "//79"}};
  for (const auto& [plain, text] : known) {
    CHECK(base64_of(bytes(plain)) == text);
    CHECK(bytes_of_base64(text) == bytes(plain));
  }
}

TEST_CASE("what is no base64 is no bytes") {
  for (const char* text : {"Z", "Zg", "Zg=", "Z===", "Zm9*", "====", "Zg==Zg=="}) CHECK(!bytes_of_base64(text));
}

}  // namespace base64_test

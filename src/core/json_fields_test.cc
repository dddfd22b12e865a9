#include "core/json_fields.h"

#include <doctest/doctest.h>

#include <limits>

namespace json_fields_test {

using namespace convoy;

namespace {

struct Inner {
  std::vector<double> numbers;
  std::string name;
};
template <class V, MaybeConst<Inner> T>
void fields(V& v, T& i) {
  v("numbers", i.numbers), v("name", i.name);
}
struct Outer {
  Instant at{};
  bool on = false;
  std::variant<std::uint32_t, Inner> what;
  std::optional<float> perhaps;
  std::array<Inner, 2> both;
  std::int64_t last = -1;
};
template <class V, MaybeConst<Outer> T>
void fields(V& v, T& o) {
  v("at", o.at), v("on", o.on), v("what", o.what), v("perhaps", o.perhaps), v("both", o.both), v("last", o.last);
}

}  // namespace

TEST_CASE("a value is JSON, with what JSON has no number for as text or null") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Outer value;
  value.at = instant(12), value.on = true, value.perhaps = 0.1f;
  value.what = Inner{{0.1, -0.0, inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e300}, "a \"b\"\\\n"};

  CHECK(to_json(value) ==
        R"({"at":12,"on":true,"what":{"numbers":[0.1,0,"inf","-inf",null,1e+300],"name":"a \"b\"\\\u000a"},)"
        R"("perhaps":0.1,"both":[{"numbers":[],"name":""},{"numbers":[],"name":""}],"last":-1})");
  value.what = std::uint32_t{7}, value.perhaps.reset();
  CHECK(to_json(value).starts_with(R"({"at":12,"on":true,"what":7,"perhaps":null,)"));
}

TEST_CASE("bytes are base64") { CHECK(to_json(Bytes{'f', 'o', 'o', 'b', 'a', 'r'}) == R"("Zm9vYmFy")"); }

}  // namespace json_fields_test

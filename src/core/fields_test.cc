#include "core/fields.h"

#include <doctest/doctest.h>

namespace fields_test {

using namespace convoy;

namespace {
struct Wheel {
  double speed = 0;
  std::int32_t turns = 0;
};
template <class V, MaybeConst<Wheel> T>
void fields(V& v, T& w) {
  v("speed", w.speed), v("turns", w.turns);
}
struct Cart {
  std::string name;
  std::vector<Wheel> wheels;
  std::optional<Duration> timeout;
  std::variant<double, Wheel> load;
};
template <class V, MaybeConst<Cart> T>
void fields(V& v, T& c) {
  v("name", c.name), v("wheels", c.wheels), v("timeout", c.timeout), v("load", c.load);
}
const Cart kCart{"a", {{1.5, 2}, {-0.0, 4}}, Duration(7), Wheel{3, 9}};
}  // namespace

TEST_CASE("a value comes back from its canonical bytes, and every shorter or longer text is refused") {
  const Bytes bytes = save(kCart);

  Cart back;
  CHECK(load(bytes, back));
  CHECK(save(back) == bytes);
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK_FALSE(load(ByteView(bytes).first(n), back));
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK_FALSE(load(longer, back));
}

TEST_CASE("minus zero has the bytes of zero, and a length beyond the text does not allocate") {
  Cart other = kCart;
  other.wheels[1].speed = 0.0;
  CHECK(save(other) == save(kCart));

  Bytes bomb;
  Writer(bomb).text("a");
  Writer(bomb).u32(0xffffffff);
  Cart back;
  CHECK_FALSE(load(bomb, back));
  CHECK(back.wheels.empty());
}

TEST_CASE("the first difference is named by its path") {
  Cart other = kCart;
  other.wheels[1].turns = 5;
  CHECK(first_difference(describe(kCart), describe(other)) == "wheels[1].turns: 4 / 5");
  CHECK_FALSE(first_difference(describe(kCart), describe(kCart)));
}

namespace {

// A value with two fields that came later.
struct Grown {
  std::uint32_t old = 1;
  std::vector<std::uint32_t> list, other;
  friend bool operator==(const Grown&, const Grown&) = default;
};
template <class V, MaybeConst<Grown> T>
void fields(V& v, T& g) {
  v("old", g.old);
  later(v, "list", g.list), later(v, "other", g.other);
}

Bytes for_hash(const Grown& value) {
  Bytes out;
  save_for_hash(out, value);
  return out;
}

}  // namespace

TEST_CASE("a field that came later is in all bytes, and in hashes where it is set, under its name") {
  CHECK(for_hash({}) == Bytes{1, 0, 0, 0});
  CHECK(save(Grown{}).size() == 12);
  const Grown set{1, {7}, {}}, other{1, {}, {7}};
  CHECK(for_hash(set) != for_hash(other));
  CHECK(for_hash(set).size() == 4 + (4 + 4) + (4 + 4));  // "list" behind its length, and the list
  for (const Grown& value : {set, other, Grown{}}) {
    Grown again{9, {1, 2}, {3}};
    REQUIRE(load(save(value), again));
    CHECK(again == value);
  }
  CHECK(first_difference(describe(set), describe(other)) == "list.size: 1 / 0");
}

TEST_CASE("a float has the bytes of its number, and minus zero those of zero") {
  std::vector<float> floats{1.5f, -0.0f};
  Bytes bytes;
  {
    SaveFields v(bytes);
    v("floats", floats);
  }
  CHECK(bytes == Bytes{2, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0});
  std::vector<float> again;
  Reader in(bytes);
  LoadFields v(in);
  v("floats", again);
  CHECK(in.done());
  CHECK(again == std::vector<float>{1.5f, 0.0f});
}

}  // namespace fields_test

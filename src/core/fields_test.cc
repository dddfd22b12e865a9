#include "core/fields.h"

#include <doctest/doctest.h>

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

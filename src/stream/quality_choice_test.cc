#include "stream/quality_choice.h"

#include <doctest/doctest.h>

namespace convoy::stream::quality_choice_test {
namespace {

using std::chrono::milliseconds;
constexpr Duration kEvery = milliseconds(33);

bool second(QualityChoice& choice, int pictures, Duration took) {
  choice.drew(took * pictures, pictures);
  return choice.on_second(kEvery);
}

TEST_CASE("pictures that take most of their time for three seconds in a row are drawn plainly, for good") {
  QualityChoice dut(PictureQuality::kNice, true);
  CHECK(!second(dut, 20, milliseconds(30)));
  CHECK(!second(dut, 20, milliseconds(30)));
  CHECK(!second(dut, 30, milliseconds(5)));  // not in a row
  CHECK(dut.took() == milliseconds(5));
  CHECK(!second(dut, 20, milliseconds(30)));
  CHECK(!second(dut, 20, milliseconds(30)));
  CHECK(dut.quality() == PictureQuality::kNice);
  CHECK(second(dut, 20, milliseconds(30)));
  CHECK(dut.quality() == PictureQuality::kPlain);
  for (int i = 0; i < 10; ++i) CHECK(!second(dut, 30, milliseconds(1)));
  CHECK(dut.quality() == PictureQuality::kPlain);
}

TEST_CASE("a single slow picture says nothing, and a machine that draws one a second says all") {
  QualityChoice dut(PictureQuality::kNice, true);
  for (int i = 0; i < 5; ++i) CHECK(!second(dut, 1, milliseconds(40)));  // hardly anybody looked
  for (int i = 0; i < 5; ++i) CHECK(!second(dut, 0, {}));
  CHECK(!second(dut, 1, milliseconds(900)));
  CHECK(!second(dut, 1, milliseconds(900)));
  CHECK(second(dut, 1, milliseconds(900)));
}

TEST_CASE("what was asked for stays") {
  QualityChoice dut(PictureQuality::kNice, false);
  for (int i = 0; i < 9; ++i) CHECK(!second(dut, 20, milliseconds(60)));
  CHECK(dut.quality() == PictureQuality::kNice);
}

}  // namespace
}  // namespace convoy::stream::quality_choice_test

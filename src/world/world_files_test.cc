// Files of models: they come in pieces, by edits, and are part of images.
#include <doctest/doctest.h>

#include "world/world.h"

namespace world_files_test {

using namespace convoy;

namespace {

Setup setup() {
  Setup s;
  s.models = built_in_models();
  s.files = {Bytes{1, 2, 3}};
  Model own = s.models[0];
  own.name = "own", own.files = {{"own.xml", hash64(Bytes{1, 2, 3})}};
  own.start = {0.5, -1};
  s.models.push_back(own);
  EntitySpec spec;
  spec.name = "a", spec.model = "own";
  s.entities = {spec};
  return s;
}

Bytes large() {
  Bytes out(kMaxFilePiece + 1000);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 7);
  return out;
}

AddFile piece(const Bytes& whole, std::size_t from, std::size_t to) {
  return {hash64(whole),
          from,
          whole.size(),
          {whole.begin() + static_cast<long>(from), whole.begin() + static_cast<long>(to)}};
}

Model model_of(const Bytes& file) {
  Model m = built_in_models()[0];
  m.name = "late", m.files = {{"late.xml", hash64(file)}};
  return m;
}

std::string refusal(const World& world, const Edit& edit) {
  const Status status = world.check(edit);
  return status ? "" : status.error().text;
}

}  // namespace

TEST_CASE("a file comes in pieces in their order, and a model may name it when it is whole") {
  World world = *World::make(setup());
  const Bytes whole = large();
  CHECK(refusal(world, AddModel{model_of(whole)}) == "model 'late': the file 'late.xml' is not there");
  CHECK(refusal(world, piece(whole, 10, 20)) == "the piece of a file does not follow the one before");

  world.apply(piece(whole, 0, kMaxFilePiece), instant(0));
  CHECK(refusal(world, AddModel{model_of(whole)}) != "");
  CHECK(refusal(world, piece(whole, 0, 10)) == "the piece of a file does not follow the one before");
  Bytes other = whole;
  other.back() ^= 1;
  AddFile wrong = piece(other, kMaxFilePiece, other.size());
  wrong.hash = hash64(whole);
  CHECK(refusal(world, wrong) == "the file is not the one that its hash names");

  REQUIRE(world.check(piece(whole, kMaxFilePiece, whole.size())));
  world.apply(piece(whole, kMaxFilePiece, whole.size()), instant(0));
  CHECK(*world.files().at(hash64(whole)) == whole);
  CHECK(refusal(world, AddModel{model_of(whole)}) == "");
  CHECK(refusal(world, piece(whole, 0, 10)) == "");  // another caller brings it once more
  world.apply(piece(whole, 0, 10), instant(0));
  CHECK(world.files().size() == 2);
}

TEST_CASE("an image holds the files that came by edits, half ones too, and a reset forgets them") {
  const World fresh = *World::make(setup());
  World world = *World::make(setup());
  const Bytes whole = large(), small{9, 9};
  world.apply(piece(small, 0, 2), instant(0));
  world.apply(AddModel{model_of(small)}, instant(0));
  world.apply(piece(whole, 0, 1000), instant(0));
  world.settle();

  World late = *World::make(setup());
  REQUIRE(late.load_image(world.image()));
  CHECK(late.image() == world.image());
  CHECK(late.files().count(hash64(small)) == 1);
  REQUIRE(late.check(piece(whole, 1000, 2000)));
  late.apply(Reset{}, instant(0));
  late.settle();
  CHECK(late.image() == fresh.image());
  CHECK(late.files().size() == 1);
  CHECK(refusal(late, piece(whole, 1000, 2000)) != "");
}

TEST_CASE("joints begin where the model has them, and are there again after a reset") {
  World world = *World::make(setup());
  const auto tail = [&] {
    return std::vector<double>(world.snapshot().tail(Slot(0)).begin(), world.snapshot().tail(Slot(0)).end());
  };
  CHECK(tail() == std::vector<double>{0.5, -1, 0, 0, 0, 0, 0, 0, 0, 0});  // velocities and wrench are 0
  world.snapshot().tail(Slot(0))[0] = 7;
  world.apply(Reset{{WorldNumber(1)}}, instant(0));
  CHECK(tail() == std::vector<double>{0.5, -1, 0, 0, 0, 0, 0, 0, 0, 0});  // velocities and wrench are 0
  Model bad = built_in_models()[0];
  bad.name = "bad", bad.start = {1};
  CHECK(refusal(world, AddModel{bad}) == "model 'bad': start has a position for each joint, or none");
}

}  // namespace world_files_test

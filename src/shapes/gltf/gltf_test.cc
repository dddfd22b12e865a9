// Scenes as glTF, read back by hand. tests/e2e/test_export.py reads them with another's reader.
#include "shapes/gltf/gltf.h"

#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/approx.h"

namespace gltf_test {

using namespace convoy;

namespace {

using Json = nlohmann::json;

struct Glb {
  explicit Glb(const Bytes& bytes) {
    Reader in(bytes);
    CHECK(in.u32() == 0x46546C67);
    CHECK(in.u32() == 2);
    CHECK(in.u32() == bytes.size());
    const std::uint32_t size = in.u32();
    CHECK(size % 4 == 0);
    CHECK(in.u32() == 0x4E4F534A);
    json = Json::parse(as_text(in.bytes(size)));
    if (in.left() == 0) return;
    const std::uint32_t rest = in.u32();
    CHECK(in.u32() == 0x004E4942);
    const ByteView view = in.bytes(rest);
    binary.assign(view.begin(), view.end());
    CHECK(in.done());
  }
  const Json& node(const std::string& name) const {
    for (const Json& node : json["nodes"])
      if (node["name"] == name) return node;
    FAIL("no node " << name);
    return json;
  }
  // All the numbers of an accessor of floats.
  std::vector<float> floats(std::size_t accessor) const {
    const Json& view = json["bufferViews"][json["accessors"][accessor]["bufferView"].get<std::size_t>()];
    std::vector<float> out(view["byteLength"].get<std::size_t>() / 4);
    std::memcpy(out.data(), binary.data() + view["byteOffset"].get<std::size_t>(), 4 * out.size());
    return out;
  }
  Json json;
  Bytes binary;
};

// A box on an arm on a base, and a ball in the same colour.
Shapes arm() {
  Shapes out;
  out.links = {{"base", Link::Base::kRobot, kNoPart, 0, {}, {}}, {"arm", Link::Base::kLink, 0, 0, {{0, 0, 1}, {}}, {}}};
  Shape box;
  box.name = "hand", box.link = 1, box.kind = Shape::Kind::kBox, box.size = {1, 2, 3}, box.X_LS.p = {0.5, 0, 0};
  box.color = {255, 0, 188, 128};
  Shape ball;
  ball.kind = Shape::Kind::kSphere, ball.size = {0.1, 0, 0};
  Shape hidden = box;
  hidden.name = "hull", hidden.visible = false;
  out.shapes = {box, ball, ball, hidden};
  return out;
}

Bytes glb_of(const Shapes& shapes, const Pose& X_WR) {
  std::vector<Pose> X_WL;
  place_links(shapes, {X_WR, {}, {}}, X_WL);
  auto made = to_glb(std::vector<SceneItem>{{"dut", &shapes, X_WL}});
  REQUIRE(made);
  return *made;
}

}  // namespace

TEST_CASE("links hang on one another as in the model, under their entity, under a node that turns z up to y up") {
  const Glb dut(glb_of(arm(), {{4, 5, 6}, {}}));
  const Json& nodes = dut.json["nodes"];
  CHECK(dut.json["scenes"][0]["nodes"] == Json{0});
  CHECK(nodes[0]["rotation"][0] == approx(-0.70710678));
  const auto child = [&](const Json& node, std::size_t i) -> const Json& {
    return nodes[node["children"][i].get<std::size_t>()];
  };
  const Json& entity = child(nodes[0], 0);
  CHECK(entity["name"] == "dut");
  const Json& base = child(entity, 0);
  CHECK(base["name"] == "base");
  CHECK(base["translation"] == Json{4.0, 5.0, 6.0});
  const Json& link = child(base, 0);
  CHECK(link["name"] == "arm");
  CHECK(link["translation"] == Json{0.0, 0.0, 1.0});  // relative to its base
  CHECK(child(link, 0)["name"] == "hand");
  CHECK(link["children"].size() == 1);  // what is hidden is left out
}

TEST_CASE("colours are linear, what is transparent blends, and equal shapes are one mesh") {
  const Glb dut(glb_of(arm(), {}));
  const Json& hand = dut.json["meshes"][dut.node("hand")["mesh"].get<std::size_t>()]["primitives"][0];
  const Json& material = dut.json["materials"][hand["material"].get<std::size_t>()];
  const Json& color = material["pbrMetallicRoughness"]["baseColorFactor"];
  CHECK(color[0] == 1.0);
  CHECK(color[1] == 0.0);
  CHECK(color[2] == approx(0.5029).epsilon(1e-3));  // sRGB 188
  CHECK(color[3] == approx(128 / 255.0));
  CHECK(material["alphaMode"] == "BLEND");
  CHECK(dut.node("shape_1")["mesh"] == dut.node("shape_2")["mesh"]);
  CHECK(dut.json["meshes"].size() == 2);

  const std::size_t position = hand["attributes"]["POSITION"];
  CHECK(dut.json["accessors"][position]["max"] == Json{1.0, 2.0, 3.0});
  CHECK(dut.floats(position).size() == 24);
  const Json& ball = dut.json["meshes"][dut.node("shape_1")["mesh"].get<std::size_t>()]["primitives"][0];
  const auto at = dut.floats(ball["attributes"]["POSITION"]), normals = dut.floats(ball["attributes"]["NORMAL"]);
  for (std::size_t i = 0; i < at.size(); i += 3) {  // radial, as the triangles have it
    double along = 0;
    for (std::size_t k = i; k < i + 3; ++k) along += normals[k] * 10 * at[k];
    REQUIRE(along > 0.995);
  }
}

TEST_CASE("a picture on a plane is kept, repeated as the file says; elsewhere its mean colour is") {
  Shapes shapes = arm();
  shapes.textures = {{2, 1, 3, false, {255, 0, 0, 0, 0, 255}}};
  Material checker;
  checker.name = "checker", checker.texture = 0, checker.repeat_x = 4, checker.repeat_y = 2;
  shapes.materials = {checker};
  shapes.shapes[0].kind = Shape::Kind::kPlane, shapes.shapes[0].size = {1, 2, 0};
  shapes.shapes[0].material = shapes.shapes[1].material = 0;
  shapes.shapes[1].name = "ball", shapes.shapes[1].color = {255, 255, 255, 255};

  const Glb dut(glb_of(shapes, {}));

  const auto material_of = [&](const char* name) {
    const Json& primitive = dut.json["meshes"][dut.node(name)["mesh"].get<std::size_t>()]["primitives"][0];
    return dut.json["materials"][primitive["material"].get<std::size_t>()]["pbrMetallicRoughness"];
  };
  const Json plane = material_of("hand"), ball = material_of("ball");
  CHECK(plane["baseColorTexture"]["extensions"]["KHR_texture_transform"]["scale"] == Json{4.0, 2.0});
  CHECK(dut.json["extensionsUsed"] == Json{"KHR_texture_transform"});
  const Json& view = dut.json["bufferViews"][dut.json["images"][0]["bufferView"].get<std::size_t>()];
  CHECK(std::memcmp(dut.binary.data() + view["byteOffset"].get<std::size_t>(), "\x89PNG", 4) == 0);
  CHECK_FALSE(ball.contains("baseColorTexture"));
  CHECK(ball["baseColorFactor"][0] == 0.5);
  CHECK(ball["baseColorFactor"][1] == 0.0);
}

TEST_CASE("nothing to see is a sound file, and the same scene the same file") {
  const Glb dut(glb_of({}, {}));
  CHECK_FALSE(dut.json.contains("meshes"));
  CHECK(dut.binary.empty());
  CHECK(glb_of(arm(), {}) == glb_of(arm(), {}));
}

}  // namespace gltf_test

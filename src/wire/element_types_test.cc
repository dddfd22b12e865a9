#include "wire/element_types.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "core/hash.h"
#include "core/random.h"
#include "wire/element_samples.h"

namespace element_types_test {

using namespace convoy;
using namespace convoy::samples;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

ElementTypes types_of(const pb::FileDescriptorSet& set) {
  auto types = ElementTypes::make(serialised(set));
  if (!types) FAIL(types.error().message());
  return std::move(*types);
}
std::string refusal(const pb::FileDescriptorSet& set) {
  auto types = ElementTypes::make(serialised(set));
  REQUIRE(!types);
  CHECK(types.error().code == ErrorCode::kInvalid);
  return types.error().text;
}
bool has(const ElementTypes& types, const char* name) {
  const ElementType* type = types.find(element_type_id(name));
  return type && type->name == name;
}
std::string trouble(const tl::expected<Element, ElementTrouble>& parsed) {
  return parsed ? "parsed" : name_of(parsed.error());
}

}  // namespace

TEST_CASE("without a descriptor set there are vehicles and notes") {
  const auto types = ElementTypes::make();
  REQUIRE(types);

  CHECK(types->types().size() == 2);
  CHECK(has(*types, "convoy.Vehicle"));
  CHECK(has(*types, "convoy.Note"));
  CHECK(element_type_id("convoy.Note") == static_cast<std::uint32_t>(hash64(as_bytes("convoy.Note"))));
  CHECK(std::is_sorted(types->types().begin(), types->types().end(),
                       [](const ElementType& a, const ElementType& b) { return a.id < b.id; }));
}

TEST_CASE("a vehicle comes back with its common fields, whatever its wheels") {
  const auto types = ElementTypes::make();
  for (int wheels : {0, 2, 4, 18}) {
    const Element sent = vehicle(3, 9, -5, wheels);
    const auto parsed = types->parse(sent.type, sent.bytes);
    REQUIRE(parsed);
    CHECK(*parsed == sent);
  }
  const auto empty = types->parse(element_type_id("convoy.Note"), {});
  REQUIRE(empty);
  CHECK(empty->key() == ElementKey{Owner(0), ElementId(0)});
}

TEST_CASE("a type that no code was built for is found by its fields' names and read by reflection") {
  const ElementTypes types = types_of(beacon_set());
  Forge forge(beacon_set());
  const Bytes bytes = forge.beacon(4, 5, 1'000'000'007, [](pb::Message& m, const pb::Reflection& r) {
    r.AddDouble(&m, Forge::field(m, "ranges"), 2.5);
    r.SetString(&m, Forge::field(m, "text"), "north");
  });

  const auto parsed = types.parse(element_type_id("survey.Beacon"), bytes);

  REQUIRE(parsed);
  CHECK(*parsed == Element{element_type_id("survey.Beacon"), Owner(4), ElementId(5), 1'000'000'007, bytes});
  CHECK(!has(types, "survey.Part"));
  const auto json = types.to_json(*parsed);
  REQUIRE(json);
  CHECK(*json == R"({"connection":4,"id":5,"stamp":"1000000007","ranges":[2.5],"gain":0,"text":"north","blob":""})");
}

TEST_CASE("stamps are int64, sint64 or sfixed64; anything else is no element") {
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& file = add_file(set, "kinds.proto", "kinds");
  add_element(file, "Plain", FieldDescriptorProto::TYPE_INT64);
  add_element(file, "Zigzag", FieldDescriptorProto::TYPE_SINT64);
  add_element(file, "Fixed", FieldDescriptorProto::TYPE_SFIXED64);
  add_element(file, "Unsigned", FieldDescriptorProto::TYPE_UINT64);
  add_element(file, "Text", FieldDescriptorProto::TYPE_STRING);
  add_element(file, "RepeatedId").mutable_field(1)->set_label(FieldDescriptorProto::LABEL_REPEATED);
  add_element(file, "SignedId").mutable_field(1)->set_type(FieldDescriptorProto::TYPE_INT32);
  add_element(file, "NoConnection").mutable_field(0)->set_name("conn");
  pb::DescriptorProto& outer = *file.add_message_type();
  outer.set_name("Outer");
  pb::FileDescriptorProto spare;
  *outer.add_nested_type() = add_element(spare, "Inner");
  const ElementTypes types = types_of(set);
  Forge forge(set);

  CHECK(types.types().size() == 2 + 4);
  for (const char* name : {"kinds.Plain", "kinds.Zigzag", "kinds.Fixed", "kinds.Outer.Inner"}) {
    CAPTURE(name);
    CHECK(has(types, name));
    auto m = forge.message(name);
    m->GetReflection()->SetInt64(m.get(), Forge::field(*m, "stamp"), -77);
    const auto parsed = types.parse(element_type_id(name), serialised(*m));
    REQUIRE(parsed);
    CHECK(parsed->stamp == -77);
  }
}

TEST_CASE("an element without its connection is the same for every connection, and with it again what it was") {
  const ElementTypes types = types_of(beacon_set());
  Forge forge(beacon_set());
  const auto more = [](pb::Message& m, const pb::Reflection& r) {
    r.AddDouble(&m, Forge::field(m, "ranges"), 2.5);
    r.SetString(&m, Forge::field(m, "text"), "text");
  };
  const ElementTypeId id = element_type_id("survey.Beacon");
  const Bytes mine = forge.beacon(70'000, 2, 3, more), other = forge.beacon(5, 2, 3, more);
  Bytes twice = other;  // the last one counts, and none may stay
  twice.insert(twice.end(), mine.begin(), mine.end());

  CHECK(types.without_connection(id, mine) == types.without_connection(id, other));
  CHECK(types.without_connection(id, forge.beacon(0, 2, 3, more)) == types.without_connection(id, other));
  CHECK(types.without_connection(id, forge.beacon(1, 2, 4, more)) != types.without_connection(id, other));
  const auto back = types.parse(id, types.with_connection(id, Owner(70'000), types.without_connection(id, other)));
  REQUIRE(back);
  CHECK(back->connection == Owner(70'000));
  CHECK(back->id == ElementId(2));
  CHECK(back->stamp == 3);
  CHECK(types.parse(id, types.without_connection(id, twice))->connection == Owner(0));
  CHECK(types.without_connection(id, {}).empty());
}

TEST_CASE("files of a set may come in any order, twice, and bring the built-in ones along") {
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& late = add_file(set, "a.proto", "a");
  late.add_dependency("b.proto");
  late.add_dependency("convoy/element.proto");
  pb::DescriptorProto& message = add_element(late, "A");
  add_field(message, "b", 1, FieldDescriptorProto::TYPE_MESSAGE, ".b.B");
  add_field(message, "note", 2, FieldDescriptorProto::TYPE_MESSAGE, ".convoy.Note");
  pb::FileDescriptorProto& early = add_file(set, "b.proto", "b");
  early.add_message_type()->set_name("B");
  const pb::FileDescriptorProto again = early;
  *set.add_file() = again;
  Note::descriptor()->file()->CopyTo(set.add_file());
  pb::FileDescriptorProto& named = *set.add_file();  // as protoc writes it
  Note::descriptor()->file()->CopyTo(&named);
  Note::descriptor()->file()->CopyJsonNameTo(&named);
  named.mutable_source_code_info()->add_location()->set_leading_comments("a comment");

  CHECK(types_of(set).types().size() == 3);
}

TEST_CASE("a set that cannot be used is refused with the reason") {
  CHECK(ElementTypes::make(as_bytes("no descriptor set")).error().text ==
        "these bytes are no google.protobuf.FileDescriptorSet");
  CHECK(ElementTypes::make(Bytes(kMaxDescriptorSet + 1)).error().text == "the descriptor set is larger than 4 MiB");

  pb::FileDescriptorSet set = beacon_set();
  set.mutable_file(0)->add_dependency("google/protobuf/timestamp.proto");
  CHECK(refusal(set) ==
        "'survey.proto' imports 'google/protobuf/timestamp.proto', which the descriptor set does not "
        "hold (protoc: --include_imports)");
  set = beacon_set();
  set.mutable_file(0)->add_dependency("other.proto");
  add_file(set, "other.proto", "other").add_dependency("survey.proto");
  CHECK(refusal(set) == "the files of the descriptor set import one another: 'survey.proto'");
  set = beacon_set();
  set.mutable_file(0)->mutable_message_type(0)->mutable_field(5)->set_type_name(".survey.Nothing");
  CHECK(refusal(set) ==
        "the descriptor set cannot be built: survey.proto: survey.Beacon.part: \".survey.Nothing\" is "
        "not defined.");
  set = beacon_set();
  *set.add_file() = set.file(0);
  set.mutable_file(1)->mutable_message_type(0)->set_name("Beacon2");
  CHECK(refusal(set) == "the descriptor set's 'survey.proto' differs from the one known already");
  set.Clear();
  add_element(add_file(set, "mine.proto", "convoy"), "Vehicle");
  CHECK(refusal(set) ==
        "the descriptor set cannot be built: mine.proto: convoy.Vehicle.connection: "
        "\"convoy.Vehicle.connection\" is already defined in file \"convoy/element.proto\".");
}

TEST_CASE("the number of messages in a set is bounded, and a chain of that many does no harm") {
  for (int n : {2000, 2001}) {
    pb::FileDescriptorSet set;
    pb::FileDescriptorProto& file = add_file(set, "chain.proto", "chain");
    for (int i = 0; i < n; ++i) {
      pb::DescriptorProto& message = *file.add_message_type();
      message.set_name("M" + std::to_string(i));
      if (i + 1 < n)
        add_field(message, "next", 1, FieldDescriptorProto::TYPE_MESSAGE, (".chain.M" + std::to_string(i + 1)).c_str());
    }
    CHECK(ElementTypes::make(serialised(set)).has_value() == (n == 2000));
  }
}

TEST_CASE("two types with the same number on the wire are refused") {
  // By the birthday paradox 300,000 names hold about ten such pairs.
  std::vector<std::pair<ElementTypeId, int>> ids;
  for (int i = 0; i < 300'000; ++i) ids.push_back({element_type_id("t.A" + std::to_string(i)), i});
  std::sort(ids.begin(), ids.end());
  const auto pair = std::adjacent_find(ids.begin(), ids.end(), [](auto& a, auto& b) { return a.first == b.first; });
  REQUIRE(pair != ids.end());
  const std::string one = "A" + std::to_string(pair->second), other = "A" + std::to_string(pair[1].second);
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& file = add_file(set, "t.proto", "t");
  add_element(file, one);
  CHECK(types_of(set).types().size() == 3);

  add_element(file, other);

  CHECK(refusal(set).find("have the same number: rename one") != std::string::npos);
}

TEST_CASE("NaN and infinity are refused wherever they are") {
  const ElementTypes types = types_of(beacon_set());
  Forge forge(beacon_set());
  const ElementTypeId beacon = element_type_id("survey.Beacon");
  for (double bad : {kNan, kInfinity, -kInfinity}) {
    const float narrow = static_cast<float>(bad);
    CHECK(trouble(types.parse(beacon, forge.beacon(1, 1, 1, [&](pb::Message& m, const pb::Reflection& r) {
            r.AddDouble(&m, Forge::field(m, "ranges"), 1);
            r.AddDouble(&m, Forge::field(m, "ranges"), bad);
          }))) == "not_finite");
    CHECK(trouble(types.parse(beacon, forge.beacon(1, 1, 1, [&](pb::Message& m, const pb::Reflection& r) {
            r.SetFloat(&m, Forge::field(m, "gain"), narrow);
          }))) == "not_finite");
    CHECK(trouble(types.parse(beacon, forge.beacon(1, 1, 1, [&](pb::Message& m, const pb::Reflection& r) {
            pb::Message* part = r.MutableMessage(&m, Forge::field(m, "part"));
            for (int i = 0; i < 5; ++i) part = part->GetReflection()->AddMessage(part, Forge::field(*part, "parts"));
            part->GetReflection()->SetFloat(part, Forge::field(*part, "weight"), narrow);
          }))) == "not_finite");
    Element v = vehicle(1, 1, 1, 4, bad);
    CHECK(trouble(types.parse(v.type, v.bytes)) == "not_finite");
  }
}

TEST_CASE("NaN is found in maps and in extensions, and is no trouble as the default of a field that is not set") {
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& file = *set.add_file();  // proto2
  file.set_name("old.proto");
  file.set_package("old");
  pb::DescriptorProto& old = add_element(file, "Old");
  add_field(old, "gap", 1, FieldDescriptorProto::TYPE_DOUBLE);
  old.mutable_field(3)->set_default_value("nan");
  add_field(old, "table", 2, FieldDescriptorProto::TYPE_MESSAGE, ".old.Old.TableEntry", true);
  pb::DescriptorProto& entry = *old.add_nested_type();
  entry.set_name("TableEntry");
  entry.mutable_options()->set_map_entry(true);
  add_field(entry, "key", 1, FieldDescriptorProto::TYPE_UINT32);
  add_field(entry, "value", 2, FieldDescriptorProto::TYPE_FLOAT);
  old.add_extension_range()->set_start(100);
  old.mutable_extension_range(0)->set_end(200);
  FieldDescriptorProto& extra = *file.add_extension();
  extra.set_name("extra");
  extra.set_number(100);
  extra.set_type(FieldDescriptorProto::TYPE_DOUBLE);
  extra.set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  extra.set_extendee(".old.Old");
  const ElementTypes types = types_of(set);
  Forge forge(set);
  const auto with = [&](double in_table, double in_extra) {
    auto m = forge.message("old.Old");
    const pb::Reflection& r = *m->GetReflection();
    pb::Message* row = r.AddMessage(m.get(), Forge::field(*m, "table"));
    row->GetReflection()->SetFloat(row, Forge::field(*row, "value"), static_cast<float>(in_table));
    r.SetDouble(m.get(), m->GetDescriptor()->file()->extension(0), in_extra);
    return trouble(types.parse(element_type_id("old.Old"), serialised(*m)));
  };

  CHECK(with(1, 1) == "parsed");
  CHECK(with(kNan, 1) == "not_finite");
  CHECK(with(1, kInfinity) == "not_finite");
}

TEST_CASE("messages inside messages are bounded in depth") {
  const ElementTypes types = types_of(beacon_set());
  Forge forge(beacon_set());
  for (int depth : {kMaxElementDepth, kMaxElementDepth + 1, 500}) {
    const Bytes bytes = forge.beacon(1, 1, 1, [&](pb::Message& m, const pb::Reflection& r) {
      pb::Message* part = r.MutableMessage(&m, Forge::field(m, "part"));
      for (int i = 1; i < depth; ++i) part = part->GetReflection()->AddMessage(part, Forge::field(*part, "parts"));
    });
    CHECK(trouble(types.parse(element_type_id("survey.Beacon"), bytes)) ==
          (depth <= kMaxElementDepth ? "parsed" : "malformed"));
  }
}

TEST_CASE("unknown types, too many bytes, wrong text and missing fields are refused by name") {
  pb::FileDescriptorSet set = beacon_set();
  pb::FileDescriptorProto& old = *set.add_file();
  old.set_name("old.proto");
  add_element(old, "Old").mutable_field(1)->set_label(FieldDescriptorProto::LABEL_REQUIRED);
  const ElementTypes types = types_of(set);
  Forge forge(set);
  const ElementTypeId beacon = element_type_id("survey.Beacon");
  const auto with = [&](const char* field, const std::string& text) {
    return forge.beacon(
        1, 1, 1, [&](pb::Message& m, const pb::Reflection& r) { r.SetString(&m, Forge::field(m, field), text); });
  };

  CHECK(trouble(types.parse(12345, with("text", "x"))) == "unknown_element_type");
  CHECK(trouble(types.parse(0, {})) == "unknown_element_type");
  CHECK(trouble(types.parse(beacon, with("blob", "\xff\xfe"))) == "parsed");
  CHECK(trouble(types.parse(beacon, with("text", "\xff\xfe"))) == "malformed");
  CHECK(trouble(types.parse(element_type_id("Old"), {})) == "malformed");
  CHECK(trouble(types.parse(beacon, with("blob", std::string(kMaxElement - 19, 'x')))) == "parsed");
  CHECK(trouble(types.parse(beacon, with("blob", std::string(kMaxElement, 'x')))) == "too_large");
  CHECK(!types.to_json({beacon, Owner(1), ElementId(1), 1, {0xff}}));
  CHECK(types.to_json({99, Owner(1), ElementId(1), 1, {}}).error().code == ErrorCode::kNotFound);
}

TEST_CASE("a message cut short is refused, but where a whole number of fields is left") {
  const auto types = ElementTypes::make();
  const Element sent = vehicle(1, 2, 3);
  // Field borders of the top level: connection, id, stamp, speed, chassis, four wheels.
  const Vehicle whole = [&] {
    Vehicle v;
    v.ParseFromArray(sent.bytes.data(), static_cast<int>(sent.bytes.size()));
    return v;
  }();
  std::vector<std::size_t> borders{0, 2, 4, 6, 15};
  borders.push_back(15 + 2 + whole.chassis().ByteSizeLong());
  for (const auto& wheel : whole.wheels()) borders.push_back(borders.back() + 2 + wheel.ByteSizeLong());
  REQUIRE(borders.back() == sent.bytes.size());

  for (std::size_t n = 0; n <= sent.bytes.size(); ++n) {
    CAPTURE(n);
    const bool border = std::find(borders.begin(), borders.end(), n) != borders.end();
    CHECK(types->parse(sent.type, ByteView(sent.bytes).first(n)).has_value() == border);
  }
}

TEST_CASE("flipped bits and random bytes give an element or a reason, and JSON for each element") {
  const ElementTypes types = types_of(beacon_set());
  const Element sent = vehicle(1, 2, 3);
  const auto check_damaged = [&](ElementTypeId type, const Bytes& bytes) {
    const auto parsed = types.parse(type, bytes);
    if (parsed) CHECK(types.to_json(*parsed));
    return parsed.has_value();
  };
  for (std::size_t bit = 0; bit < 8 * sent.bytes.size(); ++bit) {
    Bytes damaged = sent.bytes;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    check_damaged(sent.type, damaged);
  }
  Random random{7, 0};
  for (int i = 0; i < 5'000; ++i) {
    Bytes garbage(random.below(60));
    for (std::uint8_t& byte : garbage) byte = static_cast<std::uint8_t>(random.bits());
    check_damaged(types.types()[random.below(3)].id, garbage);
  }
}

TEST_CASE("an element's fields say where it is and whom it reaches, by name and type") {
  const auto types = *ElementTypes::make();
  const auto reach = [&](const auto& message) {
    const ElementTypeId type = element_type_id(message.GetTypeName());
    const auto element = types.parse(type, as_bytes(message.SerializeAsString()));
    REQUIRE(element);
    return types.reach(*element);
  };
  Vehicle car;
  CHECK(reach(car) == ElementReach{});
  car.mutable_chassis()->mutable_p()->set_x(2), car.mutable_chassis()->mutable_q()->set_z(3);  // no rotation
  car.set_radius(7);
  CHECK(reach(car) == ElementReach{.pose = Pose{{2, 0, 0}, {}}, .radius = 7});
  car.mutable_chassis()->mutable_q()->set_z(1.25);
  CHECK(reach(car).pose->q.z == 1);
  Note note;
  note.mutable_position()->set_y(3), note.set_parent("mule"), note.set_radius(-1);
  note.add_to("alice"), note.add_to("mule");
  note.mutable_region()->set_x(1), note.mutable_region()->set_radius(4);
  CHECK(reach(note) == ElementReach{.pose = Pose{{0, 3, 0}, {}},
                                    .parent = "mule",
                                    .to = {"alice", "mule"},
                                    .region = ElementReach::Region{1, 0, 4}});
  CHECK(types.has_reach(element_type_id("convoy.Note")));
  CHECK_FALSE(types.has_reach(7));
}

TEST_CASE(
    "fields of the right names and other types say nothing of where an element is; a user's own type may say all") {
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& file = add_file(set, "survey.proto", "survey");
  file.add_dependency("convoy/control.proto");
  pb::DescriptorProto& other = add_element(file, "Other");
  add_field(other, "pose", 1, FieldDescriptorProto::TYPE_STRING);
  add_field(other, "parent", 2, FieldDescriptorProto::TYPE_UINT32);
  add_field(other, "to", 3, FieldDescriptorProto::TYPE_STRING);
  add_field(other, "region", 4, FieldDescriptorProto::TYPE_MESSAGE, ".convoy.proto.Pose");
  pb::DescriptorProto& cart = add_element(file, "Cart");
  add_field(cart, "pose", 1, FieldDescriptorProto::TYPE_MESSAGE, ".convoy.proto.Pose");
  add_field(cart, "radius", 2, FieldDescriptorProto::TYPE_FLOAT);
  const ElementTypes types = types_of(set);

  CHECK_FALSE(types.has_reach(element_type_id("survey.Other")));
  REQUIRE(types.has_reach(element_type_id("survey.Cart")));
  // 1: {1: {1: 2.0}}, 2: 0.5
  const Bytes bytes{0x0a, 0x0b, 0x0a, 0x09, 0x09, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x15, 0, 0, 0, 0x3f};
  const auto element = types.parse(element_type_id("survey.Cart"), bytes);
  REQUIRE(element);
  CHECK(types.reach(*element) == ElementReach{.pose = Pose{{2, 0, 0}, {}}, .radius = 0.5});
}

}  // namespace element_types_test

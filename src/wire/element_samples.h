// Elements for tests: the built-in ones, and a type that no code was generated for.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include <functional>
#include <memory>
#include <string>

#include "convoy/element.pb.h"
#include "wire/element_types.h"

namespace convoy::samples {

namespace pb = google::protobuf;
using pb::FieldDescriptorProto;

inline Bytes serialised(const pb::Message& message) {
  const std::string text = message.SerializePartialAsString();
  return Bytes(text.begin(), text.end());
}

inline void add_field(pb::DescriptorProto& message, const char* name, int number, FieldDescriptorProto::Type type,
                      const char* type_name = nullptr, bool repeated = false) {
  FieldDescriptorProto& field = *message.add_field();
  field.set_name(name);
  field.set_number(number);
  field.set_type(type);
  field.set_label(repeated ? FieldDescriptorProto::LABEL_REPEATED : FieldDescriptorProto::LABEL_OPTIONAL);
  if (type_name) field.set_type_name(type_name);
}

// The common fields, with numbers of its own.
inline pb::DescriptorProto& add_element(pb::FileDescriptorProto& file, const std::string& name,
                                        FieldDescriptorProto::Type stamp = FieldDescriptorProto::TYPE_SFIXED64) {
  pb::DescriptorProto& message = *file.add_message_type();
  message.set_name(name);
  add_field(message, "connection", 30, FieldDescriptorProto::TYPE_UINT32);
  add_field(message, "id", 7, FieldDescriptorProto::TYPE_UINT32);
  add_field(message, "stamp", 9, stamp);
  return message;
}

inline pb::FileDescriptorProto& add_file(pb::FileDescriptorSet& set, const char* name, const char* package) {
  pb::FileDescriptorProto& file = *set.add_file();
  file.set_name(name);
  file.set_package(package);
  file.set_syntax("proto3");
  return file;
}

// survey.Beacon: ranges, a tree of parts, and a text.
inline pb::FileDescriptorSet beacon_set() {
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& file = add_file(set, "survey.proto", "survey");
  pb::DescriptorProto& beacon = add_element(file, "Beacon");
  add_field(beacon, "ranges", 1, FieldDescriptorProto::TYPE_DOUBLE, nullptr, true);
  add_field(beacon, "gain", 2, FieldDescriptorProto::TYPE_FLOAT);
  add_field(beacon, "part", 3, FieldDescriptorProto::TYPE_MESSAGE, ".survey.Part");
  add_field(beacon, "text", 4, FieldDescriptorProto::TYPE_STRING);
  add_field(beacon, "blob", 5, FieldDescriptorProto::TYPE_BYTES);
  pb::DescriptorProto& part = *file.add_message_type();
  part.set_name("Part");
  add_field(part, "weight", 1, FieldDescriptorProto::TYPE_FLOAT);
  add_field(part, "parts", 2, FieldDescriptorProto::TYPE_MESSAGE, ".survey.Part", true);
  return set;
}

// Fills and serialises messages of a set by reflection.
class Forge {
 public:
  explicit Forge(const pb::FileDescriptorSet& set) {
    for (const auto& file : set.file()) pool_.BuildFile(file);
  }
  std::unique_ptr<pb::Message> message(const char* type) {
    return std::unique_ptr<pb::Message>(factory_.GetPrototype(pool_.FindMessageTypeByName(type))->New());
  }
  static const pb::FieldDescriptor* field(const pb::Message& m, const char* name) {
    return m.GetDescriptor()->FindFieldByName(name);
  }
  // A survey.Beacon; `more` may fill in the rest.
  Bytes beacon(std::uint32_t connection, std::uint32_t id, std::int64_t stamp,
               const std::function<void(pb::Message&, const pb::Reflection&)>& more = {}) {
    auto m = message("survey.Beacon");
    const pb::Reflection& r = *m->GetReflection();
    r.SetUInt32(m.get(), field(*m, "connection"), connection);
    r.SetUInt32(m.get(), field(*m, "id"), id);
    r.SetInt64(m.get(), field(*m, "stamp"), stamp);
    if (more) more(*m, r);
    return serialised(*m);
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_{&pool_};
};

inline Element note(std::uint32_t connection, std::uint32_t id, std::int64_t stamp, const std::string& text = "") {
  Note n;
  n.set_connection(connection);
  n.set_id(id);
  n.set_stamp(stamp);
  n.set_text(text);
  return {element_type_id("convoy.Note"), Owner(connection), ElementId(id), stamp, serialised(n)};
}

inline Element vehicle(std::uint32_t connection, std::uint32_t id, std::int64_t stamp, int wheels = 4, double x = 0) {
  Vehicle v;
  v.set_connection(connection);
  v.set_id(id);
  v.set_stamp(stamp);
  v.set_speed(3.5);
  v.mutable_chassis()->mutable_p()->set_x(x);
  v.mutable_chassis()->mutable_q()->set_w(1);
  for (int i = 0; i < wheels; ++i) v.add_wheels()->mutable_p()->set_y(i + 0.25);
  return {element_type_id("convoy.Vehicle"), Owner(connection), ElementId(id), stamp, serialised(v)};
}

}  // namespace convoy::samples

#include "wire/element_types.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "convoy/control.pb.h"
#include "convoy/element.pb.h"
#include "core/check.h"
#include "core/hash.h"
#include "core/pose.h"

namespace convoy {

namespace pb = google::protobuf;
using Field = pb::FieldDescriptor;

namespace {

struct Plan;

// A type with what is needed to read it.
struct Known {
  const pb::Descriptor* descriptor = nullptr;
  const pb::Message* prototype = nullptr;
  const Plan* plan = nullptr;
  const Field *connection = nullptr, *id = nullptr, *stamp = nullptr;
  const Field *pose = nullptr, *parent = nullptr, *radius = nullptr, *to = nullptr, *region = nullptr;  // may lack
  bool has_reach() const { return pose || parent || to || region; }
};

class FirstError final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const pb::Message*, ErrorLocation,
                const std::string& message) override {
    if (text.empty()) text = file + ": " + element + ": " + message;
  }
  std::string text;
};

bool is_single(const Field* field, std::initializer_list<Field::Type> types) {
  return field && !field->is_repeated() && std::find(types.begin(), types.end(), field->type()) != types.end();
}

bool is_element(const pb::Descriptor& type, Known& known) {
  known.descriptor = &type;
  known.connection = type.FindFieldByName("connection");
  known.id = type.FindFieldByName("id");
  known.stamp = type.FindFieldByName("stamp");
  return is_single(known.connection, {Field::TYPE_UINT32}) && is_single(known.id, {Field::TYPE_UINT32}) &&
         is_single(known.stamp, {Field::TYPE_INT64, Field::TYPE_SINT64, Field::TYPE_SFIXED64});
}

bool is_message(const Field* field, std::initializer_list<const char*> types) {
  return is_single(field, {Field::TYPE_MESSAGE}) &&
         std::find(types.begin(), types.end(), field->message_type()->full_name()) != types.end();
}

// The fields by which an element says where it is and whom it reaches. One of the name and another type is the user's
// own business.
void find_reach(Known& known) {
  const pb::Descriptor& type = *known.descriptor;
  const std::string& name = type.full_name();
  const char* place = name == "convoy.Vehicle" ? "chassis" : name == "convoy.Note" ? "position" : "pose";
  const auto found = [&](const char* field, bool fits) { return fits ? type.FindFieldByName(field) : nullptr; };
  known.pose = found(place, is_message(type.FindFieldByName(place), {"convoy.proto.Pose", "convoy.proto.Vec3"}));
  known.parent = found("parent", is_single(type.FindFieldByName("parent"), {Field::TYPE_STRING}));
  known.radius = found("radius", is_single(type.FindFieldByName("radius"), {Field::TYPE_DOUBLE, Field::TYPE_FLOAT}));
  const Field* to = type.FindFieldByName("to");
  known.to = found("to", to && to->is_repeated() && to->type() == Field::TYPE_STRING);
  known.region = found("region", is_message(type.FindFieldByName("region"), {"convoy.Region"}));
}

// All messages of a file, nested ones too, by a list instead of recursion.
void messages_of(const pb::FileDescriptor& file, std::vector<const pb::Descriptor*>& all) {
  std::size_t next = all.size();
  for (int i = 0; i < file.message_type_count(); ++i) all.push_back(file.message_type(i));
  for (; next < all.size(); ++next)
    for (int i = 0; i < all[next]->nested_type_count(); ++i) all.push_back(all[next]->nested_type(i));
}

// Whether a set's file is the one that the pool has already. Sets differ in whether they hold JSON names and comments.
bool same_file(const pb::FileDescriptor& built, pb::FileDescriptorProto other) {
  pb::FileDescriptorProto bare;
  built.CopyTo(&bare);
  pb::FileDescriptorProto named = bare;
  built.CopyJsonNameTo(&named);
  other.clear_source_code_info();
  const std::string text = other.SerializeAsString();
  return text == bare.SerializeAsString() || text == named.SerializeAsString();
}

Status build_file(pb::DescriptorPool& pool, const pb::FileDescriptorProto& file) {
  if (const pb::FileDescriptor* built = pool.FindFileByName(file.name())) {
    if (same_file(*built, file)) return {};
    return fail(ErrorCode::kInvalid, "the descriptor set's '" + file.name() + "' differs from the one known already");
  }
  FirstError error;
  if (pool.BuildFileCollectingErrors(file, &error)) return {};
  return fail(ErrorCode::kInvalid, "the descriptor set cannot be built: " + error.text);
}

bool imports_built(const pb::DescriptorPool& pool, const pb::FileDescriptorProto& file) {
  return std::all_of(file.dependency().begin(), file.dependency().end(),
                     [&](const std::string& name) { return pool.FindFileByName(name) != nullptr; });
}

// Why none of these files can be built: an import that is nowhere, or a circle.
Status stuck(const pb::DescriptorPool& pool, const std::vector<const pb::FileDescriptorProto*>& files) {
  for (const auto* file : files)
    for (const std::string& name : file->dependency()) {
      const bool waits = std::any_of(files.begin(), files.end(), [&](const auto* f) { return f->name() == name; });
      if (!waits && !pool.FindFileByName(name))
        return fail(ErrorCode::kInvalid, "'" + file->name() + "' imports '" + name +
                                             "', which the descriptor set does not hold (protoc: --include_imports)");
    }
  return fail(ErrorCode::kInvalid, "the files of the descriptor set import one another: '" + files[0]->name() + "'");
}

// Files may come in any order; each is built when its imports are.
Status build_files(pb::DescriptorPool& pool, const pb::FileDescriptorSet& set) {
  std::vector<const pb::FileDescriptorProto*> waiting;
  for (const auto& file : set.file()) waiting.push_back(&file);
  while (!waiting.empty()) {
    std::vector<const pb::FileDescriptorProto*> later;
    for (const auto* file : waiting) {
      if (!imports_built(pool, *file)) {
        later.push_back(file);
        continue;
      }
      if (Status built = build_file(pool, *file); !built) return built;
    }
    if (later.size() == waiting.size()) return stuck(pool, later);
    waiting.swap(later);
  }
  return {};
}

std::size_t count_messages(const pb::FileDescriptorSet& set) {
  std::vector<const pb::DescriptorProto*> all;
  for (const auto& file : set.file())
    for (const auto& message : file.message_type()) all.push_back(&message);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& nested : all[i]->nested_type()) all.push_back(&nested);
  return all.size();
}

// Where a message can hold floats: so that a check of it needs no list of its fields each time.
struct Plan {
  struct Inner {
    const Field* field;
    const Plan* plan;
  };
  std::vector<const Field*> floats;  // float or double
  std::vector<Inner> inner;          // messages
};

bool finite_value(const pb::Message& message, const pb::Reflection& reflection, const Field* field) {
  const bool wide = field->cpp_type() == Field::CPPTYPE_DOUBLE;
  if (!field->is_repeated())  // unset, proto2 may have NaN for its default
    return std::isfinite(wide ? reflection.GetDouble(message, field) : double{reflection.GetFloat(message, field)}) ||
           !reflection.HasField(message, field);
  for (int i = 0, n = reflection.FieldSize(message, field); i < n; ++i)
    if (!std::isfinite(wide ? reflection.GetRepeatedDouble(message, field, i)
                            : double{reflection.GetRepeatedFloat(message, field, i)}))
      return false;
  return true;
}

// The depth is bounded: the parser let in no more than kMaxElementDepth.
bool all_finite(const pb::Message& message, const Plan& plan) {
  const pb::Reflection& reflection = *message.GetReflection();
  for (const Field* field : plan.floats)
    if (!finite_value(message, reflection, field)) return false;
  for (const auto& [field, inner] : plan.inner) {
    if (!field->is_repeated()) {
      if (reflection.HasField(message, field) && !all_finite(reflection.GetMessage(message, field), *inner))
        return false;
      continue;
    }
    for (int i = 0, n = reflection.FieldSize(message, field); i < n; ++i)
      if (!all_finite(reflection.GetRepeatedMessage(message, field, i), *inner)) return false;
  }
  return true;
}

// Plans of all messages of a pool; they refer to one another, so they stay where they are.
class Plans {
 public:
  const Plan& of(const pb::Descriptor* message) const { return plans_.at(message); }
  void add(const pb::DescriptorPool& pool, const std::vector<const pb::Descriptor*>& messages) {
    for (const pb::Descriptor* message : messages) plans_[message];
    for (const pb::Descriptor* message : messages) {
      Plan& plan = plans_[message];
      for (int i = 0; i < message->field_count(); ++i) add(plan, message->field(i));
      std::vector<const Field*> extensions;  // of proto2
      pool.FindAllExtensions(message, &extensions);
      for (const Field* field : extensions) add(plan, field);
    }
  }

 private:
  void add(Plan& plan, const Field* field) {
    if (field->cpp_type() == Field::CPPTYPE_DOUBLE || field->cpp_type() == Field::CPPTYPE_FLOAT)
      plan.floats.push_back(field);
    else if (field->cpp_type() == Field::CPPTYPE_MESSAGE)
      plan.inner.push_back({field, &plans_.at(field->message_type())});
  }
  std::map<const pb::Descriptor*, Plan> plans_;  // searched by key, never iterated
};

bool can_lack_fields(const pb::Descriptor& message) {
  for (int i = 0; i < message.field_count(); ++i)
    if (message.field(i)->is_required()) return true;
  return false;
}

// A message on an arena, most of them without touching the heap.
class Scratch {
 public:
  // nullptr if the bytes are no such message. Lives as long as this.
  const pb::Message* parse(const pb::Message& prototype, ByteView bytes, bool check_required) {
    pb::Message* message = prototype.New(&arena_);
    pb::io::CodedInputStream in(bytes.data(), static_cast<int>(bytes.size()));
    in.SetRecursionLimit(kMaxElementDepth);
    const bool sound = message->ParsePartialFromCodedStream(&in) && in.ConsumedEntireMessage() &&
                       (!check_required || message->IsInitialized());
    return sound ? message : nullptr;
  }

 private:
  alignas(8) char block_[4096];
  pb::Arena arena_{block_, sizeof block_};
};

}  // namespace

ElementTypeId element_type_id(std::string_view full_name) {
  return static_cast<ElementTypeId>(hash64(as_bytes(full_name)));
}

const char* name_of(ElementTrouble trouble) {
  switch (trouble) {
    case ElementTrouble::kUnknownType: return "unknown_element_type";
    case ElementTrouble::kTooLarge: return "too_large";
    case ElementTrouble::kMalformed: return "malformed";
    case ElementTrouble::kNotFinite: return "not_finite";
    case ElementTrouble::kCount: break;
  }
  return "unknown";
}

struct ElementTypes::Inside {
  pb::LogSilencer silence;
  pb::DescriptorPool pool;  // our own: a set must not meet what else is linked in
  pb::DynamicMessageFactory factory{&pool};
  std::vector<ElementType> types;  // by id
  std::vector<Known> known;        // beside them
  Plans plans;
  bool check_required = false;  // proto2: some message has a required field

  Status add_types(const std::vector<const pb::FileDescriptor*>& files);
  const Known* find(ElementTypeId id) const;
};

// Prototypes of all messages are made here, because making one later would change the factory.
Status ElementTypes::Inside::add_types(const std::vector<const pb::FileDescriptor*>& files) {
  std::vector<const pb::Descriptor*> messages;
  for (const pb::FileDescriptor* file : files) messages_of(*file, messages);
  plans.add(pool, messages);
  std::vector<std::pair<ElementType, Known>> found;
  for (const pb::Descriptor* message : messages) {
    check_required = check_required || can_lack_fields(*message);
    Known entry;
    entry.prototype = factory.GetPrototype(message);
    entry.plan = &plans.of(message);
    if (!is_element(*message, entry)) continue;
    find_reach(entry);
    found.push_back({{element_type_id(message->full_name()), message->full_name()}, entry});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.id, a.first.name) < std::tie(b.first.id, b.first.name);
  });
  for (const auto& [type, entry] : found) {
    if (type.id == 0) return fail(ErrorCode::kInvalid, "element type '" + type.name + "' has the number 0: rename it");
    if (!types.empty() && types.back().id == type.id)
      return fail(ErrorCode::kInvalid,
                  "element types '" + types.back().name + "' and '" + type.name + "' have the same number: rename one");
    types.push_back(type);
    known.push_back(entry);
  }
  return {};
}

const Known* ElementTypes::Inside::find(ElementTypeId id) const {
  const auto at = std::lower_bound(types.begin(), types.end(), id,
                                   [](const ElementType& type, ElementTypeId wanted) { return type.id < wanted; });
  return at != types.end() && at->id == id ? &known[static_cast<std::size_t>(at - types.begin())] : nullptr;
}

ElementTypes::ElementTypes(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
ElementTypes::ElementTypes(ElementTypes&&) noexcept = default;
ElementTypes& ElementTypes::operator=(ElementTypes&&) noexcept = default;
ElementTypes::~ElementTypes() = default;

Result<ElementTypes> ElementTypes::make(ByteView descriptor_set) {
  if (descriptor_set.size() > kMaxDescriptorSet)
    return fail(ErrorCode::kInvalid, "the descriptor set is larger than 4 MiB");
  auto inside = std::make_unique<Inside>();
  pb::FileDescriptorSet set, built_in;
  if (!set.ParseFromArray(descriptor_set.data(), static_cast<int>(descriptor_set.size())))
    return fail(ErrorCode::kInvalid, "these bytes are no google.protobuf.FileDescriptorSet");
  if (count_messages(set) > kMaxMessageTypes)
    return fail(ErrorCode::kInvalid, "the descriptor set holds more than 2000 messages");
  proto::Pose::descriptor()->file()->CopyTo(built_in.add_file());
  Vehicle::descriptor()->file()->CopyTo(built_in.add_file());

  std::vector<const pb::FileDescriptor*> files;
  for (const pb::FileDescriptorSet* each : {&built_in, &set}) {
    if (Status built = build_files(inside->pool, *each); !built) return tl::unexpected(built.error());
    for (const auto& file : each->file()) files.push_back(inside->pool.FindFileByName(file.name()));
  }
  std::sort(files.begin(), files.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
  files.erase(std::unique(files.begin(), files.end()), files.end());  // a set may hold a built-in file too
  if (Status added = inside->add_types(files); !added) return tl::unexpected(added.error());
  return ElementTypes(std::move(inside));
}

const std::vector<ElementType>& ElementTypes::types() const { return inside_->types; }

const ElementType* ElementTypes::find(ElementTypeId id) const {
  const Known* known = inside_->find(id);
  return known ? &inside_->types[static_cast<std::size_t>(known - inside_->known.data())] : nullptr;
}

tl::expected<Element, ElementTrouble> ElementTypes::parse(ElementTypeId type, ByteView bytes) const {
  const Known* known = inside_->find(type);
  if (!known) return tl::unexpected(ElementTrouble::kUnknownType);
  if (bytes.size() > kMaxElement) return tl::unexpected(ElementTrouble::kTooLarge);
  Scratch scratch;
  const pb::Message* message = scratch.parse(*known->prototype, bytes, inside_->check_required);
  if (!message) return tl::unexpected(ElementTrouble::kMalformed);
  if (!all_finite(*message, *known->plan)) return tl::unexpected(ElementTrouble::kNotFinite);
  const pb::Reflection& reflection = *message->GetReflection();
  return Element{type, Owner(reflection.GetUInt32(*message, known->connection)),
                 ElementId(reflection.GetUInt32(*message, known->id)), reflection.GetInt64(*message, known->stamp),
                 Bytes(bytes.begin(), bytes.end())};
}

tl::expected<Element, ElementTrouble> ElementTypes::address(ElementTypeId type, const ElementKey& key,
                                                            std::int64_t stamp, ByteView bytes) const {
  const Known* known = inside_->find(type);
  if (!known) return tl::unexpected(ElementTrouble::kUnknownType);
  if (bytes.size() > kMaxElement) return tl::unexpected(ElementTrouble::kTooLarge);
  std::string out(as_text(bytes));
  {
    pb::io::StringOutputStream stream(&out);
    pb::io::CodedOutputStream coded(&stream);
    using Wire = pb::internal::WireFormatLite;
    Wire::WriteUInt32(known->connection->number(), key.connection.value(), &coded);
    Wire::WriteUInt32(known->id->number(), key.id.value(), &coded);
    const int number = known->stamp->number();
    if (known->stamp->type() == Field::TYPE_SINT64) Wire::WriteSInt64(number, stamp, &coded);
    else if (known->stamp->type() == Field::TYPE_SFIXED64) Wire::WriteSFixed64(number, stamp, &coded);
    else Wire::WriteInt64(number, stamp, &coded);
  }
  return parse(type, as_bytes(out));
}

Bytes ElementTypes::without_connection(ElementTypeId type, ByteView bytes) const {
  const Known* known = inside_->find(type);
  EXPECTS(known != nullptr);
  using Wire = pb::internal::WireFormatLite;
  pb::io::CodedInputStream in(bytes.data(), static_cast<int>(bytes.size()));
  in.SetRecursionLimit(kMaxElementDepth);
  Bytes out;
  out.reserve(bytes.size());
  for (int begin = 0;; begin = in.CurrentPosition()) {
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0 || !Wire::SkipField(&in, tag)) return out;
    if (Wire::GetTagFieldNumber(tag) != known->connection->number())
      out.insert(out.end(), bytes.begin() + begin, bytes.begin() + in.CurrentPosition());
  }
}

Bytes ElementTypes::with_connection(ElementTypeId type, Owner connection, ByteView without) const {
  const Known* known = inside_->find(type);
  EXPECTS(known != nullptr);
  std::uint8_t field[16];
  const std::uint8_t* const end =
      pb::internal::WireFormatLite::WriteUInt32ToArray(known->connection->number(), connection.value(), field);
  Bytes out(without.begin(), without.end());
  out.insert(out.end(), static_cast<const std::uint8_t*>(field), end);
  return out;
}

namespace {

double number_of(const pb::Message& message, const Field* field) {
  const pb::Reflection& reflection = *message.GetReflection();
  return field->cpp_type() == Field::CPPTYPE_DOUBLE ? reflection.GetDouble(message, field)
                                                    : double{reflection.GetFloat(message, field)};
}
double number_of(const pb::Message& message, const char* name) {
  return number_of(message, message.GetDescriptor()->FindFieldByName(name));
}
Vec3 vector_of(const pb::Message& v) { return {number_of(v, "x"), number_of(v, "y"), number_of(v, "z")}; }

// A field of a message that is one itself; nullptr: it is not set.
const pb::Message* inner_of(const pb::Message& message, const Field* field) {
  const pb::Reflection& reflection = *message.GetReflection();
  return reflection.HasField(message, field) ? &reflection.GetMessage(message, field) : nullptr;
}
const pb::Message* inner_of(const pb::Message& message, const char* name) {
  return inner_of(message, message.GetDescriptor()->FindFieldByName(name));
}

Pose pose_of(const pb::Message& place) {
  if (place.GetDescriptor()->full_name() == "convoy.proto.Vec3") return {vector_of(place), {}};
  Pose pose;
  if (const pb::Message* p = inner_of(place, "p")) pose.p = vector_of(*p);
  if (const pb::Message* q = inner_of(place, "q")) {
    const Quat turn{number_of(*q, "w"), number_of(*q, "x"), number_of(*q, "y"), number_of(*q, "z")};
    // Anything but a rotation is none: the edits that place bodies would refuse it.
    const double length = turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
    if (length > 0.25 && length < 4) pose.q = unit(turn);
  }
  return pose;
}

}  // namespace

bool ElementTypes::has_reach(ElementTypeId type) const {
  const Known* known = inside_->find(type);
  return known && known->has_reach();
}

ElementReach ElementTypes::reach(const Element& element) const {
  ElementReach out;
  const Known* known = inside_->find(element.type);
  if (!known || !known->has_reach()) return out;
  Scratch scratch;
  const pb::Message* message = scratch.parse(*known->prototype, element.bytes, false);
  if (!message) return out;
  const pb::Reflection& reflection = *message->GetReflection();
  if (known->pose)
    if (const pb::Message* place = inner_of(*message, known->pose)) out.pose = pose_of(*place);
  if (known->parent) out.parent = reflection.GetString(*message, known->parent);
  if (known->radius) out.radius = std::max(0.0, number_of(*message, known->radius));
  if (known->to)
    for (int i = 0, n = reflection.FieldSize(*message, known->to); i < n; ++i)
      out.to.push_back(reflection.GetRepeatedString(*message, known->to, i));
  if (known->region)
    if (const pb::Message* region = inner_of(*message, known->region))
      out.region = {number_of(*region, "x"), number_of(*region, "y"), number_of(*region, "radius")};
  return out;
}

Result<std::string> ElementTypes::to_json(const Element& element) const {
  const Known* known = inside_->find(element.type);
  if (!known) return fail(ErrorCode::kNotFound, "unknown element type " + std::to_string(element.type));
  if (element.bytes.size() > kMaxElement) return fail(ErrorCode::kInvalid, "the element is larger than 64 KiB");
  Scratch scratch;
  const pb::Message* message = scratch.parse(*known->prototype, element.bytes, inside_->check_required);
  if (!message) return fail(ErrorCode::kInvalid, "these bytes are no " + known->descriptor->full_name());
  pb::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = pb::util::MessageToJsonString(*message, &text, options);
  if (!status.ok())
    return fail(ErrorCode::kInvalid, known->descriptor->full_name() + " has no JSON form: " + status.ToString());
  return text;
}

}  // namespace convoy

// The types of elements that a run knows: the built-in ones, and any others that a descriptor set brings.
//
//   auto types = ElementTypes::make(descriptor_set);   // google.protobuf.FileDescriptorSet; empty: the built-in ones
//   auto element = types->parse(type, bytes);
//
// A message is an element type if it has the fields uint32 `connection`, uint32 `id` and int64, sint64 or sfixed64
// `stamp`, found by name. On the wire a type is the low 32 bits of the XXH3-64 of its full name; 0 is no type.
//
// Const members may be called from several threads at once: nothing changes after make().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "convoy/ids.h"
#include "convoy/result.h"
#include "core/bytes.h"
#include "world/element.h"

namespace convoy {

inline constexpr std::size_t kMaxElement = 64 * 1024;              // bytes of one serialised element
inline constexpr int kMaxElementDepth = 32;                        // messages inside messages
inline constexpr std::size_t kMaxDescriptorSet = 4 * 1024 * 1024;  // bytes
inline constexpr std::size_t kMaxMessageTypes = 2000;              // messages of a set, nested ones included

using ElementTypeId = std::uint32_t;
ElementTypeId element_type_id(std::string_view full_name);

// Who an element belongs to, and the owner's own number for it.
struct ElementKey {
  Owner connection;
  ElementId id;
  friend auto operator<=>(const ElementKey&, const ElementKey&) = default;
};

struct Element {
  ElementTypeId type = 0;
  Owner connection;
  ElementId id;
  std::int64_t stamp = 0;  // ns of simulated time
  Bytes bytes;             // as the sender serialised it
  ElementKey key() const { return {connection, id}; }
  friend bool operator==(const Element&, const Element&) = default;
};

// Why bytes are no element. Not an Error: it comes from strangers and is counted, so it must not cost a text.
enum class ElementTrouble : std::uint8_t {
  kUnknownType,
  kTooLarge,   // more than kMaxElement
  kMalformed,  // cut short, not protobuf, too deep, not UTF-8 where it must be, a required field missing
  kNotFinite,  // NaN or infinity in any float or double
  kCount
};
const char* name_of(ElementTrouble trouble);

struct ElementType {
  ElementTypeId id = 0;
  std::string name;  // full: "convoy.Vehicle"
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

class ElementTypes {
 public:
  // kInvalid: the set cannot be parsed or built, an import is missing, or two types have the same id. A message without
  // the common fields is simply no element. While an ElementTypes lives, protobuf writes no warnings: strangers could
  // fill the log with them.
  static Result<ElementTypes> make(ByteView descriptor_set = {});
  ElementTypes(ElementTypes&&) noexcept;
  ElementTypes& operator=(ElementTypes&&) noexcept;
  ~ElementTypes();

  // In the order of ids.
  const std::vector<ElementType>& types() const;
  // nullptr: no such type.
  const ElementType* find(ElementTypeId id) const;

  // A function of its arguments alone. Fields that the type does not have are let through as they are.
  tl::expected<Element, ElementTrouble> parse(ElementTypeId type, ByteView bytes) const;

  // The element, with the common fields set behind whatever `bytes` have in them (in protobuf the last one counts).
  tl::expected<Element, ElementTrouble> address(ElementTypeId type, const ElementKey& key, std::int64_t stamp,
                                                ByteView bytes) const;

  // The same message without, or with, its field `connection`: the form of an element where connection numbers must
  // not matter. Nothing else in the bytes changes. The type is known, and the bytes were parsed once.
  Bytes without_connection(ElementTypeId type, ByteView bytes) const;
  Bytes with_connection(ElementTypeId type, Owner connection, ByteView without) const;

  // What the element's fields say of where it is and whom it reaches; of one that was parsed once. A field counts if it
  // has this name and type: `pose` (convoy.proto.Pose or Vec3; of convoy.Vehicle it is `chassis`, of convoy.Note
  // `position`), `parent` (string), `radius` (double or float), `to` (repeated string), `region` (convoy.Region).
  ElementReach reach(const Element& element) const;
  // Can elements of this type say any of that?
  bool has_reach(ElementTypeId type) const;

  // For people: one object with the names of the proto file, also of fields that are 0.
  Result<std::string> to_json(const Element& element) const;

 private:
  struct Inside;
  explicit ElementTypes(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace convoy

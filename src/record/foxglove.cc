#include "record/foxglove.h"

#include <cmath>

namespace convoy {
namespace {

// Appends protobuf fields: tag = number << 3 | wire type, then a varint (0), 8 bytes (1) or a length and bytes (2).
// Fields that have proto3's default value are left out.
class Proto {
 public:
  explicit Proto(Bytes& out) : out_(out) {}

  void integer(std::uint32_t field, std::int64_t v) {
    if (v == 0) return;
    varint(field << 3);
    varint(static_cast<std::uint64_t>(v));
  }
  void real(std::uint32_t field, double v) {
    if (v == 0 && !std::signbit(v)) return;
    varint(field << 3 | 1);
    Writer(out_).f64(v);
  }
  void text(std::uint32_t field, std::string_view v) {
    if (!v.empty()) chunk(field, as_bytes(v));
  }
  // A message field, written even when it is empty: it is then there.
  template <class Fill>
  void message(std::uint32_t field, Fill fill) {
    Bytes inner;
    Proto p(inner);
    fill(p);
    chunk(field, inner);
  }

 private:
  void chunk(std::uint32_t field, ByteView v) {
    varint(field << 3 | 2);
    varint(v.size());
    Writer(out_).bytes(v);
  }
  void varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) out_.push_back(static_cast<std::uint8_t>(v | 0x80));
    out_.push_back(static_cast<std::uint8_t>(v));
  }

  Bytes& out_;
};

// google.protobuf.Timestamp: nanos count forward from seconds, also before the epoch.
void timestamp(Proto& p, Instant stamp) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t s = nanos(stamp) / kSecond, ns = nanos(stamp) % kSecond;
  if (ns < 0) --s, ns += kSecond;
  p.integer(1, s);
  p.integer(2, ns);
}

// A field of a descriptor; types are FieldDescriptorProto.Type.
enum class Type { kDouble = 1, kInt64 = 3, kInt32 = 5, kString = 9, kMessage = 11 };
struct Field {
  std::string_view name;
  int number = 0;
  Type type{};
  std::string_view of = {};  // full name of the message type, with a leading dot
  bool repeated = false;
};

// One .proto file with one message, as a FileDescriptorProto in a FileDescriptorSet.
struct File {
  std::string_view path, package, message;
  std::span<const std::string_view> imports;
  std::span<const Field> fields;
};

void add_field(Proto& p, const Field& field) {
  p.text(1, field.name);
  p.integer(3, field.number);
  p.integer(4, field.repeated ? 3 : 1);
  p.integer(5, static_cast<int>(field.type));
  p.text(6, field.of);
}

void add_file(Proto& set, const File& file) {
  set.message(1, [&](Proto& p) {
    p.text(1, file.path);
    p.text(2, file.package);
    for (const std::string_view import : file.imports) p.text(3, import);
    p.message(4, [&](Proto& m) {
      m.text(1, file.message);
      for (const Field& field : file.fields) m.message(2, [&](Proto& f) { add_field(f, field); });
    });
    p.text(12, "proto3");
  });
}

}  // namespace

void encode_frame_transforms(Instant stamp, std::span<const FrameTransform> transforms, Bytes& out) {
  out.clear();
  Proto all(out);
  for (const FrameTransform& t : transforms) {
    all.message(1, [&](Proto& p) {
      p.message(1, [&](Proto& m) { timestamp(m, stamp); });
      p.text(2, t.parent_frame);
      p.text(3, t.child_frame);
      p.message(4, [&](Proto& m) {
        m.real(1, t.X_PC.p.x);
        m.real(2, t.X_PC.p.y);
        m.real(3, t.X_PC.p.z);
      });
      p.message(5, [&](Proto& m) {
        m.real(1, t.X_PC.q.x);
        m.real(2, t.X_PC.q.y);
        m.real(3, t.X_PC.q.z);
        m.real(4, t.X_PC.q.w);
      });
    });
  }
}

Bytes frame_transforms_schema() {
  static constexpr std::string_view kTimestampFile = "google/protobuf/timestamp.proto";
  static constexpr std::string_view kVectorFile = "foxglove/Vector3.proto";
  static constexpr std::string_view kQuaternionFile = "foxglove/Quaternion.proto";
  static constexpr std::string_view kTransformFile = "foxglove/FrameTransform.proto";
  static constexpr Field kTimestamp[] = {{"seconds", 1, Type::kInt64}, {"nanos", 2, Type::kInt32}};
  static constexpr Field kVector[] = {{"x", 1, Type::kDouble}, {"y", 2, Type::kDouble}, {"z", 3, Type::kDouble}};
  static constexpr Field kQuaternion[] = {
      {"x", 1, Type::kDouble}, {"y", 2, Type::kDouble}, {"z", 3, Type::kDouble}, {"w", 4, Type::kDouble}};
  static constexpr Field kTransform[] = {{"timestamp", 1, Type::kMessage, ".google.protobuf.Timestamp"},
                                         {"parent_frame_id", 2, Type::kString},
                                         {"child_frame_id", 3, Type::kString},
                                         {"translation", 4, Type::kMessage, ".foxglove.Vector3"},
                                         {"rotation", 5, Type::kMessage, ".foxglove.Quaternion"}};
  static constexpr Field kTransforms[] = {{"transforms", 1, Type::kMessage, ".foxglove.FrameTransform", true}};
  static constexpr std::string_view kTransformImports[] = {kTimestampFile, kVectorFile, kQuaternionFile};
  static constexpr std::string_view kTransformsImports[] = {kTransformFile};

  Bytes out;
  Proto set(out);
  add_file(set, {kTimestampFile, "google.protobuf", "Timestamp", {}, kTimestamp});
  add_file(set, {kVectorFile, "foxglove", "Vector3", {}, kVector});
  add_file(set, {kQuaternionFile, "foxglove", "Quaternion", {}, kQuaternion});
  add_file(set, {kTransformFile, "foxglove", "FrameTransform", kTransformImports, kTransform});
  add_file(set, {"foxglove/FrameTransforms.proto", "foxglove", "FrameTransforms", kTransformsImports, kTransforms});
  return out;
}

}  // namespace convoy

#include "record/foxglove/schema.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "record/foxglove/proto.h"

namespace convoy {
namespace {

enum class Type {  // FieldDescriptorProto.Type
  kDouble = 1,
  kInt64 = 3,
  kInt32 = 5,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kMessage = 11,
  kBytes = 12,
  kEnum = 14,
};
using enum Type;

struct Field {
  std::string_view name;
  int number = 0;
  Type type{};
  std::string_view of = {};  // a message's full name; an enum's name in its message
  bool repeated = false;
};
struct Enum {
  std::string_view name;
  std::vector<std::string_view> values;  // from 0
};
// Each stands in a file of its own name.
struct Description {
  std::string_view package, name;
  std::vector<Field> fields;
  std::vector<Enum> enums = {};

  std::string full_name() const { return std::string(package) + "." + std::string(name); }
  std::string path() const {
    std::string folder(package), file(name);
    std::replace(folder.begin(), folder.end(), '.', '/');
    if (package == "google.protobuf")
      for (char& c : file) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return folder + "/" + file + ".proto";
  }
};

constexpr std::string_view kGoogle = "google.protobuf", kFoxglove = "foxglove", kTime = "google.protobuf.Timestamp",
                           kVector3 = "foxglove.Vector3", kPoint3 = "foxglove.Point3", kPose = "foxglove.Pose",
                           kColor = "foxglove.Color";

std::vector<Description> geometry() {
  return {
      {kGoogle, "Timestamp", {{"seconds", 1, kInt64}, {"nanos", 2, kInt32}}},
      {kGoogle, "Duration", {{"seconds", 1, kInt64}, {"nanos", 2, kInt32}}},
      {kFoxglove, "Vector2", {{"x", 1, kDouble}, {"y", 2, kDouble}}},
      {kFoxglove, "Vector3", {{"x", 1, kDouble}, {"y", 2, kDouble}, {"z", 3, kDouble}}},
      {kFoxglove, "Point3", {{"x", 1, kDouble}, {"y", 2, kDouble}, {"z", 3, kDouble}}},
      {kFoxglove, "Quaternion", {{"x", 1, kDouble}, {"y", 2, kDouble}, {"z", 3, kDouble}, {"w", 4, kDouble}}},
      {kFoxglove, "Pose", {{"position", 1, kMessage, kVector3}, {"orientation", 2, kMessage, "foxglove.Quaternion"}}},
      {kFoxglove, "Color", {{"r", 1, kDouble}, {"g", 2, kDouble}, {"b", 3, kDouble}, {"a", 4, kDouble}}},
      {kFoxglove, "KeyValuePair", {{"key", 1, kString}, {"value", 2, kString}}},
      {kFoxglove,
       "FrameTransform",
       {{"timestamp", 1, kMessage, kTime},
        {"parent_frame_id", 2, kString},
        {"child_frame_id", 3, kString},
        {"translation", 4, kMessage, kVector3},
        {"rotation", 5, kMessage, "foxglove.Quaternion"}}},
      {kFoxglove, "FrameTransforms", {{"transforms", 1, kMessage, "foxglove.FrameTransform", true}}},
      {kFoxglove,
       "PoseInFrame",
       {{"timestamp", 1, kMessage, kTime}, {"frame_id", 2, kString}, {"pose", 3, kMessage, kPose}}},
  };
}

// A primitive has a pose, and most have a size and a colour.
std::vector<Description> primitives() {
  const Field pose{"pose", 1, kMessage, kPose}, size{"size", 2, kMessage, kVector3};
  return {
      {kFoxglove,
       "ArrowPrimitive",
       {pose,
        {"shaft_length", 2, kDouble},
        {"shaft_diameter", 3, kDouble},
        {"head_length", 4, kDouble},
        {"head_diameter", 5, kDouble},
        {"color", 6, kMessage, kColor}}},
      {kFoxglove, "CubePrimitive", {pose, size, {"color", 3, kMessage, kColor}}},
      {kFoxglove, "SpherePrimitive", {pose, size, {"color", 3, kMessage, kColor}}},
      {kFoxglove,
       "CylinderPrimitive",
       {pose, size, {"bottom_scale", 3, kDouble}, {"top_scale", 4, kDouble}, {"color", 5, kMessage, kColor}}},
      {kFoxglove,
       "LinePrimitive",
       {{"type", 1, kEnum, "Type"},
        {"pose", 2, kMessage, kPose},
        {"thickness", 3, kDouble},
        {"scale_invariant", 4, kBool},
        {"points", 5, kMessage, kPoint3, true},
        {"color", 6, kMessage, kColor},
        {"colors", 7, kMessage, kColor, true},
        {"indices", 8, kFixed32, {}, true}},
       {{"Type", {"LINE_STRIP", "LINE_LOOP", "LINE_LIST"}}}},
      {kFoxglove,
       "TriangleListPrimitive",
       {pose,
        {"points", 2, kMessage, kPoint3, true},
        {"color", 3, kMessage, kColor},
        {"colors", 4, kMessage, kColor, true},
        {"indices", 5, kFixed32, {}, true}}},
      {kFoxglove,
       "TextPrimitive",
       {pose,
        {"billboard", 2, kBool},
        {"font_size", 3, kDouble},
        {"scale_invariant", 4, kBool},
        {"color", 5, kMessage, kColor},
        {"text", 6, kString}}},
      {kFoxglove,
       "ModelPrimitive",
       {pose,
        {"scale", 2, kMessage, kVector3},
        {"color", 3, kMessage, kColor},
        {"override_color", 4, kBool},
        {"url", 5, kString},
        {"media_type", 6, kString},
        {"data", 7, kBytes}}},
  };
}

std::vector<Description> scenes() {
  return {
      {kFoxglove,
       "SceneEntityDeletion",
       {{"timestamp", 1, kMessage, kTime}, {"type", 2, kEnum, "Type"}, {"id", 3, kString}},
       {{"Type", {"MATCHING_ID", "ALL"}}}},
      {kFoxglove,
       "SceneEntity",
       {{"timestamp", 1, kMessage, kTime},
        {"frame_id", 2, kString},
        {"id", 3, kString},
        {"lifetime", 4, kMessage, "google.protobuf.Duration"},
        {"frame_locked", 5, kBool},
        {"metadata", 6, kMessage, "foxglove.KeyValuePair", true},
        {"arrows", 7, kMessage, "foxglove.ArrowPrimitive", true},
        {"cubes", 8, kMessage, "foxglove.CubePrimitive", true},
        {"spheres", 9, kMessage, "foxglove.SpherePrimitive", true},
        {"cylinders", 10, kMessage, "foxglove.CylinderPrimitive", true},
        {"lines", 11, kMessage, "foxglove.LinePrimitive", true},
        {"triangles", 12, kMessage, "foxglove.TriangleListPrimitive", true},
        {"texts", 13, kMessage, "foxglove.TextPrimitive", true},
        {"models", 14, kMessage, "foxglove.ModelPrimitive", true}}},
      {kFoxglove,
       "SceneUpdate",
       {{"deletions", 1, kMessage, "foxglove.SceneEntityDeletion", true},
        {"entities", 2, kMessage, "foxglove.SceneEntity", true}}},
  };
}

std::vector<Description> readings() {
  const Field time{"timestamp", 1, kMessage, kTime}, frame{"frame_id", 2, kString}, pose{"pose", 3, kMessage, kPose};
  return {
      {kFoxglove,
       "PackedElementField",
       {{"name", 1, kString}, {"offset", 2, kFixed32}, {"type", 3, kEnum, "NumericType"}},
       {{"NumericType", {"UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"}}}},
      {kFoxglove,
       "Grid",
       {time,
        frame,
        pose,
        {"column_count", 4, kFixed32},
        {"cell_size", 5, kMessage, "foxglove.Vector2"},
        {"row_stride", 6, kFixed32},
        {"cell_stride", 7, kFixed32},
        {"fields", 8, kMessage, "foxglove.PackedElementField", true},
        {"data", 9, kBytes}}},
      {kFoxglove,
       "LaserScan",
       {time,
        frame,
        pose,
        {"start_angle", 4, kDouble},
        {"end_angle", 5, kDouble},
        {"ranges", 6, kDouble, {}, true},
        {"intensities", 7, kDouble, {}, true}}},
      {kFoxglove,
       "PointCloud",
       {time,
        frame,
        pose,
        {"point_stride", 4, kFixed32},
        {"fields", 5, kMessage, "foxglove.PackedElementField", true},
        {"data", 6, kBytes}}},
      {kFoxglove,
       "Log",
       {time,
        {"level", 2, kEnum, "Level"},
        {"message", 3, kString},
        {"name", 4, kString},
        {"file", 5, kString},
        {"line", 6, kFixed32}},
       {{"Level", {"UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"}}}},
      {kFoxglove,
       "LocationFix",
       {{"timestamp", 6, kMessage, kTime},
        {"frame_id", 7, kString},
        {"latitude", 1, kDouble},
        {"longitude", 2, kDouble},
        {"altitude", 3, kDouble},
        {"position_covariance", 4, kDouble, {}, true},
        {"position_covariance_type", 5, kEnum, "PositionCovarianceType"},
        {"color", 8, kMessage, kColor}},
       {{"PositionCovarianceType", {"UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN"}}}},
      {kFoxglove,
       "CompressedImage",
       {{"timestamp", 1, kMessage, kTime}, {"data", 2, kBytes}, {"format", 3, kString}, {"frame_id", 4, kString}}},
      {kFoxglove,
       "CameraCalibration",
       {{"timestamp", 1, kMessage, kTime},
        {"frame_id", 9, kString},
        {"width", 2, kFixed32},
        {"height", 3, kFixed32},
        {"distortion_model", 4, kString},
        {"D", 5, kDouble, {}, true},
        {"K", 6, kDouble, {}, true},
        {"R", 7, kDouble, {}, true},
        {"P", 8, kDouble, {}, true}}},
  };
}

using Descriptions = std::vector<Description>;

Descriptions everything() {
  Descriptions out = geometry();
  for (const Descriptions& more : {primitives(), scenes(), readings()}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

void add_field(Proto& p, const Description& in, const Field& field) {
  p.text(1, field.name);
  p.integer(3, field.number);
  p.integer(4, field.repeated ? 3 : 1);
  p.integer(5, static_cast<int>(field.type));
  if (field.type == kMessage) p.text(6, "." + std::string(field.of));
  if (field.type == kEnum) p.text(6, "." + in.full_name() + "." + std::string(field.of));
}

void add_enum(Proto& p, const Enum& one) {
  p.text(1, one.name);
  for (std::size_t i = 0; i < one.values.size(); ++i)
    p.message(2, [&](Proto& v) { v.text(1, one.values[i]), v.integer(2, static_cast<std::int64_t>(i)); });
}

// A FileDescriptorSet: each file behind those that it imports.
class FileSet {
 public:
  void add(const std::string& full_name) {
    if (std::find(added_.begin(), added_.end(), full_name) != added_.end()) return;
    added_.push_back(full_name);
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const Description& d) { return d.full_name() == full_name; });
    EXPECTS(found != all_.end());
    std::vector<std::string> imports;
    for (const Field& field : found->fields)
      if (field.type == kMessage) add(std::string(field.of)), imports.push_back(path_of(field.of));
    std::sort(imports.begin(), imports.end());
    imports.erase(std::unique(imports.begin(), imports.end()), imports.end());
    Proto(out_).message(1, [&](Proto& p) { write(p, *found, imports); });
  }
  Bytes take() { return std::move(out_); }

 private:
  std::string path_of(std::string_view full_name) const {
    for (const Description& d : all_)
      if (d.full_name() == full_name) return d.path();
    return {};
  }
  static void write(Proto& p, const Description& file, const std::vector<std::string>& imports) {
    p.text(1, file.path());
    p.text(2, file.package);
    for (const std::string& import : imports) p.text(3, import);
    p.message(4, [&](Proto& m) {
      m.text(1, file.name);
      for (const Field& field : file.fields) m.message(2, [&](Proto& f) { add_field(f, file, field); });
      for (const Enum& one : file.enums) m.message(4, [&](Proto& e) { add_enum(e, one); });
    });
    p.text(12, "proto3");
  }

  Descriptions all_ = everything();
  std::vector<std::string> added_;
  Bytes out_;
};

const char* name_of(FoxgloveMessage message) {
  switch (message) {
    case FoxgloveMessage::kFrameTransforms: return "foxglove.FrameTransforms";
    case FoxgloveMessage::kSceneUpdate: return "foxglove.SceneUpdate";
    case FoxgloveMessage::kGrid: return "foxglove.Grid";
    case FoxgloveMessage::kLaserScan: return "foxglove.LaserScan";
    case FoxgloveMessage::kPointCloud: return "foxglove.PointCloud";
    case FoxgloveMessage::kLocationFix: return "foxglove.LocationFix";
    case FoxgloveMessage::kPoseInFrame: return "foxglove.PoseInFrame";
    case FoxgloveMessage::kCompressedImage: return "foxglove.CompressedImage";
    case FoxgloveMessage::kCameraCalibration: return "foxglove.CameraCalibration";
    case FoxgloveMessage::kLog: return "foxglove.Log";
  }
  return "";
}

}  // namespace

ChannelSchema schema_of(FoxgloveMessage message) {
  FileSet set;
  set.add(name_of(message));
  return {name_of(message), "protobuf", "protobuf", set.take()};
}

}  // namespace convoy

// Fields of a point cloud's points as C++ values: laying a cloud out, and walking over one field.
//
//   sensor_msgs::PointCloud2Modifier modifier(cloud);
//   modifier.setPointCloud2FieldsByString(1, "xyz");
//   modifier.resize(100);
//   for (sensor_msgs::PointCloud2Iterator<float> x(cloud, "x"); x != x.end(); ++x) *x = 0;
#pragma once

#include <cstdarg>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sensor_msgs/msg/point_cloud2.hpp"
#include "sensor_msgs/msg/point_field.hpp"

// These two are at global scope, as in ROS 2.

// Bytes of one value of a PointField's datatype.
inline int sizeOfPointField(int datatype) {
  using Field = sensor_msgs::msg::PointField;
  switch (datatype) {
    case Field::INT8:
    case Field::UINT8: return 1;
    case Field::INT16:
    case Field::UINT16: return 2;
    case Field::INT32:
    case Field::UINT32:
    case Field::FLOAT32: return 4;
    case Field::FLOAT64: return 8;
    default: throw std::runtime_error("PointField of type " + std::to_string(datatype) + " does not exist");
  }
}

// Returns where the next field begins.
inline int addPointField(sensor_msgs::msg::PointCloud2& cloud, const std::string& name, int count, int datatype,
                         int offset) {
  sensor_msgs::msg::PointField field;
  field.name = name;
  field.count = static_cast<std::uint32_t>(count);
  field.datatype = static_cast<std::uint8_t>(datatype);
  field.offset = static_cast<std::uint32_t>(offset);
  cloud.fields.push_back(field);
  return offset + count * sizeOfPointField(datatype);
}

namespace sensor_msgs {

using ::addPointField;
using ::sizeOfPointField;

class PointCloud2Modifier {
 public:
  explicit PointCloud2Modifier(msg::PointCloud2& cloud) : cloud_(cloud) {}

  std::size_t size() const { return cloud_.point_step == 0 ? 0 : cloud_.data.size() / cloud_.point_step; }
  void reserve(std::size_t size) { cloud_.data.reserve(size * cloud_.point_step); }
  // A cloud that has rows becomes one row, unless its rows have one point each.
  void resize(std::size_t size) {
    cloud_.data.resize(size * cloud_.point_step);
    const auto count = static_cast<std::uint32_t>(size);
    if (cloud_.height != 1 && cloud_.width == 1) {
      cloud_.height = count;
      return;
    }
    cloud_.height = 1, cloud_.width = count, cloud_.row_step = count * cloud_.point_step;
  }
  void clear() {
    cloud_.data.clear();
    if (cloud_.height == 1) cloud_.row_step = cloud_.width = 0;
    else if (cloud_.width == 1) cloud_.height = 0;
    else cloud_.row_step = cloud_.width = cloud_.height = 0;
  }

  // Three words for each field: name (const char*), count (int), datatype (int). They follow one another.
  void setPointCloud2Fields(int count, ...) {
    cloud_.fields.clear();
    std::va_list words;
    va_start(words, count);
    int offset = 0;
    for (int i = 0; i < count; ++i) {
      const char* name = va_arg(words, char*);
      const int values = va_arg(words, int);
      offset = addPointField(cloud_, name, values, va_arg(words, int), offset);
    }
    va_end(words);
    lay_out(offset);
  }
  // "xyz", "rgb", "rgba": each fills 16 bytes, as PCL's points do.
  void setPointCloud2FieldsByString(int count, ...) {
    cloud_.fields.clear();
    std::va_list words;
    va_start(words, count);
    int offset = 0;
    for (int i = 0; i < count; ++i) {
      const std::string name = va_arg(words, char*);
      if (name == "xyz") {
        for (const char* axis : {"x", "y", "z"})
          offset = addPointField(cloud_, axis, 1, msg::PointField::FLOAT32, offset);
        offset += 4;
      } else if (name == "rgb" || name == "rgba") {
        offset = addPointField(cloud_, name, 1, msg::PointField::FLOAT32, offset) + 12;
      } else {
        va_end(words);
        throw std::runtime_error("Field " + name + " does not exist");
      }
    }
    va_end(words);
    lay_out(offset);
  }

 private:
  void lay_out(int point_step) {
    cloud_.point_step = static_cast<std::uint32_t>(point_step);
    cloud_.row_step = cloud_.width * cloud_.point_step;
    cloud_.data.resize(static_cast<std::size_t>(cloud_.height) * cloud_.row_step);
  }

  msg::PointCloud2& cloud_;
};

namespace impl {

// Value is const for a cloud that is; Byte and Cloud likewise. The cloud must not change its size meanwhile.
template <class Value, class Byte, class Cloud, class Self>
class PointCloud2IteratorBase {
 public:
  PointCloud2IteratorBase(Cloud& cloud, const std::string& field)
      : step_(static_cast<int>(cloud.point_step)), big_endian_(cloud.is_bigendian) {
    const int offset = offset_of(cloud, field);
    at_ = cloud.data.data() + offset;
    end_ = at_ + cloud.data.size();
  }
  Value& operator*() const { return (*this)[0]; }
  // The i-th value from here on, of this type, side by side.
  Value& operator[](std::size_t i) const { return reinterpret_cast<Value*>(at_)[i]; }
  Self& operator++() { return *this += 1; }
  Self& operator+=(int points) { return at_ += points * step_, static_cast<Self&>(*this); }
  Self operator+(int points) const { return Self(static_cast<const Self&>(*this)) += points; }
  friend bool operator==(const Self& a, const Self& b) { return a.at_ == b.at_; }
  Self end() const {
    Self self(static_cast<const Self&>(*this));
    self.at_ = end_;
    return self;
  }

 private:
  // "r", "g", "b" and "a" are bytes of the field "rgb" or "rgba".
  int offset_of(const Cloud& cloud, const std::string& name) const {
    for (const auto& field : cloud.fields)
      if (field.name == name) return static_cast<int>(field.offset);
    for (const auto& field : cloud.fields) {
      if (field.name != "rgb" && field.name != "rgba") continue;
      const std::size_t place = std::string(big_endian_ ? "argb" : "bgra").find(name);
      if (name.size() == 1 && place != std::string::npos) return static_cast<int>(field.offset + place);
    }
    throw std::runtime_error("Field " + name + " does not exist");
  }

  int step_;
  bool big_endian_;
  Byte* at_ = nullptr;
  Byte* end_ = nullptr;
};

}  // namespace impl

template <class T>
class PointCloud2Iterator
    : public impl::PointCloud2IteratorBase<T, std::uint8_t, msg::PointCloud2, PointCloud2Iterator<T>> {
 public:
  using impl::PointCloud2IteratorBase<T, std::uint8_t, msg::PointCloud2,
                                      PointCloud2Iterator<T>>::PointCloud2IteratorBase;
};

template <class T>
class PointCloud2ConstIterator
    : public impl::PointCloud2IteratorBase<const T, const std::uint8_t, const msg::PointCloud2,
                                           PointCloud2ConstIterator<T>> {
 public:
  using impl::PointCloud2IteratorBase<const T, const std::uint8_t, const msg::PointCloud2,
                                      PointCloud2ConstIterator<T>>::PointCloud2IteratorBase;
};

}  // namespace sensor_msgs

// From messages to other types and back, and data from one frame to another: what packages of conversions give bodies to.
#pragma once

#include <geometry_msgs/msg/transform_stamped.hpp>
#include <rosidl_runtime_cpp/traits.hpp>

#include <array>
#include <string>

#include "tf2/exceptions.hpp"
#include "tf2/impl/convert.hpp"
#include "tf2/transform_datatypes.hpp"

namespace tf2 {

// Each conversion gives these for its types.
template <class T>
void doTransform(const T& data_in, T& data_out, const geometry_msgs::msg::TransformStamped& transform);
template <class T>
TimePoint getTimestamp(const T& t);
template <class T>
std::string getFrameId(const T& t);
template <class T>
std::array<std::array<double, 6>, 6> getCovarianceMatrix(const T& t);
template <class P>
TimePoint getTimestamp(const Stamped<P>& t) {
  return t.stamp_;
}
template <class P>
std::string getFrameId(const Stamped<P>& t) {
  return t.frame_id_;
}
template <class P>
std::array<std::array<double, 6>, 6> getCovarianceMatrix(const WithCovarianceStamped<P>& t) {
  return t.cov_mat_;
}
// Any of the conversions that there are: message to other, other to message, or by way of a message.
template <class A, class B>
void convert(const A& a, B& b) {
  if constexpr (std::is_same_v<A, B>) b = a;
  else
    impl::Converter<rosidl_generator_traits::is_message<A>::value,
                    rosidl_generator_traits::is_message<B>::value>::convert(a, b);
}

inline std::array<std::array<double, 6>, 6> covarianceRowMajorToNested(const std::array<double, 36>& flat) {
  std::array<std::array<double, 6>, 6> nested{};
  for (std::size_t i = 0; i < 36; ++i) nested[i / 6][i % 6] = flat[i];
  return nested;
}
inline std::array<double, 36> covarianceNestedToRowMajor(const std::array<std::array<double, 6>, 6>& nested) {
  std::array<double, 36> flat{};
  for (std::size_t i = 0; i < 36; ++i) flat[i] = nested[i / 6][i % 6];
  return flat;
}

}  // namespace tf2

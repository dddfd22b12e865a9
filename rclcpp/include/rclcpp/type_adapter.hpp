// Own C++ types in place of messages: a publisher takes them, a subscription gives them, messages go between.
//
//   template <> struct rclcpp::TypeAdapter<cv::Mat, sensor_msgs::msg::Image> {
//     using is_specialized = std::true_type;
//     using custom_type = cv::Mat;
//     using ros_message_type = sensor_msgs::msg::Image;
//     static void convert_to_ros_message(const custom_type& from, ros_message_type& to);
//     static void convert_to_custom(const ros_message_type& from, custom_type& to);
//   };
//   node->create_publisher<rclcpp::adapt_type<cv::Mat>::as<sensor_msgs::msg::Image>>("image", 10);
#pragma once

#include <type_traits>

namespace rclcpp {

template <class Custom, class Ros = void, class Enable = void>
struct TypeAdapter {
  using is_specialized = std::false_type;
  using custom_type = Custom;
  // Without an adapter, what it is called is what it is.
  using ros_message_type = Custom;
};

template <class T>
struct is_type_adapter : std::false_type {};
template <class... Ts>
struct is_type_adapter<TypeAdapter<Ts...>> : std::integral_constant<bool, TypeAdapter<Ts...>::is_specialized::value> {};

// RCLCPP_USING_CUSTOM_TYPE_AS_ROS_MESSAGE_TYPE: the type may then replace its message without more ado.
template <class T>
struct ImplicitTypeAdapter {
  using is_specialized = std::false_type;
};

template <class T>
struct TypeAdapter<T, void, std::enable_if_t<ImplicitTypeAdapter<T>::is_specialized::value>> : ImplicitTypeAdapter<T> {
};
template <class T>
struct TypeAdapter<T, void, std::enable_if_t<is_type_adapter<T>::value>> : T {};

template <class Custom>
struct adapt_type {
  template <class Ros>
  using as = TypeAdapter<Custom, Ros>;
};

namespace detail {
// Of what create_publisher<MessageT> and create_subscription<MessageT> are given: an adapter, an adapted type or a
// message.
template <class MessageT>
inline constexpr bool is_adapted = TypeAdapter<MessageT>::is_specialized::value;
template <class MessageT>
using RosType = typename TypeAdapter<MessageT>::ros_message_type;
template <class MessageT>
using CustomType = typename TypeAdapter<MessageT>::custom_type;
}  // namespace detail

}  // namespace rclcpp

#define RCLCPP_USING_CUSTOM_TYPE_AS_ROS_MESSAGE_TYPE(CUSTOM_TYPE, ROS_MESSAGE_TYPE)                             \
  template <>                                                                                                   \
  struct rclcpp::ImplicitTypeAdapter<CUSTOM_TYPE> : public rclcpp::TypeAdapter<CUSTOM_TYPE, ROS_MESSAGE_TYPE> { \
    static_assert(is_specialized::value, "there is no type adapter from this type to that message");            \
  };

// What tf2::convert() does for messages and other types; a specialization for types of one's own takes its place.
#pragma once

namespace tf2 {

template <class A, class B>
B toMsg(const A& a);
template <class A, class B>
void fromMsg(const A& a, B& b);

namespace impl {

template <bool IS_MESSAGE_A, bool IS_MESSAGE_B>
class Converter {
 public:
  template <class A, class B>
  static void convert(const A& a, B& b) {
    if constexpr (IS_MESSAGE_A) {
      fromMsg(a, b);
    } else if constexpr (IS_MESSAGE_B) {
      if constexpr (requires { toMsg(a, b); }) toMsg(a, b);
      else b = toMsg(a);
    } else {
      fromMsg(toMsg(a), b);
    }
  }
};

}  // namespace impl
}  // namespace tf2

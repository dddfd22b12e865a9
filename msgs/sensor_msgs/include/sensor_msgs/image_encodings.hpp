// The names of an image's encodings, and what they mean: "bgr8" has three channels of 8 bits.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace sensor_msgs::image_encodings {

inline constexpr char RGB8[] = "rgb8", RGBA8[] = "rgba8", RGB16[] = "rgb16", RGBA16[] = "rgba16";
inline constexpr char BGR8[] = "bgr8", BGRA8[] = "bgra8", BGR16[] = "bgr16", BGRA16[] = "bgra16";
inline constexpr char MONO8[] = "mono8", MONO16[] = "mono16";
// Bits and kind of a value, and channels, as in OpenCV: U(nsigned), S(igned), F(loat).
inline constexpr char TYPE_8UC1[] = "8UC1", TYPE_8UC2[] = "8UC2", TYPE_8UC3[] = "8UC3", TYPE_8UC4[] = "8UC4";
inline constexpr char TYPE_8SC1[] = "8SC1", TYPE_8SC2[] = "8SC2", TYPE_8SC3[] = "8SC3", TYPE_8SC4[] = "8SC4";
inline constexpr char TYPE_16UC1[] = "16UC1", TYPE_16UC2[] = "16UC2", TYPE_16UC3[] = "16UC3", TYPE_16UC4[] = "16UC4";
inline constexpr char TYPE_16SC1[] = "16SC1", TYPE_16SC2[] = "16SC2", TYPE_16SC3[] = "16SC3", TYPE_16SC4[] = "16SC4";
inline constexpr char TYPE_32SC1[] = "32SC1", TYPE_32SC2[] = "32SC2", TYPE_32SC3[] = "32SC3", TYPE_32SC4[] = "32SC4";
inline constexpr char TYPE_32FC1[] = "32FC1", TYPE_32FC2[] = "32FC2", TYPE_32FC3[] = "32FC3", TYPE_32FC4[] = "32FC4";
inline constexpr char TYPE_64FC1[] = "64FC1", TYPE_64FC2[] = "64FC2", TYPE_64FC3[] = "64FC3", TYPE_64FC4[] = "64FC4";
inline constexpr char BAYER_RGGB8[] = "bayer_rggb8", BAYER_BGGR8[] = "bayer_bggr8", BAYER_GBRG8[] = "bayer_gbrg8",
                      BAYER_GRBG8[] = "bayer_grbg8", BAYER_RGGB16[] = "bayer_rggb16", BAYER_BGGR16[] = "bayer_bggr16",
                      BAYER_GBRG16[] = "bayer_gbrg16", BAYER_GRBG16[] = "bayer_grbg16";
inline constexpr char UYVY[] = "uyvy", YUYV[] = "yuyv", YUV422[] = "yuv422", YUV422_YUY2[] = "yuv422_yuy2",
                      NV21[] = "nv21", NV24[] = "nv24";

namespace impl {
inline bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
inline bool ends(const std::string& text, const std::string& with) {
  return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}
inline bool is_yuv(const std::string& e) {
  return e == UYVY || e == YUYV || e == YUV422 || e == YUV422_YUY2 || e == NV21 || e == NV24;
}
// The place of "UC", "SC" or "FC" behind the bits of "16UC3"; npos: no such name.
inline std::size_t kind_of(const std::string& e) {
  const std::size_t at = e.find_first_not_of("0123456789");
  const bool good =
      at > 0 && at != e.npos && at + 1 < e.size() && std::string("USF").find(e[at]) != e.npos && e[at + 1] == 'C';
  return good ? at : e.npos;
}
inline bool is_plain(const std::string& e) { return begins(e, "rgb") || begins(e, "bgr") || e == MONO8 || e == MONO16; }
}  // namespace impl

inline bool isColor(const std::string& e) {
  return impl::begins(e, "rgb") || impl::begins(e, "bgr") || impl::is_yuv(e);
}
inline bool isMono(const std::string& e) { return e == MONO8 || e == MONO16; }
inline bool isBayer(const std::string& e) { return impl::begins(e, "bayer_"); }
inline bool hasAlpha(const std::string& e) { return e == RGBA8 || e == BGRA8 || e == RGBA16 || e == BGRA16; }
inline int numChannels(const std::string& e) {
  if (isMono(e) || isBayer(e)) return 1;
  if (impl::is_yuv(e)) return 2;
  if (impl::is_plain(e)) return hasAlpha(e) ? 4 : 3;
  if (const std::size_t at = impl::kind_of(e); at != e.npos)
    return at + 2 == e.size() ? 1 : std::atoi(e.c_str() + at + 2);
  throw std::runtime_error("Unknown encoding " + e);
}
// Of one channel.
inline int bitDepth(const std::string& e) {
  if (impl::kind_of(e) != e.npos) return std::atoi(e.c_str());
  if (impl::is_yuv(e)) return 8;
  if (isBayer(e) || impl::is_plain(e)) return impl::ends(e, "16") ? 16 : 8;
  throw std::runtime_error("Unknown encoding " + e);
}

}  // namespace sensor_msgs::image_encodings

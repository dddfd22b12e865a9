#include "record/foxglove/png.h"

#include <png.h>

#include "core/check.h"

namespace convoy {

namespace {

Bytes encoded(std::uint32_t width, std::uint32_t height, std::uint32_t format, std::uint32_t flags,
              const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width, image.height = height;
  image.format = format, image.flags = flags;
  Bytes out(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = out.size();
  if (!png_image_write_to_memory(&image, out.data(), &size, 0, pixels, 0, nullptr)) size = 0;
  png_image_free(&image);
  out.resize(size);
  return out;
}

}  // namespace

Bytes rgb_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgb, bool fast) {
  EXPECTS(rgb.size() == std::size_t{3} * width * height);
  return encoded(width, height, PNG_FORMAT_RGB, fast ? PNG_IMAGE_FLAG_FAST : 0, rgb.data());
}

Bytes gray16_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint16_t> gray) {
  EXPECTS(gray.size() == std::size_t{width} * height);
  return encoded(width, height, PNG_FORMAT_LINEAR_Y, PNG_IMAGE_FLAG_FAST, gray.data());
}

}  // namespace convoy

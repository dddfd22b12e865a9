#include "scenario/picture.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <optional>
#include <vector>

#include "world/static_map.h"

namespace convoy::scenario {

namespace {

// An interlaced PNG is complete only after its last pass, so all of it is kept; this bounds how much that may be.
constexpr std::uint64_t kMaxInterlacedBytes = 256 << 20;

Status check_size(std::uint64_t width, std::uint64_t height, const std::string& file) {
  if (width == 0 || height == 0 || width > kMaxMapSide || height > kMaxMapSide || width * height > kMaxMapCells)
    return fail(
        ErrorCode::kInvalid,
        fmt::format("{} x {} pixels; allowed: 1 to {} a side, {} in all", width, height, kMaxMapSide, kMaxMapCells),
        file);
  return {};
}

// --- PGM: "P5" or "P2", width, height, largest value, one blank, then the pixels; '#' opens a comment in the header.

class PgmReader {
 public:
  PgmReader(ByteView in, const std::string& file) : in_(in), file_(file) {}

  Status read(const PictureSink& sink) {
    const bool plain = in_[1] == '2';
    at_ = 2;
    const auto width = number(), height = number(), white = number();
    if (!width || !height || !white) return bad("the PGM header is cut short or no number");
    if (const Status s = check_size(*width, *height, file_); !s) return s;
    if (*white < 1 || *white > 65535) return bad(fmt::format("largest value {}; allowed: 1 to 65535", *white));
    if (!plain && (at_ >= in_.size() || !blank(in_[at_++]))) return bad("the PGM header does not end with a blank");
    const PictureSize size{static_cast<std::uint32_t>(*width), static_cast<std::uint32_t>(*height),
                           static_cast<std::uint32_t>(*white)};
    const std::uint64_t least_bytes = *width * *height * (plain ? 2 : *white > 255 ? 2 : 1);
    if (in_.size() - at_ + (plain ? 1 : 0) < least_bytes) return bad("the picture is cut short");
    if (const Status s = sink.begin(size); !s) return s;
    return pixels(size, plain, sink);
  }

 private:
  static bool blank(std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  Status bad(std::string text) const { return fail(ErrorCode::kInvalid, std::move(text), file_); }

  std::optional<std::uint64_t> number() {
    while (at_ < in_.size() && (blank(in_[at_]) || in_[at_] == '#')) {
      if (in_[at_] == '#')
        while (at_ < in_.size() && in_[at_] != '\n' && in_[at_] != '\r') ++at_;
      else ++at_;
    }
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; at_ < in_.size() && in_[at_] >= '0' && in_[at_] <= '9'; ++at_) {
      value = value * 10 + (in_[at_] - '0');
      if (value > 0xffffffff) return {};
    }
    if (at_ == begin) return {};
    return value;
  }

  Status pixels(const PictureSize& size, bool plain, const PictureSink& sink) {
    std::vector<Pixel> row(size.width);
    for (std::uint32_t y = 0; y < size.height; ++y) {
      for (Pixel& pixel : row) {
        if (plain) {
          const auto value = number();
          if (!value) return bad("the picture is cut short or holds what is no number");
          pixel.brightness = static_cast<std::uint32_t>(*value);
        } else if (size.white > 255) {
          pixel.brightness = static_cast<std::uint32_t>(in_[at_] << 8 | in_[at_ + 1]);
          at_ += 2;
        } else {
          pixel.brightness = in_[at_++];
        }
        if (pixel.brightness > size.white)
          return bad(fmt::format("a pixel is {}; the largest value is {}", pixel.brightness, size.white));
      }
      sink.row(y, row);
    }
    return {};
  }

  ByteView in_;
  const std::string& file_;
  std::size_t at_ = 0;
};

// --- PNG. libpng reports errors by longjmp, which runs no destructors: whatever lives across a call of libpng belongs
// to PngReader, which the jump does not leave, and the functions that the jump may end have only plain locals.

class PngReader {
 public:
  PngReader(ByteView in, const std::string& file) : in_(in), file_(file) {}
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Status read(const PictureSink& sink) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) return fail(ErrorCode::kInternal, "libpng did not start", file_);
    if (!open()) return bad();
    if (const Status s = check_size(width_, height_, file_); !s) return s;
    if (!prepare()) return bad();

    const std::uint64_t all = std::uint64_t{row_bytes_} * height_;
    if (interlaced_ && all > kMaxInterlacedBytes)
      return fail(ErrorCode::kInvalid, "too large for an interlaced PNG; save it without interlacing", file_);
    const std::uint32_t white = (deep_ ? 65535u : 255u) * colours_;
    if (const Status s = sink.begin({width_, height_, white}); !s) return s;
    buffer_.resize(interlaced_ ? all : row_bytes_);
    std::vector<Pixel> row(width_);
    for (int pass = 1; interlaced_ && pass < passes_; ++pass)
      for (std::uint32_t y = 0; y < height_; ++y)
        if (!read_row(buffer_.data() + std::size_t{y} * row_bytes_)) return bad();
    for (std::uint32_t y = 0; y < height_; ++y) {
      std::uint8_t* const bytes = buffer_.data() + (interlaced_ ? std::size_t{y} * row_bytes_ : 0);
      if (!read_row(bytes)) return bad();
      for (std::uint32_t x = 0; x < width_; ++x) row[x] = pixel(bytes, x);
      sink.row(y, row);
    }
    if (!finish()) return bad();
    return {};
  }

 private:
  Status bad() const { return fail(ErrorCode::kInvalid, fmt::format("broken PNG: {}", message_), file_); }

  static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(self->message_, sizeof self->message_, "%s", text);
    std::longjmp(png_jmpbuf(png), 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep out, std::size_t n) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (n > self->in_.size()) png_error(png, "the file is cut short");
    std::copy_n(self->in_.data(), n, out);
    self->in_ = self->in_.subspan(n);
  }

  bool open() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, this, on_read);
    png_set_user_limits(png_, kMaxMapSide, kMaxMapSide);
    // Only IHDR, PLTE, tRNS, IDAT and IEND matter. libpng takes memory for a text chunk by the length that it claims
    // (measured: 1.9 GB for a file of 94 bytes), whatever png_set_chunk_malloc_max allows; so it skips all others.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    return true;
  }
  // Every kind of PNG as grey, grey+alpha, RGB or RGBA of 8 or 16 bits, values as stored (no gamma).
  bool prepare() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_expand(png_);
    interlaced_ = png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    deep_ = png_get_bit_depth(png_, info_) == 16;
    channels_ = png_get_channels(png_, info_);
    colours_ = channels_ >= 3 ? 3 : 1;
    row_bytes_ = png_get_rowbytes(png_, info_);
    return true;
  }
  bool read_row(std::uint8_t* row) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_row(png_, row, nullptr);
    return true;
  }
  bool finish() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_end(png_, nullptr);
    return true;
  }

  std::uint32_t sample(const std::uint8_t* row, std::size_t index) const {
    return deep_ ? static_cast<std::uint32_t>(row[2 * index] << 8 | row[2 * index + 1]) : row[index];
  }
  Pixel pixel(const std::uint8_t* row, std::uint32_t x) const {
    Pixel p;
    const std::size_t first = std::size_t{x} * channels_;
    for (std::uint32_t c = 0; c < colours_; ++c) p.brightness += sample(row, first + c);
    if (channels_ > colours_) p.opaque = sample(row, first + colours_) == (deep_ ? 65535u : 255u);
    return p;
  }

  ByteView in_;
  const std::string& file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[200] = "";
  std::uint32_t width_ = 0, height_ = 0, channels_ = 1, colours_ = 1;
  std::size_t row_bytes_ = 0;
  int passes_ = 1;
  bool deep_ = false, interlaced_ = false;
  Bytes buffer_;
};

}  // namespace

Status read_picture(ByteView bytes, const std::string& file, const PictureSink& sink) {
  if (bytes.size() >= 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '2'))
    return PgmReader(bytes, file).read(sink);
  if (bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0) return PngReader(bytes, file).read(sink);
  return fail(ErrorCode::kInvalid, "neither a PGM (P2, P5) nor a PNG picture", file);
}

}  // namespace convoy::scenario

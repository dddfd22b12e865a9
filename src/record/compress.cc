#include "record/compress.h"

#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include <memory>

namespace convoy {
namespace {

constexpr int kZstdLevel = 3;
// The densest that the formats allow: a zstd block of 128 KiB equal bytes takes 4, and a byte of an LZ4 length counts
// for at most 255. A small claim is allowed in any case (frame overheads).
constexpr std::uint64_t kZstdRatio = 32768;
constexpr std::uint64_t kLz4Ratio = 255;
constexpr std::uint64_t kAlwaysAllowed = 1024;

tl::unexpected<Error> bad(std::string text) { return fail(ErrorCode::kInvalid, std::move(text)); }

Result<Bytes> pack_zstd(ByteView plain) {
  Bytes out(ZSTD_compressBound(plain.size()));
  const std::size_t n = ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), kZstdLevel);
  if (ZSTD_isError(n)) return fail(ErrorCode::kInternal, fmt::format("zstd: {}", ZSTD_getErrorName(n)));
  out.resize(n);
  return out;
}

Result<Bytes> pack_lz4(ByteView plain) {
  LZ4F_preferences_t how{};
  how.frameInfo.blockSizeID = LZ4F_max256KB;
  how.frameInfo.contentSize = plain.size();
  Bytes out(LZ4F_compressFrameBound(plain.size(), &how));
  const std::size_t n = LZ4F_compressFrame(out.data(), out.size(), plain.data(), plain.size(), &how);
  if (LZ4F_isError(n)) return fail(ErrorCode::kInternal, fmt::format("lz4: {}", LZ4F_getErrorName(n)));
  out.resize(n);
  return out;
}

Result<Bytes> unpack_zstd(ByteView packed, std::uint64_t size) {
  const auto claim = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (claim == ZSTD_CONTENTSIZE_ERROR) return bad("zstd: not a frame");
  if (claim != ZSTD_CONTENTSIZE_UNKNOWN && claim > size)
    return bad(fmt::format("zstd: the frame holds {} bytes, not {}", claim, size));
  Bytes out(size);
  const std::size_t n = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(n)) return bad(fmt::format("zstd: {}", ZSTD_getErrorName(n)));
  if (n != size) return bad(fmt::format("zstd: the frame holds {} bytes, not {}", n, size));
  return out;
}

Result<Bytes> unpack_lz4(ByteView packed, std::uint64_t size) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)))
    return fail(ErrorCode::kUnavailable, "lz4: no memory");
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(raw,
                                                                                     LZ4F_freeDecompressionContext);
  Bytes out(size);
  std::size_t read = 0, written = 0, hint = 1;
  while (hint != 0) {
    std::size_t to = out.size() - written, from = packed.size() - read;
    hint = LZ4F_decompress(raw, out.data() + written, &to, packed.data() + read, &from, nullptr);
    if (LZ4F_isError(hint)) return bad(fmt::format("lz4: {}", LZ4F_getErrorName(hint)));
    if (hint != 0 && to == 0 && from == 0)
      return bad(fmt::format("lz4: the frame is cut, or holds over {} bytes", size));
    read += from;
    written += to;
  }
  if (written != size) return bad(fmt::format("lz4: the frame holds {} bytes, not {}", written, size));
  if (read != packed.size()) return bad("lz4: bytes after the frame");
  return out;
}

Status plausible(Compression compression, std::uint64_t packed, std::uint64_t size) {
  if (size > kMaxUnpacked) return bad(fmt::format("{} bytes unpacked; at most {} are read", size, kMaxUnpacked));
  if (compression == Compression::kNone) return {};
  const std::uint64_t ratio = compression == Compression::kZstd ? kZstdRatio : kLz4Ratio;
  if (size > kAlwaysAllowed && size / ratio > packed)
    return bad(fmt::format("{} packed bytes cannot hold {}", packed, size));
  return {};
}

}  // namespace

std::string_view compression_name(Compression compression) {
  switch (compression) {
    case Compression::kNone: return "";
    case Compression::kZstd: return "zstd";
    case Compression::kLz4: return "lz4";
  }
  return "";
}

Result<Compression> compression_of(std::string_view name) {
  for (Compression c : {Compression::kNone, Compression::kZstd, Compression::kLz4})
    if (compression_name(c) == name) return c;
  return fail(ErrorCode::kUnsupported, "unknown compression");
}

Result<Bytes> pack(Compression compression, ByteView plain) {
  switch (compression) {
    case Compression::kNone: break;
    case Compression::kZstd: return pack_zstd(plain);
    case Compression::kLz4: return pack_lz4(plain);
  }
  return Bytes(plain.begin(), plain.end());
}

Result<Bytes> unpack(Compression compression, ByteView packed, std::uint64_t size) {
  if (Status ok = plausible(compression, packed.size(), size); !ok) return tl::unexpected(ok.error());
  switch (compression) {
    case Compression::kNone: break;
    case Compression::kZstd: return unpack_zstd(packed, size);
    case Compression::kLz4: return unpack_lz4(packed, size);
  }
  if (packed.size() != size) return bad(fmt::format("{} bytes, not {}", packed.size(), size));
  return Bytes(packed.begin(), packed.end());
}

}  // namespace convoy

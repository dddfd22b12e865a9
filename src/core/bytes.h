// Little-endian bytes: a writer that grows, and a reader that never runs past the end.
//
// The reader does not fail call by call: after a short read every value is zero and ok() is false, so that a decoder
// checks once, at its end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace convoy {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

static_assert(std::endian::native == std::endian::little, "a big-endian host needs byte swaps in bytes.h");

// Bytes with many holders, which never change.
using SharedBytes = std::shared_ptr<const Bytes>;

inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Appends to a buffer that the caller owns.
class Writer {
 public:
  explicit Writer(Bytes& out) : out_(out) {}

  void u8(std::uint8_t v) { out_.push_back(v); }
  void u16(std::uint16_t v) { raw(&v, sizeof v); }
  void u32(std::uint32_t v) { raw(&v, sizeof v); }
  void u64(std::uint64_t v) { raw(&v, sizeof v); }
  void i64(std::int64_t v) { raw(&v, sizeof v); }
  void f64(double v) { raw(&v, sizeof v); }
  void bytes(ByteView v) { raw(v.data(), v.size()); }
  // u32 length, then the bytes.
  void blob(ByteView v) {
    u32(static_cast<std::uint32_t>(v.size()));
    bytes(v);
  }
  void text(std::string_view v) { blob(as_bytes(v)); }
  std::size_t size() const { return out_.size(); }
  void raw(const void* data, std::size_t n) {
    if (n == 0) return;
    const std::size_t at = out_.size();
    out_.resize(at + n);
    std::memcpy(out_.data() + at, data, n);
  }

 private:
  Bytes& out_;
};

// Reads a buffer that outlives it.
class Reader {
 public:
  explicit Reader(ByteView in) : in_(in) {}

  std::uint8_t u8() { return get<std::uint8_t>(); }
  std::uint16_t u16() { return get<std::uint16_t>(); }
  std::uint32_t u32() { return get<std::uint32_t>(); }
  std::uint64_t u64() { return get<std::uint64_t>(); }
  std::int64_t i64() { return get<std::int64_t>(); }
  double f64() { return get<double>(); }
  ByteView bytes(std::size_t n) {
    if (n > left()) {
      ok_ = false;
      in_ = {};
      return {};
    }
    const ByteView v = in_.first(n);
    in_ = in_.subspan(n);
    return v;
  }
  ByteView blob() { return bytes(u32()); }
  std::string text() { return std::string(as_text(blob())); }

  std::size_t left() const { return in_.size(); }
  bool ok() const { return ok_; }
  // True when nothing was missing and nothing is left over.
  bool done() const { return ok_ && in_.empty(); }
  void spoil() { ok_ = false; }

 private:
  template <class T>
  T get() {
    T v{};
    const ByteView b = bytes(sizeof(T));
    if (b.size() == sizeof(T)) std::memcpy(&v, b.data(), sizeof(T));
    return v;
  }

  ByteView in_;
  bool ok_ = true;
};

}  // namespace convoy

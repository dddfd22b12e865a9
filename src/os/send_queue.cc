#include "os/send_queue.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::os {
namespace {

constexpr std::size_t kGathered = 64u << 10;  // bytes of a piece that is not shared, about

}  // namespace

void SendQueue::append(ByteView bytes) {
  if (bytes.empty()) return;
  if (pieces_.empty() || pieces_.back().shared || pieces_.back().own.size() >= kGathered) {
    pieces_.emplace_back();
    pieces_.back().own.swap(spare_);
    pieces_.back().own.clear();
  }
  Bytes& own = pieces_.back().own;
  own.insert(own.end(), bytes.begin(), bytes.end());
  size_ += bytes.size();
}

void SendQueue::append(const SharedBytes& bytes) {
  if (bytes->empty()) return;
  pieces_.push_back({{}, bytes});
  size_ += bytes->size();
}

std::size_t SendQueue::pieces(iovec* out, std::size_t most) const {
  std::size_t n = 0;
  for (auto piece = pieces_.begin(); piece != pieces_.end() && n < most; ++piece, ++n) {
    const ByteView left = piece->bytes().subspan(n == 0 ? head_ : 0);
    out[n] = {const_cast<std::uint8_t*>(left.data()), left.size()};
  }
  return n;
}

void SendQueue::consume(std::size_t bytes) {
  EXPECTS(bytes <= size_);
  size_ -= bytes;
  head_ += bytes;
  while (!pieces_.empty() && head_ >= pieces_.front().bytes().size()) {
    head_ -= pieces_.front().bytes().size();
    Bytes& own = pieces_.front().own;
    if (own.capacity() > spare_.capacity() && own.capacity() <= kGathered) spare_.swap(own);
    pieces_.pop_front();
  }
}

void SendQueue::clear() {
  pieces_.clear();
  head_ = size_ = 0;
}

}  // namespace convoy::os

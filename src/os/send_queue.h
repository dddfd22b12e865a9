// The unsent bytes of a link, in order: small ones gathered into one buffer, large ones shared with other links.
#pragma once

#include <sys/uio.h>

#include <deque>

#include "core/bytes.h"

namespace convoy::os {

class SendQueue {
 public:
  std::size_t size() const { return size_; }
  void append(ByteView bytes);
  void append(const SharedBytes& bytes);
  // The first bytes, as at most `most` pieces for one call of the kernel. Returns how many there are.
  std::size_t pieces(iovec* out, std::size_t most) const;
  void consume(std::size_t bytes);  // at most size()
  void clear();

 private:
  struct Piece {
    Bytes own;
    SharedBytes shared;  // instead of `own`
    ByteView bytes() const { return shared ? ByteView(*shared) : ByteView(own); }
  };

  std::deque<Piece> pieces_;  // none is empty
  Bytes spare_;               // memory for the next small bytes
  std::size_t head_ = 0;      // of the first piece, gone already
  std::size_t size_ = 0;
};

}  // namespace convoy::os

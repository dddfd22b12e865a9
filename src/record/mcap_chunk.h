// A chunk's content, checked as a whole before any of it is used.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "convoy/result.h"
#include "record/mcap_format.h"

namespace convoy::mcap {

// The schemas and channels met so far in a file.
class Catalogue {
 public:
  // A second definition of an id must equal the first, except that a checked one replaces one that no CRC covers.
  Status add(Schema schema, bool checked);
  Status add(Channel channel, bool checked);

  // Valid until the next add().
  const Schema* schema(std::uint16_t id) const;
  const Channel* channel(std::uint16_t id) const;

 private:
  template <class T>
  struct Known {
    T value;
    bool checked = false;
  };
  template <class T>
  static Status add_to(std::map<std::uint16_t, Known<T>>& known, T value, bool checked, const char* what);

  std::map<std::uint16_t, Known<Schema>> schemas_;
  std::map<std::uint16_t, Known<Channel>> channels_;
};

struct PlacedMessage {
  Message message;           // its data points into the unpacked chunk
  std::uint64_t offset = 0;  // in the unpacked chunk
};

// The unpacked bytes, if size and CRC are right.
Result<Bytes> unpack_chunk(const Chunk& chunk);

// All messages of an unpacked chunk; new schemas and channels go to the catalogue.
Result<std::vector<PlacedMessage>> read_chunk(ByteView plain, bool checked, Catalogue& catalogue);

}  // namespace convoy::mcap

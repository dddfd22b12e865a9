// Writes one track of VP9 as WebM: the part of Matroska (RFC 9559) that browsers read, in EBML (RFC 8794).
//
//   EBML      DocType webm
//   Segment   SeekHead   where Info, Tracks and Cues are
//             Info       TimestampScale 1 ms, Duration
//             Tracks     one: V_VP9, its size and colours
//             Cluster... one for each key picture and those that follow it, in SimpleBlocks
//             Cues       where each Cluster is
//
// All before the first Cluster is the head: its length is known at once, but not its numbers. It is written with gaps
// (Void) and a Segment without end, so that a film that was never closed can be seen, too; and once more in the end.
#pragma once

#include <vector>

#include "film/vp9_encoder.h"

namespace convoy::film {

class WebmWriter {
 public:
  WebmWriter(const Format& format, FilmFile& file) : format_(format), file_(file) {}

  // The first one is a key. Times ascend.
  Status add(const Packet& packet, std::uint64_t at_ms);
  Status close(std::uint64_t end_ms);

 private:
  struct Cue {
    std::uint64_t at_ms = 0, place = 0;  // place: in the Segment
  };
  struct Ends {
    std::uint64_t end_ms = 0, cues = 0, size = 0;  // cues, size: in the Segment
  };
  Bytes head(const Ends* ends) const;
  Status begin();
  Status append(ByteView bytes);
  Status end_cluster();

  Format format_;
  FilmFile& file_;
  std::uint64_t segment_ = 0;     // where its contents begin, in the file
  std::uint64_t size_ = 0;        // of the file
  Bytes blocks_;                  // of the Cluster that is coming
  std::uint64_t cluster_ms_ = 0;  // its beginning
  std::vector<Cue> cues_;
};

}  // namespace convoy::film

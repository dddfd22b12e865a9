// A recorded run in one MCAP file: what it was made of, its journal, every boundary bit for bit, and checkpoints. Or, of
// a file that holds samples only, where the entities were.
//
//   attachments  convoy/head      RecordingHead          convoy/setup     canonical bytes of the Setup
//                convoy/scenario  the scenario's text, if there was one
//                convoy/code      CodeList: users' code that took part; again when there was more, the last one counts
//   metadata     convoy           the head once more, for people
//   messages     /convoy/reached    Boundary k as the agents made it, before its edits; a key at every checkpoint
//   in this      /convoy/checkpoint Piece of a Checkpoint: with the key and the last world, all to go on from here
//   order        /convoy/journal    JournalEntry: edits and elements of k              (losses: before reached k)
//                /convoy/edited     Boundary k after its edits, if that is another
//                /convoy/world      Piece of World::image(), when names, models, attachments or the environment changed
//                /convoy/elements   ElementHashes of k, if the journal has elements there
//                /convoy/digest     DigestRecord of k
//                /convoy/journal    inputs of k
//                /tf, /scene, /map  for viewers: record/scene_writer.h
//   or, sampled  /convoy/sample     Boundary: poses alone, or states
//                /convoy/journal    JournalEntry: edits
//                /tf, /scene, /map  as above
//
// A Piece's last one ends it. Log times are nanoseconds of simulated time since the recording began: they go on
// through a reset, after which run counts one more and tick starts at 0 again. What is in a cut file up to its last
// digest can be replayed and verified.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "core/fields.h"
#include "record/boundary.h"
#include "record/mcap_chunk.h"
#include "record/mcap_reader.h"
#include "wire/journal.h"
#include "wire/lockstep.h"
#include "world/code_file.h"

namespace convoy {

inline constexpr std::uint32_t kRecordingLayout = 1;
inline constexpr std::uint32_t kSampledLayout = 2;  // of a file that holds samples only
inline constexpr std::size_t kPiece = 1u << 20;     // bytes of one Piece

namespace topic {
inline constexpr const char *kReached = "/convoy/reached", *kCheckpoint = "/convoy/checkpoint",
                            *kJournal = "/convoy/journal", *kEdited = "/convoy/edited", *kWorld = "/convoy/world",
                            *kElements = "/convoy/elements", *kDigest = "/convoy/digest", *kSample = "/convoy/sample",
                            *kTransforms = "/tf", *kMap = "/map", *kScene = "/scene";
inline constexpr const char *kHead = "convoy/head", *kSetup = "convoy/setup", *kScenario = "convoy/scenario",
                            *kCode = "convoy/code";
}  // namespace topic

struct RecordingHead {
  std::uint32_t layout = kRecordingLayout;
  std::uint32_t protocol = 0;
  std::string version, build;
  std::uint64_t fingerprint = 0;  // numeric, of the server's machine
  std::string mode = "lockstep";
  std::string scenario;  // its name
  std::vector<std::string> hosts;
  std::uint64_t setup_hash = 0;  // of the attachment
  std::string detail = "full";   // see record_detail.h; written from layout 2 on
  std::vector<CodeFile> code;    // of an attachment of its own: it is known once the hosts are ready

  // All is there that it takes to compute the run again.
  bool repeatable() const { return layout < kSampledLayout && mode == "lockstep"; }
};
template <class V, MaybeConst<RecordingHead> T>
void fields(V& v, T& h) {
  v("layout", h.layout), v("protocol", h.protocol), v("version", h.version), v("build", h.build);
  v("fingerprint", h.fingerprint), v("mode", h.mode), v("scenario", h.scenario), v("hosts", h.hosts);
  v("setup_hash", h.setup_hash);
  if (h.layout >= kSampledLayout) v("detail", h.detail);
}

struct DigestRecord {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::uint64_t structure = 0, digest = 0;
  std::uint64_t entries = 0;  // of the journal so far in the file: none was taken out
};
template <class V, MaybeConst<DigestRecord> T>
void fields(V& v, T& d) {
  v("run", d.run), v("tick", d.tick), v("structure", d.structure), v("digest", d.digest);
  v("entries", d.entries);
}

// element_hash() of each element in the journal of one boundary, in order, so that one that was altered can be named.
// Several records may follow one another.
inline constexpr std::size_t kMaxElementHashes = 8192;
struct ElementHashes {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::vector<std::uint64_t> hashes;
};
template <class V, MaybeConst<ElementHashes> T>
void fields(V& v, T& e) {
  v("run", e.run), v("tick", e.tick), v("hashes", e.hashes);
}

struct Checkpoint {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::uint64_t digest = 0;       // of the boundary before
  std::uint64_t structure = 0;    // before the edits of this one
  std::vector<Message> messages;  // handed over at this boundary
  std::vector<InnerBytes::Agent> inner;
  std::vector<WorldNumber> ownerless;  // entities that no agent moves, ascending
  bool complete = false;               // all agents are there: a run can go on from here
};
template <class V, MaybeConst<Checkpoint> T>
void fields(V& v, T& c) {
  v("run", c.run), v("tick", c.tick), v("digest", c.digest), v("structure", c.structure), v("messages", c.messages);
  v("inner", c.inner), v("ownerless", c.ownerless), v("complete", c.complete);
}

struct Piece {
  std::uint32_t run = 0;
  Tick tick = 0;
  bool last = false;
  Bytes bytes;
};
template <class V, MaybeConst<Piece> T>
void fields(V& v, T& p) {
  v("run", p.run), v("tick", p.tick), v("last", p.last), v("bytes", p.bytes);
}

// Orders boundaries through resets.
struct Place {
  std::uint32_t run = 0;
  Tick tick = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

enum class RecordKind : std::uint8_t {
  kOther,
  kReached,
  kCheckpoint,
  kJournal,
  kEdited,
  kWorld,
  kElements,
  kDigest,
  kSample
};

// All but the boundaries is in memory after open(); those are unpacked chunk by chunk, as a Cursor comes by.
class Recording {
 public:
  // The bytes outlive it. Fails if it is not a recording of ours, or too little of it is left to begin a run.
  static Result<Recording> open(ByteView file);

  const RecordingHead& head() const { return head_; }
  const Setup& setup() const { return setup_; }
  const std::string& scenario_text() const { return scenario_text_; }
  Place end() const { return end_.place; }               // the last boundary that is all there
  std::uint64_t end_ns() const { return end_.time_ns; }  // its log time
  // The last tick of an earlier run: the one that was reset.
  Tick last_tick(std::uint32_t run) const { return run < run_ends_.size() ? run_ends_[run] : end_.place.tick; }
  bool has_digests() const { return has_digests_; }
  // What of the file's bytes comes before end(), or is all there if it is intact: 0 to 1.
  double whole_share() const { return end_.whole_share; }
  bool intact() const { return damage_.empty(); }
  const std::string& damage() const { return damage_; }  // "cut at byte 812 of 1000"

  // By place, in the order of their effect.
  std::span<const JournalEntry> journal() const { return journal_; }
  std::span<const JournalEntry> journal_at(Place place) const;

  // Where a run may go on; of samples, where reading may begin.
  struct Mark {
    Place place;
    std::uint64_t time_ns = 0;
    std::size_t chunk = 0;        // of the key
    std::size_t world_chunk = 0;  // of the last world before it, if has_world
    Place world_place;
    bool has_world = false;
  };
  const std::vector<Mark>& marks() const { return marks_; }

  struct Item {
    RecordKind kind = RecordKind::kOther;
    Place place;
    std::uint64_t time_ns = 0;
    Bytes bytes;  // of Pieces: the whole
  };
  // Walks through the items of the intact part in file order.
  class Cursor {
   public:
    // The next item, or nullptr at the end or after trouble().
    const Item* peek();
    void next() { ready_.pop_front(); }
    const std::optional<Error>& trouble() const { return trouble_; }

   private:
    friend class Recording;
    Cursor(const Recording& recording, std::size_t chunk) : recording_(&recording), chunk_(chunk) {}
    Status load();
    const Recording* recording_;
    std::size_t chunk_;
    std::deque<Item> ready_;
    std::map<RecordKind, Bytes> pieces_;
    std::optional<Error> trouble_;
  };
  Cursor from_start() const { return Cursor(*this, 0); }
  Cursor from_chunk(std::size_t chunk) const { return Cursor(*this, chunk); }

 private:
  Recording() = default;
  Status note(const MessageView& message);
  bool follows(RecordKind kind, std::uint32_t sequence);
  Status finish(const ScanReport& report);

  // What a chunk brings, so that the part before a damage is known.
  struct Chunk {
    std::uint64_t offset = 0;  // in the file
    std::optional<Place> reached, reached_before, digested;
    std::uint64_t reached_ns = 0, reached_before_ns = 0, digested_ns = 0;
  };
  struct Noted {
    JournalEntry entry;
    std::size_t chunk = 0;
  };

  ByteView file_;
  RecordingHead head_;
  Setup setup_;
  std::string scenario_text_;
  bool has_head_ = false, has_setup_ = false;
  std::map<std::uint16_t, RecordKind> kinds_;      // by channel
  std::map<RecordKind, std::uint32_t> sequences_;  // next of each kind
  std::vector<Chunk> chunks_;
  std::string broken_;  // why nothing is taken from here on
  std::optional<Place> last_;
  std::vector<Tick> run_ends_;  // of the runs before the last
  std::uint64_t last_ns_ = 0;
  std::vector<Noted> noted_;
  std::vector<JournalEntry> journal_;
  std::vector<Mark> marks_;
  std::optional<Mark> key_;      // the last key: a mark once its checkpoint has come
  std::size_t world_begun_ = 0;  // chunk of the first piece of the world that is coming
  bool world_coming_ = false;
  std::optional<std::pair<std::size_t, Place>> world_;  // the last whole one
  bool has_digests_ = false;
  struct End {
    Place place;
    std::uint64_t time_ns = 0;
    double whole_share = 0;
  } end_;
  std::string damage_;
};

// The world of a mark: names, models, attachments. Its states are those of the boundary; of samples it is the setup's.
Result<World> world_of(const Recording& recording, const Recording::Mark& mark);

// Everything of a mark: the world with its states, the checkpoint, the boundary.
struct ResumePoint {
  World world;
  Checkpoint checkpoint;
  Boundary boundary;
};
Result<ResumePoint> resume_point(const Recording& recording, const Recording::Mark& mark);

// Names that entities have, by run and world number: from the setup and the spawns of the journal.
std::map<std::pair<std::uint32_t, WorldNumber>, std::string> names_of(const Recording& recording);

}  // namespace convoy

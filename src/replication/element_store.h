// The elements of a run by owner and id, each in its newest version. One thread writes it.
//
//   store.apply(sender, element, now);                  // one, from a frame
//   for (auto& payload : parse_all(...)) store.apply(sender, std::move(payload), now, datagram.seq);
//   for (const ElementChange& change : store.changes()) ...
//
// Once all datagrams have arrived, their order makes no difference to the content (except at bounds, and for an id that
// was sent with two types). Stamps decide which content is newer; the datagrams' seq decides appearing and going: a
// full list removes elements that it does not name and that no later datagram has named.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "convoy/time.h"
#include "wire/element_packets.h"

namespace convoy {

// The outcome for an element; the last three are outcomes for a list.
enum class ElementDrop : std::uint8_t {
  kNew,        // accepted
  kUpdated,    // accepted
  kForeign,    // its connection is not the sender's
  kOtherType,  // the id names an element of another type
  kOldStamp,   // not newer than what is stored
  kFuture,     // further ahead of now than `future`
  kTooMany,    // a bound on elements or bytes; also a list that names more than its sender may have
  kGone,       // new, but sent before the newest full list, which does not have it
  kOldList,    // a packet of a list before the newest complete full list, or of that one again
  kBadList,    // a packet that contradicts its list's other parts
  kCount
};
const char* name_of(ElementDrop reason);

struct ElementOptions {
  std::size_t per_connection = 4096;                     // elements
  std::size_t connection_bytes = std::size_t{16} << 20;  // of serialised elements
  std::size_t total_bytes = std::size_t{256} << 20;
  Duration future = std::chrono::seconds(1);  // how far a stamp may be ahead
  std::size_t open_lists = 4;                 // incomplete full lists of a sender, the newest ones
  // A copy of a peer's store: the sender reports for every connection, and a full list is about all of them.
  bool mirror = false;
  std::size_t mirror_listed = std::size_t{1} << 20;  // elements that a mirror's full list may name
  bool check_stamps = true;                          // false: a planted bug for tests, old stamps overwrite newer ones
};

struct ElementChange {
  enum class Kind : std::uint8_t { kAppeared, kChanged, kGone };
  Kind kind{};
  ElementKey key;
  ElementTypeId type = 0;
  friend bool operator==(const ElementChange&, const ElementChange&) = default;
};

class ElementStore {
 public:
  struct Stored {
    Element element;
    std::uint32_t seq = 0;  // of the last datagram that named it
  };
  using Map = std::map<ElementKey, Stored>;
  using Range = std::pair<Map::const_iterator, Map::const_iterator>;

  explicit ElementStore(ElementOptions options = {}) : options_(options) {}

  // `seq` is that of the datagram that brought it; 0: it came by a frame, and counts as sent after all datagrams yet.
  ElementDrop apply(Owner sender, Element element, Instant now, std::uint32_t seq = 0);
  // All of a packet. One that could not be read changes nothing. A full list removes once all its parts have arrived,
  // each with all records understood; what is named but not accepted stays as it is.
  void apply(Owner sender, ParsedPayload payload, Instant now, std::uint32_t seq);
  // Its owner has taken it back.
  void retract(const ElementKey& key);
  // The connection has left: its elements go, and so does what is known of it as a sender.
  void remove(Owner connection);

  // In the order of (connection, id).
  const Map& elements() const { return elements_; }
  Range of(Owner connection) const;
  const Element* find(const ElementKey& key) const;
  std::size_t count_of(Owner connection) const;
  std::size_t bytes() const { return bytes_; }
  // For pack(); valid until the next change.
  std::vector<const Element*> all() const;

  // What is different from the last call, by key. An id that was taken by another type is gone, then appeared.
  std::vector<ElementChange> changes();

  std::uint64_t count(ElementDrop reason) const { return counts_[static_cast<std::size_t>(reason)]; }

 private:
  struct OpenList {
    std::uint16_t missing = 0;    // parts
    std::uint32_t first_seq = 0;  // the smallest of its datagrams
    bool too_long = false;
    std::vector<bool> arrived;
    std::set<ElementKey> named;
  };
  struct Sender {
    std::uint32_t newest_seq = 0;
    std::uint32_t full_list = 0;      // the newest complete one
    std::uint32_t full_list_seq = 0;  // of its first part
    std::map<std::uint32_t, OpenList> open;
  };
  struct Held {
    std::size_t count = 0, bytes = 0;
  };

  ElementDrop put(Sender& sender, Owner number, Element&& element, Instant now, std::uint32_t seq);
  ElementDrop add(const Sender& sender, Element&& element, std::uint32_t seq);
  ElementDrop update(Stored& stored, Element&& element);
  bool fits(Owner connection, std::size_t more_elements, std::size_t less, std::size_t more) const;
  ElementDrop count_as(ElementDrop reason);
  OpenList* open_list(Sender& sender, const ListPart& where, std::uint32_t seq);
  void name(OpenList& list, Owner sender, const ElementKey& key);
  void complete(Sender& sender, Owner number, std::uint32_t list);
  Map::iterator erase(Map::iterator at);
  void remember(const ElementKey& key, std::optional<ElementTypeId> before) { before_.try_emplace(key, before); }
  std::size_t max_listed() const { return options_.mirror ? options_.mirror_listed : options_.per_connection; }

  ElementOptions options_;
  Map elements_;
  std::map<Owner, Held> owners_;
  std::map<Owner, Sender> senders_;
  std::size_t bytes_ = 0;
  // What changed since changes(), as it was then (nothing: not there). Never more than was there then and is now.
  std::map<ElementKey, std::optional<ElementTypeId>> before_;
  std::array<std::uint64_t, static_cast<std::size_t>(ElementDrop::kCount)> counts_{};
};

}  // namespace convoy

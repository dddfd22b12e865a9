#include "replication/element_store.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

namespace {

bool ahead(std::int64_t stamp, Instant now, Duration bound) {
  if (stamp <= nanos(now)) return false;
  // The difference of any two stamps fits unsigned.
  return static_cast<std::uint64_t>(stamp) - static_cast<std::uint64_t>(nanos(now)) >
         static_cast<std::uint64_t>(nanos(bound));
}

}  // namespace

const char* name_of(ElementDrop reason) {
  switch (reason) {
    case ElementDrop::kNew: return "new";
    case ElementDrop::kUpdated: return "updated";
    case ElementDrop::kForeign: return "foreign_element";
    case ElementDrop::kOtherType: return "wrong_element_type";
    case ElementDrop::kOldStamp: return "stale_stamp";
    case ElementDrop::kFuture: return "future_stamp";
    case ElementDrop::kTooMany: return "too_many_elements";
    case ElementDrop::kGone: return "element_gone";
    case ElementDrop::kOldList: return "old_list";
    case ElementDrop::kBadList: return "bad_list";
    case ElementDrop::kCount: break;
  }
  return "unknown";
}

ElementDrop ElementStore::count_as(ElementDrop reason) {
  ++counts_[static_cast<std::size_t>(reason)];
  return reason;
}

ElementDrop ElementStore::apply(Owner sender, Element element, Instant now, std::uint32_t seq) {
  Sender& from = senders_[sender];
  from.newest_seq = std::max(from.newest_seq, seq);
  return put(from, sender, std::move(element), now, seq == 0 ? from.newest_seq : seq);
}

void ElementStore::apply(Owner sender, ParsedPayload payload, Instant now, std::uint32_t seq) {
  if (payload.trouble != PacketTrouble::kNone) return;
  if (payload.where.list == 0) {
    for (Element& element : payload.elements) apply(sender, std::move(element), now, seq);
    return;
  }
  Sender& from = senders_[sender];
  const ListPart& where = payload.where;
  if (where.list < from.full_list || (where.full && where.list == from.full_list)) {
    count_as(ElementDrop::kOldList);
    return;
  }
  OpenList* list = where.full ? open_list(from, where, seq) : nullptr;
  if (list && list->arrived.size() != where.parts) {
    count_as(ElementDrop::kBadList);
    return;
  }
  from.newest_seq = std::max(from.newest_seq, seq);
  for (Element& element : payload.elements) {
    if (list) name(*list, sender, element.key());
    put(from, sender, std::move(element), now, seq);
  }
  if (!list) return;
  for (const ElementKey& key : payload.keys_only) {
    name(*list, sender, key);
    const auto at = elements_.find(key);
    if (at != elements_.end() && (options_.mirror || key.connection == sender))
      at->second.seq = std::max(at->second.seq, seq);
  }
  list->first_seq = std::min(list->first_seq, seq);
  if (!payload.whole() || list->too_long || list->arrived[where.part]) return;
  list->arrived[where.part] = true;
  if (--list->missing == 0) complete(from, sender, where.list);
}

ElementDrop ElementStore::put(Sender& sender, Owner number, Element&& element, Instant now, std::uint32_t seq) {
  if (!options_.mirror && element.connection != number) return count_as(ElementDrop::kForeign);
  const auto at = elements_.find(element.key());
  if (at != elements_.end()) at->second.seq = std::max(at->second.seq, seq);
  if (ahead(element.stamp, now, options_.future)) return count_as(ElementDrop::kFuture);
  return count_as(at == elements_.end() ? add(sender, std::move(element), seq)
                                        : update(at->second, std::move(element)));
}

ElementDrop ElementStore::add(const Sender& sender, Element&& element, std::uint32_t seq) {
  if (seq < sender.full_list_seq) return ElementDrop::kGone;
  if (!fits(element.connection, 1, 0, element.bytes.size())) return ElementDrop::kTooMany;
  Held& owner = owners_[element.connection];
  ++owner.count;
  owner.bytes += element.bytes.size();
  bytes_ += element.bytes.size();
  const ElementKey key = element.key();
  remember(key, std::nullopt);
  elements_.emplace(key, Stored{std::move(element), seq});
  return ElementDrop::kNew;
}

ElementDrop ElementStore::update(Stored& stored, Element&& element) {
  Element& old = stored.element;
  if (old.type != element.type) return ElementDrop::kOtherType;
  if (options_.check_stamps && element.stamp <= old.stamp) return ElementDrop::kOldStamp;
  if (!fits(element.connection, 0, old.bytes.size(), element.bytes.size())) return ElementDrop::kTooMany;
  Held& owner = owners_[element.connection];
  owner.bytes += element.bytes.size() - old.bytes.size();  // wraps and wraps back
  bytes_ += element.bytes.size() - old.bytes.size();
  remember(old.key(), old.type);
  old = std::move(element);
  return ElementDrop::kUpdated;
}

bool ElementStore::fits(Owner connection, std::size_t more_elements, std::size_t less, std::size_t more) const {
  const auto at = owners_.find(connection);
  const Held owner = at == owners_.end() ? Held{} : at->second;
  return owner.count + more_elements <= options_.per_connection &&
         owner.bytes - less + more <= options_.connection_bytes && bytes_ - less + more <= options_.total_bytes;
}

// The list that a part belongs to; nullptr if it is not followed: too many are open, or it is too long to be honest.
ElementStore::OpenList* ElementStore::open_list(Sender& sender, const ListPart& where, std::uint32_t seq) {
  const auto at = sender.open.find(where.list);
  if (at != sender.open.end()) return &at->second;
  // Each part but that of an empty list names something.
  if (where.parts > std::max<std::size_t>(1, max_listed())) {
    count_as(ElementDrop::kTooMany);
    return nullptr;
  }
  if (sender.open.size() >= options_.open_lists) {
    if (sender.open.empty() || sender.open.begin()->first > where.list) return nullptr;
    sender.open.erase(sender.open.begin());
  }
  OpenList& list = sender.open[where.list];
  list.missing = where.parts;
  list.first_seq = seq;
  list.arrived.resize(where.parts);
  return &list;
}

void ElementStore::name(OpenList& list, Owner sender, const ElementKey& key) {
  if (list.too_long || (!options_.mirror && key.connection != sender)) return;
  list.named.insert(key);
  if (list.named.size() <= max_listed()) return;
  list.too_long = true;
  list.named.clear();
  count_as(ElementDrop::kTooMany);
}

void ElementStore::complete(Sender& sender, Owner number, std::uint32_t list_number) {
  const OpenList list = std::move(sender.open.at(list_number));
  sender.full_list = list_number;
  sender.full_list_seq = list.first_seq;
  sender.open.erase(sender.open.begin(), sender.open.upper_bound(list_number));
  auto at = options_.mirror ? elements_.begin() : elements_.lower_bound({number, ElementId()});
  while (at != elements_.end() && (options_.mirror || at->first.connection == number)) {
    if (at->second.seq < list.first_seq && !list.named.contains(at->first)) at = erase(at);
    else ++at;
  }
}

ElementStore::Map::iterator ElementStore::erase(Map::iterator at) {
  const Element& element = at->second.element;
  const auto owner = owners_.find(element.connection);
  EXPECTS(owner != owners_.end() && owner->second.count > 0);
  owner->second.bytes -= element.bytes.size();
  bytes_ -= element.bytes.size();
  if (--owner->second.count == 0) owners_.erase(owner);
  const auto [before, first] = before_.try_emplace(at->first, element.type);
  if (!first && !before->second) before_.erase(before);  // came and went: no boundary has seen it
  return elements_.erase(at);
}

void ElementStore::retract(const ElementKey& key) {
  if (const auto at = elements_.find(key); at != elements_.end()) erase(at);
}

void ElementStore::remove(Owner connection) {
  for (auto at = elements_.lower_bound({connection, ElementId()});
       at != elements_.end() && at->first.connection == connection;)
    at = erase(at);
  senders_.erase(connection);
}

ElementStore::Range ElementStore::of(Owner connection) const {
  return {elements_.lower_bound({connection, ElementId()}), elements_.upper_bound({connection, ElementId(~0u)})};
}

const Element* ElementStore::find(const ElementKey& key) const {
  const auto at = elements_.find(key);
  return at == elements_.end() ? nullptr : &at->second.element;
}

std::size_t ElementStore::count_of(Owner connection) const {
  const auto at = owners_.find(connection);
  return at == owners_.end() ? 0 : at->second.count;
}

std::vector<const Element*> ElementStore::all() const {
  std::vector<const Element*> all;
  all.reserve(elements_.size());
  for (const auto& [key, stored] : elements_) all.push_back(&stored.element);
  return all;
}

std::vector<ElementChange> ElementStore::changes() {
  using Kind = ElementChange::Kind;
  std::vector<ElementChange> changes;
  for (const auto& [key, before] : before_) {
    const Element* now = find(key);
    if (before && now && *before == now->type) {
      changes.push_back({Kind::kChanged, key, now->type});
      continue;
    }
    if (before) changes.push_back({Kind::kGone, key, *before});
    if (now) changes.push_back({Kind::kAppeared, key, now->type});
  }
  before_.clear();
  return changes;
}

}  // namespace convoy

// An edit of the world that an agent asks for, and what came of it: both travel as messages.
//
//   in tick k         Software::take_edit_requests(); each leaves as a message of kEditTopic, no agent gets it
//   at boundary k+1   the server carries it out, agents' requests by (agent, index) before all edits from outside,
//                     and puts a message of kEditedTopic, an EditReply, in its place
//   in tick k+1       Software::edited() of the asker
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "world/edit_kind.h"

namespace convoy {

inline constexpr const char* kEditTopic = "/edit";      // an EditRequest
inline constexpr const char* kEditedTopic = "/edited";  // an EditReply, to the asker alone

// Most edits that one agent may ask for in one tick; what is beyond is refused.
inline constexpr std::uint32_t kMaxEditRequests = 100;
inline constexpr const char* kTooManyEdits = "an agent may ask for 100 edits in one tick";

// Names of entities; kAsker is whoever asks.
inline constexpr const char* kAsker = "~";

struct EditRequest {
  EditKind kind{};
  std::uint32_t id = 0;  // the asker's own, which the reply repeats
  std::string entity;    // to be made (none: MODEL_NUMBER), or which it is about; the child of kAttach
  std::string parent;    // of kAttach
  std::string model;     // of kSpawn, as all up to `tags`
  std::string ns;        // of its interfaces
  std::vector<std::string> tags;
  std::string frame;           // an entity, in whose frame pose and twist are; none: the world
  std::optional<Pose> pose;    // of kSpawn (none: that of the frame) and kSet (none: as it is)
  std::optional<Twist> twist;  // of kSet; none: at rest

  friend bool operator==(const EditRequest&, const EditRequest&) = default;
};
template <class V, MaybeConst<EditRequest> T>
void fields(V& v, T& r) {
  v("kind", r.kind), v("id", r.id), v("entity", r.entity), v("parent", r.parent), v("model", r.model), v("ns", r.ns);
  v("tags", r.tags), v("frame", r.frame), v("pose", r.pose), v("twist", r.twist);
}

struct EditReply {
  std::uint32_t id = 0;
  std::uint32_t error = 0;         // an ErrorCode; 0: it was carried out
  std::string text;                // why it was not
  WorldNumber number = kNoEntity;  // of the entity that it was about, or that was made,
  std::string name;                // and its name

  friend bool operator==(const EditReply&, const EditReply&) = default;
};
template <class V, MaybeConst<EditReply> T>
void fields(V& v, T& r) {
  v("id", r.id), v("error", r.error), v("text", r.text), v("number", r.number), v("name", r.name);
}

}  // namespace convoy

// Elements as the messages that they are, for programs that have generated code for their types.
//
//   convoy::push(*client, convoy::ElementId(1), *client->now(), vehicle);     // any protobuf message
//   for (const convoy::ElementEvent& event : client->drain())
//     if (const auto seen = convoy::as<convoy::Vehicle>(event)) steer_clear(seen->chassis());
//
// Needs protobuf; convoy/client.h does not.
#pragma once

#include <optional>
#include <string>

#include "convoy/client.h"

namespace convoy {

// As Client::push(), with the type and the bytes of the message.
template <class Message>
Status push(Client& client, ElementId id, Instant stamp, const Message& element) {
  const std::string bytes = element.SerializeAsString();
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return client.push(element.GetTypeName(), id, stamp, {first, bytes.size()});
}

// The element, if it is of this type, and not gone.
template <class Message>
std::optional<Message> as(const ElementEvent& event) {
  Message out;
  if (event.kind == ElementEvent::Kind::kGone || event.type != out.GetTypeName()) return std::nullopt;
  if (!out.ParseFromArray(event.bytes.data(), static_cast<int>(event.bytes.size()))) return std::nullopt;
  return out;
}

}  // namespace convoy

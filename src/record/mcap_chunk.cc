#include "record/mcap_chunk.h"

#include <fmt/format.h>

#include "record/compress.h"
#include "record/crc32.h"

namespace convoy::mcap {
namespace {

tl::unexpected<Error> bad(std::string text) { return fail(ErrorCode::kInvalid, std::move(text)); }

template <class T>
Status add_parsed(ByteView content, bool checked, Catalogue& catalogue, const char* what) {
  T value;
  if (!parse(content, value)) return bad(fmt::format("malformed {}", what));
  return catalogue.add(std::move(value), checked);
}

}  // namespace

template <class T>
Status Catalogue::add_to(std::map<std::uint16_t, Known<T>>& known, T value, bool checked, const char* what) {
  const auto [at, is_new] = known.try_emplace(value.id);
  if (is_new || (checked && !at->second.checked)) {
    at->second = {.value = std::move(value), .checked = checked};
    return {};
  }
  if (at->second.value != value) return bad(fmt::format("{} {} is defined twice, differently", what, value.id));
  return {};
}

Status Catalogue::add(Schema schema, bool checked) {
  if (schema.id == 0) return {};  // the specification: invalid, and ignored
  return add_to(schemas_, std::move(schema), checked, "schema");
}

Status Catalogue::add(Channel channel, bool checked) {
  if (channel.schema_id != 0 && !schema(channel.schema_id))
    return bad(fmt::format("channel {} has the unknown schema {}", channel.id, channel.schema_id));
  return add_to(channels_, std::move(channel), checked, "channel");
}

const Schema* Catalogue::schema(std::uint16_t id) const {
  const auto at = schemas_.find(id);
  return at == schemas_.end() ? nullptr : &at->second.value;
}

const Channel* Catalogue::channel(std::uint16_t id) const {
  const auto at = channels_.find(id);
  return at == channels_.end() ? nullptr : &at->second.value;
}

Result<Bytes> unpack_chunk(const Chunk& chunk) {
  const Result<Compression> compression = compression_of(chunk.compression);
  if (!compression) return tl::unexpected(compression.error());
  Result<Bytes> plain = unpack(*compression, chunk.packed, chunk.plain_size);
  if (!plain) return plain;
  if (const std::uint32_t crc = crc32(*plain); chunk.plain_crc != 0 && crc != chunk.plain_crc)
    return bad(fmt::format("CRC {:08x}, not {:08x}", crc, chunk.plain_crc));
  return plain;
}

Result<std::vector<PlacedMessage>> read_chunk(ByteView plain, bool checked, Catalogue& catalogue) {
  std::vector<PlacedMessage> messages;
  for (std::uint64_t at = 0; at < plain.size();) {
    const auto record = record_at(plain, at);
    if (!record) return bad(fmt::format("a record at {} runs past the chunk's end", at));
    at = record->end();
    Status ok;
    switch (record->opcode) {
      case Opcode::kSchema: ok = add_parsed<Schema>(record->content, checked, catalogue, "schema"); break;
      case Opcode::kChannel: ok = add_parsed<Channel>(record->content, checked, catalogue, "channel"); break;
      case Opcode::kMessage: {
        PlacedMessage placed{.offset = record->offset};
        if (!parse(record->content, placed.message)) ok = bad("malformed message");
        else if (!catalogue.channel(placed.message.channel_id))
          ok = bad(fmt::format("a message of the unknown channel {}", placed.message.channel_id));
        else messages.push_back(placed);
        break;
      }
      default:
        // Codes from 0x10 on may come with a later version; the known ones do not belong here.
        if (static_cast<std::uint8_t>(record->opcode) <= 0x0f)
          ok = bad(fmt::format("a record of type {:#04x} inside", static_cast<int>(record->opcode)));
    }
    if (!ok) return bad(fmt::format("{} (at {} unpacked)", ok.error().text, record->offset));
  }
  return messages;
}

}  // namespace convoy::mcap

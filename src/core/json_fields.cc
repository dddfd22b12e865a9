#include "core/json_fields.h"

namespace convoy {

void JsonFields::text(std::string_view value) {
  out_ += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out_ += '\\', out_ += c;
    else if (static_cast<unsigned char>(c) >= 0x20) out_ += c;
    else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out_ += escaped;
    }
  }
  out_ += '"';
}

}  // namespace convoy

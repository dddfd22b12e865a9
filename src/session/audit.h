// What a server writes down about who came, called and was turned away.
#pragma once

#include <string>
#include <string_view>

#include "core/ports.h"

namespace convoy {

struct AuditLine {
  std::string_view what;  // joined, left, declined, call
  Endpoint from;
  std::string_view name, role, access;  // of the member; of a declined link empty
  std::string_view call;                // its name, of a call
  std::string_view text;                // why it was declined, left or refused; empty: all is well
};

class Audit {
 public:
  virtual ~Audit() = default;
  virtual void write(const AuditLine& line) = 0;
};

}  // namespace convoy

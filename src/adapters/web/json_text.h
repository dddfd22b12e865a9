// JSON as text for clients: what is not UTF-8 in it is replaced, not refused.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace convoy::web {

inline std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace convoy::web

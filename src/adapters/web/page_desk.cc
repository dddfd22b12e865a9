#include "adapters/web/page_desk.h"

#include <algorithm>
#include <cmath>

#include "adapters/web/json_text.h"
#include "roles/call_text.h"
#include "roles/calls.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

constexpr double kLatest_s = 1e9;     // that a page may ask for
constexpr double kHalfTurn = 3.1416;  // rad, and a little more

HttpResponse json_response(unsigned status, const Json& json) {
  HttpResponse out = text_response(status, dump(json));
  out.type = "application/json";
  return out;
}

const char* type_of(std::string_view path) {
  const std::pair<std::string_view, const char*> types[] = {{".html", "text/html; charset=utf-8"},
                                                            {".js", "text/javascript; charset=utf-8"},
                                                            {".css", "text/css; charset=utf-8"},
                                                            {".svg", "image/svg+xml"},
                                                            {".png", "image/png"},
                                                            {".ico", "image/x-icon"},
                                                            {".json", "application/json"},
                                                            {".webmanifest", "application/manifest+json"}};
  for (const auto& [ending, type] : types)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

// A number of Convoy's own is never negative, and in JSON it may be text.
std::optional<std::uint64_t> number_in(const Json& json, const char* field) {
  const auto at = json.find(field);
  if (at == json.end() || !at->is_number_unsigned()) return std::nullopt;
  return at->get<std::uint64_t>();
}

std::optional<Vec3> vector_in(const Json& json, const char* field) {
  const auto at = json.find(field);
  if (at == json.end() || !at->is_array() || at->size() != 3) return std::nullopt;
  for (const Json& number : *at)
    if (!number.is_number() || !(std::abs(number.get<double>()) <= kMostMetres)) return std::nullopt;
  return Vec3{(*at)[0].get<double>(), (*at)[1].get<double>(), (*at)[2].get<double>()};
}

// What a page says of where it looks, or what it lacks.
tl::expected<Look, std::string> look_in(const Json& json) {
  const auto wrong = [](std::string why) { return tl::unexpected(std::move(why)); };
  if (!json.is_object()) return wrong("is an object");
  const auto eye = vector_in(json, "eye"), ahead = vector_in(json, "ahead");
  if (!eye) return wrong("has eye, three numbers of at most 1000 km");
  const double length = ahead ? std::sqrt(dot(*ahead, *ahead)) : 0;
  if (!(length > 1e-6)) return wrong("has ahead, a direction of three numbers");
  Look out{*eye, (1 / length) * *ahead, 0, {}};
  const auto angle = json.find("angle"), always = json.find("always");
  if (angle == json.end() || !angle->is_number() || !(angle->get<double>() >= 0 && angle->get<double>() <= kHalfTurn))
    return wrong("has angle, 0 to pi");
  out.angle = angle->get<double>();
  if (always == json.end()) return out;
  if (!always->is_array() || always->size() > kMostAlways)
    return wrong("has in always the numbers of at most " + std::to_string(kMostAlways) + " entities");
  for (const Json& number : *always) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > ~std::uint32_t{0})
      return wrong("has in always numbers of entities");
    out.always.push_back(number.get<std::uint32_t>());
  }
  return out;
}

std::string lacks(Access least, Access has) {
  return std::string("this needs the role ") + name_of(least) + "; the page's link gives " + name_of(has);
}

}  // namespace

HttpResponse file_response(const SceneFiles& files, const std::string& path) {
  const auto file = files.find(path);
  if (file == files.end()) return text_response(404, "nothing is here\n");
  return {200, type_of(path), file->second, path.starts_with("/assets/")};
}

std::string holder_of_page(PageId page) { return "web/page" + std::to_string(page); }

HttpResponse PageDesk::answer(const HttpRequest& request, Moment now) {
  if (request.path == "/session") return new_session(request, now);
  if (request.method != "GET" && request.method != "HEAD") return text_response(405, "only GET here\n");
  if (const auto scene = scene_files_.find(request.path); scene != scene_files_.end()) {
    if (!keys_.access_of(request.session, now)) return ++refused_["no session"], text_response(403, "no session\n");
    return {200, "model/gltf-binary", scene->second, true};
  }
  return file_response(page_files_, request.path == "/" ? "/index.html" : request.path);
}

HttpResponse PageDesk::new_session(const HttpRequest& request, Moment now) {
  if (request.method != "POST") return text_response(405, "only POST here\n");
  const Json asked = Json::parse(request.body, nullptr, false);
  if (!asked.is_object() || !asked.contains("token") || !asked["token"].is_string())
    return ++refused_["malformed request"], json_response(400, {{"error", "the body is {\"token\": \"...\"}"}});
  const auto session = keys_.exchange(asked["token"].get<std::string>(), now);
  if (!session)
    return ++refused_["wrong token"], json_response(403, {{"error", "the link's token is not one of this server's"}});
  return json_response(200, {{"session", session->id},
                             {"role", name_of(session->access)},
                             {"expires_s", std::chrono::duration_cast<std::chrono::seconds>(kSessionLasts).count()}});
}

void PageDesk::opened(PageId page, Moment now) { pages_[page].opened = now; }

void PageDesk::closed(PageId page) {
  const auto at = pages_.find(page);
  if (at == pages_.end()) return;
  if (at->second.greeted) backend_.left(page, holder_of_page(page), at->second.has_leased);
  pages_.erase(at);
}

void PageDesk::on_time(Moment now) {
  for (auto& [id, page] : pages_) {
    if (!page.greeted && now - page.opened >= kSilence) {
      ++refused_["silent page"];
      page.greeted = true;  // said once
      port_.close(id, CloseCode::kSilent, "it has not said hello");
    }
    offer(id, page, now);
  }
}

void PageDesk::refuse(PageId page, const char* reason, const std::string& text) {
  ++refused_[reason];
  port_.send(page, text_message(dump({{"event", {{"level", "error"}, {"text", text}}}})));
}

void PageDesk::text(PageId id, std::string_view text, Moment now) {
  const auto at = pages_.find(id);
  if (at == pages_.end()) return;
  Page& page = at->second;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.size() != 1)
    return refuse(id, "malformed message", "a message is an object with one member");
  const auto member = json.begin();
  const std::string& kind = member.key();
  const Json& value = *member;
  if (!page.greeted) {
    if (kind == "hello") return hello(id, page, value, now);
    ++refused_["no session"];
    return port_.close(id, CloseCode::kDenied, "a page says hello first");
  }
  if (kind == "ack") {
    if (!value.is_number_unsigned()) return refuse(id, "malformed message", "ack is the number of a frame");
    const auto drawn = value.get<std::uint64_t>();
    std::erase_if(page.undrawn, [&](std::uint32_t number) { return number <= drawn; });
    return offer(id, page, now);
  }
  if (kind == "call") return call(id, page, value);
  if (kind == "seek") return seek(id, page, value);
  if (kind == "rate") {
    if (!value.is_number() || !(value.get<double>() >= 1) || !(value.get<double>() <= 60))
      return refuse(id, "malformed message", "rate is 1 to 60 frames a second");
    page.every = Duration(static_cast<std::int64_t>(1e9 / value.get<double>()));
    return;
  }
  if (kind == "look") return look(id, page, value);
  refuse(id, "malformed message", "'" + kind.substr(0, 40) + "' is no message: hello, ack, call, seek, rate, look");
}

void PageDesk::hello(PageId id, Page& page, const Json& hello, Moment now) {
  const bool named = hello.is_object() && hello.contains("session") && hello["session"].is_string();
  const auto access = named ? keys_.access_of(hello["session"].get<std::string>(), now) : std::nullopt;
  if (!access) {
    ++refused_["no session"];
    return port_.close(id, CloseCode::kDenied, "no such session: open the link again");
  }
  page.greeted = true, page.access = *access;
  backend_.joined(id);
}

void PageDesk::refuse_call(PageId page, std::uint64_t id, ErrorCode code, const std::string& text) {
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(code)), reply.set_text(text);
  port_.send(page, text_message(reply_for_page(id, reply)));
}

void PageDesk::call(PageId id, Page& page, const Json& call) {
  const auto number = call.is_object() ? number_in(call, "id") : std::nullopt;
  if (!number || !call.contains("request") || !call["request"].is_object())
    return refuse(id, "malformed message", "a call has an id, a number, and a request, an object");
  auto request = call_of_json(dump(call["request"]));
  if (!request)
    return ++refused_["malformed call"], refuse_call(id, *number, ErrorCode::kInvalid, request.error().text);
  if (const Access least = needed(*request); page.access < least) {
    ++refused_["role"];
    return refuse_call(id, *number, ErrorCode::kDenied, lacks(least, page.access));
  }
  if (page.calls.size() >= kMostCalls) {
    ++refused_["too many calls"];
    return refuse_call(id, *number, ErrorCode::kUnavailable, std::to_string(kMostCalls) + " calls wait already");
  }
  if (!page.calls.insert(*number).second)
    return refuse(id, "malformed message", "the id of a call that is not answered yet");
  page.has_leased = page.has_leased || request->has_lease();
  request->set_holder(holder_of_page(id));
  backend_.ask(id, *number, std::move(*request));
}

void PageDesk::seek(PageId id, const Page& page, const Json& seek) {
  const auto time = seek.is_object() ? seek.find("time_s") : seek.end();
  if (!seek.is_object() || time == seek.end() || !time->is_number() ||
      !(time->get<double>() >= 0 && time->get<double>() <= kLatest_s))
    return refuse(id, "malformed message", "seek has time_s, a time in seconds of 0 or more");
  if (page.access < Access::kEdit) return refuse(id, "role", lacks(Access::kEdit, page.access));
  backend_.seek(id, static_cast<std::uint64_t>(time->get<double>() * 1e9 + 0.5));
}

// The newest counts; nothing is done about it before the next frame.
void PageDesk::look(PageId id, Page& page, const Json& value) {
  auto look = look_in(value);
  if (!look) return refuse(id, "malformed message", "look " + look.error());
  page.sight.look(std::move(*look));
}

void PageDesk::answered(PageId id, std::uint64_t number, const proto::Reply& reply) {
  const auto at = pages_.find(id);
  if (at == pages_.end()) return;
  if (at->second.calls.erase(number) == 0) return;  // answered already, when the simulation was gone
  port_.send(id, text_message(reply_for_page(number, reply)));
}

void PageDesk::welcome(PageId id, Json welcome, const std::vector<std::string>& texts) {
  const auto at = pages_.find(id);
  if (at == pages_.end()) return;
  welcome["role"] = name_of(at->second.access), welcome["page"] = id;
  port_.send(id, text_message(dump({{"welcome", std::move(welcome)}})));
  for (const std::string& text : texts) port_.send(id, text_message(text));
  at->second.ready = true;
  at->second.sight.forget();
}

void PageDesk::status(Json status) {
  status["pages"] = pages_.size(), status["refused"] = refused();
  tell_all(dump({{"status", std::move(status)}}));
}

std::map<std::string, std::uint64_t> PageDesk::refused() const {
  std::map<std::string, std::uint64_t> all = port_.refused();
  for (const auto& [reason, count] : refused_) all[reason] += count;
  return all;
}

void PageDesk::tell_all(const std::string& text) {
  const WebMessage message = text_message(text);
  for (const auto& [id, page] : pages_)
    if (page.ready && port_.backlog(id) < kMostUntaken) port_.send(id, message);
}

void PageDesk::change(const std::string& text) {
  crowd_.outdated();
  const WebMessage message = text_message(text);
  for (const auto& [id, page] : pages_)
    if (page.ready) port_.send(id, message);
}

void PageDesk::lose(const std::string& why) {
  crowd_.outdated();
  const WebMessage lost = text_message(dump({{"lost", {{"text", why}}}}));
  for (auto& [id, page] : pages_) {
    for (const std::uint64_t call : std::exchange(page.calls, {}))
      refuse_call(id, call, ErrorCode::kUnavailable, "the simulation is gone");
    if (page.ready) port_.send(id, lost);
    page.ready = page.has_leased = false;
  }
}

void PageDesk::join_again() {
  crowd_.outdated();
  for (auto& [id, page] : pages_) {
    if (!page.greeted) continue;
    page.ready = false;
    backend_.joined(id);
  }
}

void PageDesk::show(Bytes frame, std::shared_ptr<const Roster> roster, Moment now) {
  put_number(frame, ++number_);
  crowd_.take(std::make_shared<const Bytes>(std::move(frame)), std::move(roster));
  shown_at_ = now;
  for (auto& [id, page] : pages_) offer(id, page, now);
}

void PageDesk::offer(PageId id, Page& page, Moment now) {
  if (!page.ready || page.undrawn.size() >= kMostUndrawn) return;
  if (now - page.last_frame < page.every - std::chrono::milliseconds(4)) return;  // timers are a little late
  const SharedBytes frame = next_frame(page, now);
  if (!frame) return;
  page.shown = crowd_.count(), page.last_frame = now;
  page.undrawn.push_back(number_of(*frame));
  port_.send(id, {false, frame});
}

// The newest that it has not had; of a crowd what is due of it. Null: it has everything.
SharedBytes PageDesk::next_frame(Page& page, Moment now) {
  const SharedBytes whole = crowd_.frame();
  const bool had = page.shown == crowd_.count();
  if (!whole || (had && (!page.sight.lacks() || now - shown_at_ < kLastFrame))) return nullptr;
  if (!crowd_.large() || !page.sight.looks() || page.sight.needs_all(crowd_)) {
    if (had) return nullptr;
    page.sight.told_all(crowd_, now);
    return whole;
  }
  Bytes part = page.sight.next(crowd_, now);
  put_number(part, ++number_);
  return std::make_shared<const Bytes>(std::move(part));
}

}  // namespace convoy::web

#include "apps/web_site.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/network.h"
#include "apps/prepare.h"
#include "os/file.h"
#include "os/port_secret.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

constexpr std::size_t kMostPageBytes = 32 << 20;

// The files of the built page, by the path that browsers ask for.
Result<web::SceneFiles> page_in(const std::string& folder) {
  web::SceneFiles out;
  std::error_code ec;
  for (auto at = std::filesystem::recursive_directory_iterator(folder, ec); !ec && at != std::filesystem::end(at);
       at.increment(ec)) {
    if (!at->is_regular_file()) continue;
    auto bytes = os::read_file(at->path().string(), kMostPageBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    out.emplace("/" + at->path().lexically_relative(folder).generic_string(),
                std::make_shared<const Bytes>(std::move(*bytes)));
  }
  if (ec) return fail(ErrorCode::kNotFound, folder + ": " + ec.message());
  if (!out.contains("/index.html")) return fail(ErrorCode::kNotFound, folder + " has no index.html");
  return out;
}

struct Place {
  std::string host;
  std::uint16_t port = 0;
};

Result<Place> place_of(const std::string& listen, const char* option) {
  const std::size_t colon = listen.rfind(':');
  int port = -1;
  if (colon != std::string::npos)
    for (port = 0; const char c : listen.substr(colon + 1))
      port = c >= '0' && c <= '9' && port < 65536 ? 10 * port + c - '0' : 65536;
  if (colon == std::string::npos || colon + 1 == listen.size() || port > 65535)
    return fail(ErrorCode::kInvalid, std::string(option) + " is ADDR:PORT, not '" + listen + "'");
  std::string host = listen.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return Place{host, static_cast<std::uint16_t>(port)};
}

// Where apps are that speak Foxglove's protocol from a browser, as they come. They may connect to this machine alone,
// unless the user names them.
std::vector<std::string> known_apps(const Arguments& a) {
  std::vector<std::string> out = a.web.origins;
  if (loopback(a.web.listen))
    out.insert(out.end(), {"https://app.foxglove.dev", "https://studio.foxglove.dev", "http://localhost:8080"});
  return out;
}

std::vector<WebLink> links_to(const web::Site& site, const Arguments& a, const std::vector<web::Token>& tokens) {
  const std::string place = fmt::format("{}:{}", host_to_dial(a.web.listen), site.port());
  const char* s = a.web.certificate.empty() ? "" : "s";
  std::vector<WebLink> out;
  for (const web::Token& one : tokens)
    out.push_back({name_of(one.access), fmt::format("page for {}", name_of(one.access)),
                   fmt::format("http{}://{}/#token={}", s, place, one.text)});
  for (const web::Token& one : tokens)
    if (a.web.foxglove)
      out.push_back({fmt::format("foxglove_{}", name_of(one.access)), fmt::format("foxglove ({})", name_of(one.access)),
                     fmt::format("ws{}://{}/?token={}", s, place, one.text)});
  return out;
}

}  // namespace

Result<web::SceneFiles> page_files(const std::string& folder) {
  if (!folder.empty()) return page_in(folder);
  for (const std::string& own : beside_program({"web", "../share/convoy/web"}))
    if (os::exists(own + "/index.html")) return page_in(own);
  return fail(ErrorCode::kNotFound,
              "this build has no page: it was made without Node (CONVOY_PAGE=OFF); --page names a folder");
}

Result<web::WebServerOptions> server_options(const Arguments& arguments, const std::string& listen,
                                             const char* option) {
  const auto place = place_of(listen, option);
  if (!place) return tl::unexpected(place.error());
  const bool encrypted = !arguments.web.certificate.empty();
  if (!encrypted && !loopback(listen) && !arguments.credentials.insecure)
    return fail(ErrorCode::kInvalid, "what comes from " + listen +
                                         " is not encrypted: whoever listens on the way gets the page's link; "
                                         "--web-certificate encrypts it, --insecure allows it");
  web::WebServerOptions out;
  out.address = place->host, out.port = place->port, out.names = arguments.web.names;
  if (encrypted) out.certificate = web::Certificate{arguments.web.certificate, arguments.web.key};
  return out;
}

Result<OpenedSite> open_site(const Arguments& arguments) {
  auto server = server_options(arguments, arguments.web.listen, "--web-listen");
  if (!server) return tl::unexpected(server.error());
  const std::string& video = arguments.web.video;
  if (!video.empty() && !video.starts_with("http://") && !video.starts_with("https://"))
    return fail(ErrorCode::kInvalid,
                "--video is the link that convoy signaling prints, http://..., not '" + video + "'");
  if (!video.empty()) server->connects = {"ws:", "wss:"};  // the signaling server, and the viewer that it names
  auto page = page_files(arguments.web.page);
  if (!page) return tl::unexpected(page.error());
  Access most = Access::kEdit;
  for (const Access one : {Access::kView, Access::kDrive, Access::kEdit, Access::kAdmin})
    if (arguments.web.role == name_of(one)) most = one;
  std::vector<web::Token> tokens{{os::new_secret(), most}};
  if (most != Access::kView) tokens.push_back({os::new_secret(), Access::kView});
  std::optional<web::FoxgloveOptions> foxglove;
  if (arguments.web.foxglove) foxglove = web::FoxgloveOptions{os::new_secret(), known_apps(arguments)};
  auto site = web::Site::open(*server, web::Keys(tokens, os::new_secret), std::move(*page), foxglove);
  if (!site) return tl::unexpected(site.error());
  std::vector<WebLink> links = links_to(**site, arguments, tokens);
  return OpenedSite{std::move(*site), std::move(links)};
}

void print_links(const std::vector<WebLink>& links, bool json) {
  if (json) os::print("{{");
  for (std::size_t i = 0; i < links.size(); ++i)
    if (json) os::print("{}\"{}\": \"{}\"", i > 0 ? ", " : "", links[i].key, links[i].address);
    else os::print("{}: {}\n", links[i].words, links[i].address);
  if (json) os::print("}}\n");
  os::flush_stdout();
}

}  // namespace convoy::apps

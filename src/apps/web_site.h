// The web server with the built page, as the command line asks for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/web/site.h"
#include "apps/arguments.h"

namespace convoy::apps {

// Where a web server listens and as what, `--web-certificate` and its kin included. `option` names where `listen` stands.
// The Error is for the user: an address that is none, or that strangers reach without encryption.
Result<web::WebServerOptions> server_options(const Arguments& arguments, const std::string& listen, const char* option);

// The files of the page: of that folder, or the build's own, by the path that browsers ask for.
Result<web::SceneFiles> page_files(const std::string& folder);

// To a page, or for a client of Foxglove's: for programs, for people, and the address with its token.
struct WebLink {
  std::string key, words, address;
};

struct OpenedSite {
  std::unique_ptr<web::Site> site;
  std::vector<WebLink> links;
};

// The Error is for the user: an address that is none or is taken, a page that nobody may reach, a build without one.
Result<OpenedSite> open_site(const Arguments& arguments);

// To stdout, a line for each, or one object.
void print_links(const std::vector<WebLink>& links, bool json);

}  // namespace convoy::apps

#include "adapters/web/page_feed.h"

#include "adapters/web/json_text.h"
#include "core/hash.h"

namespace convoy::web {

void PageFeed::welcome(std::vector<PageId> pages, nlohmann::json welcome, const nlohmann::json& scene,
                       const nlohmann::json& entities) {
  std::vector<std::string> texts{dump({{"scene", scene}}), dump({{"entities", entities}})};
  site_.at_desk([welcome = std::move(welcome), texts = std::move(texts), pages = std::move(pages)](PageDesk& desk) {
    for (const PageId page : pages) desk.welcome(page, welcome, texts);
  });
  hash_ = 0;
}

void PageFeed::scene(SceneFiles files, const nlohmann::json& scene) {
  site_.at_desk([files = std::move(files), text = dump({{"scene", scene}})](PageDesk& desk) mutable {
    desk.set_files(std::move(files));
    desk.change(text);
  });
}

void PageFeed::frame(std::span<const World* const> worlds, const FrameFacts& facts, Moment now) {
  Bytes frame = frame_of(worlds, facts);
  const std::uint64_t hash = hash64(frame);
  if (std::exchange(hash_, hash) == hash) return;
  if (std::exchange(structure_, facts.structure) != facts.structure || !roster_)
    roster_ = std::make_shared<const Roster>(roster_of(worlds));
  site_.at_desk([frame = std::move(frame), roster = roster_, now](PageDesk& desk) mutable {
    desk.show(std::move(frame), std::move(roster), now);
  });
}

}  // namespace convoy::web

// The boundary at which a run in lockstep waits: which members come in, which edits are carried out, and to whom they
// were sent.
#pragma once

#include <functional>

#include "lockstep/barrier.h"
#include "lockstep/boundary_news.h"
#include "lockstep/playback.h"

namespace convoy {

class BoundaryEdits {
 public:
  // `restart`: the whole world begins anew; called between the reset's entry in the journal and its answer.
  BoundaryEdits(Books& books, Barrier& barrier, Audience& audience, RunWatchers& watchers, Playback& playback,
                std::size_t image_chunk, std::function<void()> restart)
      : books_(books),
        barrier_(barrier),
        audience_(audience),
        watchers_(watchers),
        playback_(playback),
        image_chunk_(image_chunk),
        restart_(std::move(restart)) {}

  // Lets in the members that wait, then carries out the edits that agents asked for in the tick before, then all that
  // wait.
  void apply_waiting();
  // One that follows from the run itself (AskedEdit). What cannot be done is left out.
  void carry_out_derived(Edit edit, std::uint32_t index);
  // Have hosts come in since the last call?
  bool take_hosts_came() { return std::exchange(hosts_came_, false); }
  // Entities without an owner get one; names of hosts that do not exist are put into `unknown`.
  void place_unowned(std::vector<std::string>& unknown);
  // The boundary is complete: what it is made of is news, too.
  void completed(std::vector<WorldNumber> held) { news_.completed(barrier_.manifests(), std::move(held)); }
  void forget_news() { news_.forget_edits(); }
  // Hosts and guests are sent what they do not know yet.
  void send_news() { news_.send(barrier_.place().run, barrier_.place().tick, audience_); }
  // The run waits here: viewers see it, too.
  void rest() {
    send_news();
    audience_.viewers().show(barrier_.place().tick, image_chunk_);
  }
  // The last of it goes with Open; sent before where it is much.
  Edits take_news();

 private:
  void admit();
  void carry_out_asked();
  void carry_out(WaitingEdit next);

  Books& books_;
  Barrier& barrier_;
  Audience& audience_;
  RunWatchers& watchers_;
  Playback& playback_;
  std::size_t image_chunk_;
  std::function<void()> restart_;
  BoundaryNews news_;
  bool hosts_came_ = false;
  std::pair<std::uint32_t, Tick> asked_at_{0, -1};  // run and boundary whose messages were searched for asks
};

}  // namespace convoy

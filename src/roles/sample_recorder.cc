#include "roles/sample_recorder.h"

#include <algorithm>

namespace convoy {
namespace {

RecordingHead sampled(RecordingHead head, const RecordDetail& detail) {
  head.layout = kSampledLayout;
  head.detail = to_text(detail);
  return head;
}

}  // namespace

SampleRecorder::SampleRecorder(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text,
                               RecordDetail detail, const ViewDetail& view)
    : file_(sink, setup, sampled(std::move(head), detail), scenario_text),
      scene_(file_, setup, view, detail.poses() ? Duration{} : kFramesEvery),
      detail_(detail),
      tick_length_(setup.tick),
      samples_(file_.line(topic::kSample, "where the entities are")),
      journal_(file_.line(topic::kJournal, detail.poses() ? "edits" : "edits, inputs and elements")) {}

std::uint64_t SampleRecorder::log_time() const { return file_.log_time(now_); }

// True: a sample is due.
bool SampleRecorder::follow(std::uint32_t run, Tick tick, Instant now) {
  if (run != run_) {
    due_ns_ = log_time();
    file_.begin_run(due_ns_);
    run_ = run;
    now_ = {};
  }
  now_ = std::max(now_, now);
  const Place place{run, tick};
  if ((last_ && place <= *last_) || log_time() < due_ns_) return false;
  last_ = place;
  if (detail_.poses()) {
    const auto every = static_cast<std::uint64_t>(nanos(detail_.every));
    due_ns_ = log_time() - log_time() % every + every;
  }
  return true;
}

void SampleRecorder::completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash>,
                               std::span<const Message>) {
  if (follow(run, tick, instant(tick * nanos(tick_length_)))) write(world, nullptr);
}

void SampleRecorder::shown(std::uint32_t run, Tick tick, Instant now, const World& world, const Mirror& told) {
  if (follow(run, tick, now)) write(world, &told);
}

// Of what is carried, and of what nobody has told of yet, the world's state holds.
void SampleRecorder::write(const World& world, const Mirror* told) {
  no_hashes_.resize(world.entities().size());
  take(last_->run, last_->tick, now_, world.snapshot(), no_hashes_, boundary_);
  for (std::size_t i = 0; told && i < boundary_.size(); ++i) {
    const Slot slot(static_cast<std::uint32_t>(i));
    if (!told->received(slot) || world.entity(slot).parent != kNoEntity) continue;
    const StateWords w = words(told->known(slot));
    std::copy(w.begin(), w.end(), boundary_.words.begin() + boundary_.begin[i]);
  }
  if (detail_.poses()) keep_poses(boundary_);
  const bool key = log_time() >= next_key_ns_;
  if (key) next_key_ns_ = log_time() + static_cast<std::uint64_t>(nanos(kKeyEvery));
  coder_.encode(boundary_, key, scratch_);
  file_.write(samples_, log_time(), scratch_);
  poses_.clear();
  for (std::size_t i = 0; i < boundary_.size(); ++i) poses_.push_back(boundary_.state(i).pose);
  scene_.follow(now_, world);
  scene_.place(now_, world, poses_);
}

void SampleRecorder::entered(const JournalEntry& entry) {
  if (detail_.poses() && !std::holds_alternative<Edit>(entry.what) && !std::holds_alternative<AskedEdit>(entry.what))
    return;
  file_.write(journal_, log_time(), save(entry));
}

}  // namespace convoy

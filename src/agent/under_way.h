// Samples that count where they are delivered, and are under way when a checkpoint is taken: a run that goes on from there
// counts them, too.
//
// They stand behind the robot's inner bytes, and are in no hash: what has come of them differs from host to host.
#pragma once

#include "agent/fleet.h"

namespace convoy {

// What Agent::load() takes behind the robot's inner bytes, or nothing. What others owe is computed by `maker`.
Bytes save_under_way(Fleet& fleet, WorldNumber robot, SampleMaker& maker);
// Does it stand here? Else something of the inner bytes does.
bool begins_under_way(Reader in);
// What is left of `in`. False: it is no such list, and nothing happens.
bool load_under_way(Reader& in, SampleQueue& queue);

}  // namespace convoy

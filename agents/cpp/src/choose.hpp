#pragma once

#include "broadside/v1/agent.pb.h"
#include "random.hpp"

// What to play: yours. Everything else in this folder can stay.

/// Decides one turn. REPLACE THIS, one variant at a time.
///
/// A turn is complete: no memory is needed between turns. It is called from several threads, for one turn of a match
/// at a time; it may take its time, or throw. `random` is of this turn alone: the same turn, asked again, is answered
/// alike.
broadside::v1::Move choose(const broadside::v1::Turn& turn, Random& random);

#pragma once

#include "broadside/v1/agent.pb.h"
#include "random.hpp"

/// Any legal move of any variant: one of the list, or in the salvo variants so many cells of a list.
broadside::v1::Move random_move(const broadside::v1::Turn& turn, Random& random);

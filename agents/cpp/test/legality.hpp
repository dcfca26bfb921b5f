#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "broadside/v1/agent.pb.h"

bool is_one_of(const broadside::v1::Move& move, const std::vector<broadside::v1::Move>& moves);

/// Whether the turn allows the move: EXPECT_TRUE(is_legal(turn, move)).
testing::AssertionResult is_legal(const broadside::v1::Turn& turn, const broadside::v1::Move& move);

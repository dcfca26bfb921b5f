#include "choose.hpp"

#include <cstdlib>
#include <set>
#include <vector>

#include "legal.hpp"

namespace v1 = broadside::v1;

namespace {

/// The example, for classic: shoot next to a hit on a ship that is still afloat.
v1::Move hunt(const v1::Turn& turn, Random& random) {
  const v1::ClassicTargets& targets = turn.view().classic().targets();
  std::set<int> sunk;
  for (const v1::Sinking& sinking : targets.sunk()) sunk.insert(sinking.ship_class());

  // A view numbers the cells 1-100; a move has row and column, 1-10.
  struct Wound {
    int row, column;
  };
  std::vector<Wound> wounds;
  for (int nth = 0; nth < targets.grid().hits_size(); ++nth) {
    // One class a hit; none at all if this match does not name the ship that is hit.
    if (nth < targets.hit_classes_size() && sunk.contains(targets.hit_classes(nth))) continue;
    const int number = static_cast<int>(targets.grid().hits(nth)) - 1;
    wounds.push_back({number / 10 + 1, number % 10 + 1});
  }

  std::vector<const v1::Move*> near;
  for (const v1::Move& move : turn.legal_moves().moves()) {
    const int row = static_cast<int>(move.classic().shot().cell().row());
    const int column = static_cast<int>(move.classic().shot().cell().column());
    for (const Wound& wound : wounds) {
      if (std::abs(wound.row - row) + std::abs(wound.column - column) == 1) {
        near.push_back(&move);
        break;
      }
    }
  }
  return near.empty() ? random_move(turn, random) : *near[random.below(near.size())];
}

}  // namespace

v1::Move choose(const v1::Turn& turn, Random& random) {
  if (turn.view().has_classic() && turn.phase() == v1::PHASE_BATTLE) return hunt(turn, random);
  return random_move(turn, random);
}

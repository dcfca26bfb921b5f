#include "legal.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace v1 = broadside::v1;

v1::Move random_move(const v1::Turn& turn, Random& random) {
  const v1::LegalMoves& legal = turn.legal_moves();
  v1::Move move;
  if (legal.has_salvo()) {
    const auto& cells = legal.salvo().cells();
    std::vector<v1::Cell> named;
    std::sample(cells.begin(), cells.end(), std::back_inserter(named), legal.salvo().size(), random.generator());
    v1::Salvo* salvo = turn.view().has_salvo() ? move.mutable_salvo()->mutable_salvo()
                                               : move.mutable_advanced_salvo()->mutable_salvo();
    salvo->mutable_cells()->Assign(named.begin(), named.end());
  } else if (legal.moves_size() > 0) {
    move = legal.moves(static_cast<int>(random.below(legal.moves_size())));
  }
  return move;
}

#include "legality.hpp"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <set>
#include <utility>

namespace v1 = broadside::v1;
using google::protobuf::util::MessageDifferencer;

bool is_one_of(const v1::Move& move, const std::vector<v1::Move>& moves) {
  return std::any_of(moves.begin(), moves.end(),
                     [&](const v1::Move& m) { return MessageDifferencer::Equals(m, move); });
}

testing::AssertionResult is_legal(const v1::Turn& turn, const v1::Move& move) {
  const auto illegal = [&] { return testing::AssertionFailure() << "not legal: " << move.ShortDebugString(); };
  if (!turn.legal_moves().has_salvo()) {
    const auto& moves = turn.legal_moves().moves();
    return is_one_of(move, {moves.begin(), moves.end()}) ? testing::AssertionSuccess() : illegal();
  }
  if (static_cast<int>(move.variant_case()) != static_cast<int>(turn.view().variant_case())) return illegal();
  const v1::Salvo& salvo = move.has_salvo() ? move.salvo().salvo() : move.advanced_salvo().salvo();
  std::set<std::pair<unsigned, unsigned>> named, allowed;
  for (const v1::Cell& cell : salvo.cells()) named.emplace(cell.row(), cell.column());
  for (const v1::Cell& cell : turn.legal_moves().salvo().cells()) allowed.emplace(cell.row(), cell.column());
  const auto size = turn.legal_moves().salvo().size();
  const bool fits = salvo.cells_size() == static_cast<int>(size) && named.size() == size;
  if (!fits || !std::includes(allowed.begin(), allowed.end(), named.begin(), named.end())) return illegal();
  return testing::AssertionSuccess();
}

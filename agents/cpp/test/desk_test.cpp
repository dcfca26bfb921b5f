#include "desk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>

#include "turns.hpp"

namespace v1 = broadside::v1;

namespace {

v1::Turn turn_of(std::uint64_t match_id, std::uint32_t turn_id = 7, std::uint32_t refusals_left = 3) {
  v1::Turn turn = turns::turn_of("amiral", {turns::shot("amiral", 3, 3)});
  turn.set_match_id(match_id);
  turn.set_turn_id(turn_id);
  turn.set_refusals_left(refusals_left);
  return turn;
}

/// A desk whose thoughts wait for the test, one after the other on one thread; to whom it delivered.
class Office {
 public:
  void take(const v1::Turn& turn, const std::string& to) {
    desk.take(turn, [this, to](const v1::Move&) {
      std::lock_guard lock(mutex_);
      delivered_.push_back(to);
    });
  }

  /// Lets every thought come to its end. Nothing may be taken but what was decided after it.
  std::vector<std::string> settle() {
    settle_.set_value();
    thinker_.reset();
    return delivered();
  }

  /// To whom until now.
  std::vector<std::string> delivered() {
    std::lock_guard lock(mutex_);
    return delivered_;
  }

  int asked() const { return asked_; }

 private:
  v1::Move choose(const v1::Turn& turn) {
    ++asked_;
    settled_.wait();
    return turn.legal_moves().moves(0);
  }

  std::promise<void> settle_;
  std::shared_future<void> settled_ = settle_.get_future().share();
  std::atomic<int> asked_ = 0;
  std::mutex mutex_;
  std::vector<std::string> delivered_;
  std::unique_ptr<Thinker> thinker_ =
      std::make_unique<Thinker>([this](const v1::Turn& turn, Random&) { return choose(turn); }, 1, 1);

 public:
  Desk desk{*thinker_};
};

using To = std::vector<std::string>;

}  // namespace

TEST(Desk, ThinksOnceAboutATurnAndDeliversItsMoveToWhoeverBroughtItLast) {
  Office office;
  v1::Turn again = turn_of(1);
  again.set_time_left_us(5);
  office.take(turn_of(1), "first");
  office.take(again, "second");
  EXPECT_EQ(office.settle(), To{"second"});
  office.take(again, "third");
  EXPECT_EQ(office.delivered(), (To{"second", "third"})) << "decided before";
  EXPECT_EQ(office.asked(), 1);
}

TEST(Desk, TakesATurnWithFewerRefusalsLeftForAnotherOne) {
  Office office;
  office.take(turn_of(1), "first");
  office.take(turn_of(1, 7, 2), "refused");
  EXPECT_EQ(office.settle(), To{"refused"});
}

TEST(Desk, EndsTheWaitForATurnWithTheNextOfItsSeatAlone) {
  Office office;
  v1::Turn other_seat = turn_of(1, 8);
  other_seat.set_seat(v1::SEAT_ONE);
  office.take(turn_of(1), "last");
  office.take(other_seat, "other seat");
  office.take(turn_of(1, 9), "next");
  EXPECT_EQ(office.settle(), (To{"other seat", "next"}));
}

TEST(Desk, NeverBeginsToThinkAboutMatchesThatAreOver) {
  Office office;
  office.take(turn_of(1), "runs");
  office.take(turn_of(2), "over");
  office.take(turn_of(3), "gone");
  office.take(turn_of(4), "runs too");
  office.desk.forget(2, v1::SEAT_TWO);
  v1::Welcome welcome;
  for (const std::uint64_t match : {1, 2, 4}) welcome.add_running_matches(match);
  office.desk.keep(welcome.running_matches());
  EXPECT_EQ(office.settle(), (To{"runs", "runs too"}));
  EXPECT_EQ(office.asked(), 2);
}

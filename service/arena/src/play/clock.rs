//! A seat's clock: what a time control allows, and what an answer is charged.

use broadside_proto::v1;

use crate::time::Micros;

/// How long players may think, in microseconds. There is always a budget or a cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// For the whole match.
    pub budget_us: Option<u64>,
    /// Added to the budget after each accepted move.
    pub increment_us: u64,
    /// Most that one turn may take.
    pub turn_cap_us: Option<u64>,
    /// Most that the deployment may take; it costs no budget.
    pub deployment_us: u64,
    /// Taken off each turn's measured time before it is charged.
    pub lag_allowance_us: u64,
}

impl TimeControl {
    /// Out of the contract, with nothing left to a default; `None` otherwise, or if it is no limit.
    pub fn from_message(message: v1::TimeControl) -> Option<Self> {
        let v1::TimeControl {
            budget_ms,
            increment_ms,
            turn_cap_ms,
            deployment_ms,
            lag_allowance_ms,
        } = message;
        let us = |ms: u64| ms.checked_mul(1_000);
        if budget_ms.is_none() && turn_cap_ms.is_none() {
            return None;
        }
        Some(Self {
            budget_us: match budget_ms {
                None => None,
                Some(ms) => Some(us(ms)?),
            },
            increment_us: us(increment_ms.unwrap_or(0))?,
            turn_cap_us: match turn_cap_ms {
                None => None,
                Some(ms) => Some(us(ms)?),
            },
            deployment_us: us(deployment_ms?)?,
            lag_allowance_us: us(lag_allowance_ms?)?,
        })
    }

    /// As the contract has it, in milliseconds.
    pub fn to_message(&self) -> v1::TimeControl {
        v1::TimeControl {
            budget_ms: self.budget_us.map(|us| us / 1_000),
            increment_ms: self.budget_us.map(|_| self.increment_us / 1_000),
            turn_cap_ms: self.turn_cap_us.map(|us| us / 1_000),
            deployment_ms: Some(self.deployment_us / 1_000),
            lag_allowance_ms: Some(self.lag_allowance_us / 1_000),
        }
    }
}

/// What one turn may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// A deployment: has a limit of its own and costs no budget.
    Deployment,
    /// Any other turn.
    Move,
}

/// One seat's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatClock {
    control: TimeControl,
    budget_left_us: Option<u64>,
}

impl SeatClock {
    /// A full clock.
    pub fn new(control: TimeControl) -> Self {
        Self {
            control,
            budget_left_us: control.budget_us,
        }
    }

    /// What is left of the budget; `None` without one.
    pub fn budget_left_us(&self) -> Option<u64> {
        self.budget_left_us
    }

    /// How long a turn that begins now may take, lag not counted.
    pub fn allowance_us(&self, kind: TurnKind) -> u64 {
        match kind {
            TurnKind::Deployment => self.control.deployment_us,
            TurnKind::Move => {
                let cap = self.control.turn_cap_us.unwrap_or(u64::MAX);
                self.budget_left_us.unwrap_or(u64::MAX).min(cap)
            }
        }
    }

    /// The last moment at which the answer to a turn whose clock began at `begun` is in time.
    pub fn deadline(&self, kind: TurnKind, begun: Micros) -> Micros {
        begun
            .plus(self.allowance_us(kind))
            .plus(self.control.lag_allowance_us)
    }

    /// Whether a turn that has used so much time is out of it.
    pub fn is_over(&self, kind: TurnKind, used_us: u64) -> bool {
        let allowed = self.allowance_us(kind);
        used_us > allowed.saturating_add(self.control.lag_allowance_us)
    }

    /// What an answer that used so much time costs.
    pub fn charge_us(&self, used_us: u64) -> u64 {
        used_us.saturating_sub(self.control.lag_allowance_us)
    }

    /// Takes the cost of an accepted move off the budget, then adds the increment.
    pub fn spend(&mut self, kind: TurnKind, charge_us: u64) {
        if kind == TurnKind::Move {
            self.budget_left_us = self.budget_left_us.map(|left| {
                left.saturating_sub(charge_us)
                    .saturating_add(self.control.increment_us)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: TimeControl = TimeControl {
        budget_us: Some(1_000),
        increment_us: 100,
        turn_cap_us: Some(600),
        deployment_us: 5_000,
        lag_allowance_us: 50,
    };

    #[test]
    fn a_turn_may_take_what_budget_and_cap_both_allow() {
        let mut clock = SeatClock::new(CONTROL);
        assert_eq!(clock.allowance_us(TurnKind::Move), 600);
        clock.spend(TurnKind::Move, 700);
        assert_eq!(clock.budget_left_us(), Some(400));
        assert_eq!(clock.allowance_us(TurnKind::Move), 400);
    }

    #[test]
    fn lag_is_forgiven_in_the_deadline_and_in_the_charge_alike() {
        let clock = SeatClock::new(CONTROL);
        assert_eq!(
            clock.deadline(TurnKind::Move, Micros(10)),
            Micros(10 + 600 + 50)
        );
        assert!(!clock.is_over(TurnKind::Move, 650));
        assert!(clock.is_over(TurnKind::Move, 651));
        assert_eq!(clock.charge_us(650), 600);
        assert_eq!(clock.charge_us(30), 0);
    }

    #[test]
    fn a_deployment_has_its_own_limit_and_costs_no_budget() {
        let mut clock = SeatClock::new(CONTROL);
        assert_eq!(clock.allowance_us(TurnKind::Deployment), 5_000);
        clock.spend(TurnKind::Deployment, 4_000);
        assert_eq!(clock.budget_left_us(), Some(1_000));
    }

    #[test]
    fn a_budget_alone_and_a_cap_alone_are_limits() {
        let budget = TimeControl {
            turn_cap_us: None,
            ..CONTROL
        };
        let cap = TimeControl {
            budget_us: None,
            ..CONTROL
        };
        assert_eq!(SeatClock::new(budget).allowance_us(TurnKind::Move), 1_000);
        assert_eq!(SeatClock::new(cap).allowance_us(TurnKind::Move), 600);
    }
}

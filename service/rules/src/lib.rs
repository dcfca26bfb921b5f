//! Referees.

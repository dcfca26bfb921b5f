//! The arena: seats remote agents, keeps clocks and rules, records everything.

//! Reference agents for every variant, over both directions.

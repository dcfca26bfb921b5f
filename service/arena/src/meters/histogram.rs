//! Into which buckets times are put, in seconds.

/// For what the arena does: from the time of a few cache misses to that of a store that is away.
pub(super) const SERVICE: [f64; 17] = [
    0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1,
    0.25, 0.5, 1.0, 5.0, 30.0,
];

/// For what bots do.
pub(super) const BOT: [f64; 16] = [
    0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
    300.0,
];

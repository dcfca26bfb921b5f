//! The Broadside contract, generated from broadside/v1.

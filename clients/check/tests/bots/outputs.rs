//! What is written of the grades.

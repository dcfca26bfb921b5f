//! The command line of Broadside.

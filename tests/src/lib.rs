//! End-to-end tests of Broadside over real sockets, and its showcase.

//! End-to-end, data-driven tests.

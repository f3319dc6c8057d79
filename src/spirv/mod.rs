//! IR to SPIR-V words.

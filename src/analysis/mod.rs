//! Read-only questions about a shader.

pub mod cfg;

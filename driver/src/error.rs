// SPDX-License-Identifier: MIT

//! Errors of the driver.

use ash::vk;
use std::fmt;

/// The kind of an error, from which the caller can decide how to react.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The call requests something that is invalid, or that the device does not support. Nothing has changed.
    #[default]
    Invalid,
    /// The host or the device has no memory left (`VK_ERROR_OUT_OF_HOST_MEMORY`, `VK_ERROR_OUT_OF_DEVICE_MEMORY`). The call did nothing,
    /// and later ones may work.
    OutOfMemory,
    /// The device is lost (`VK_ERROR_DEVICE_LOST`). Its objects can only be dropped.
    DeviceLost,
    /// Work did not end in time. The device may still use its objects, so they are leaked.
    Timeout,
}

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The message, without a full stop at the end.
    pub message: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Invalid, message: message.into() }
    }

    pub(crate) fn of_kind(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A result of the driver.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Adds the name of the failed call to an error.
pub(crate) trait Context<T> {
    fn during(self, call: &str) -> Result<T>;
}

impl<T> Context<T> for ash::prelude::VkResult<T> {
    fn during(self, call: &str) -> Result<T> {
        self.map_err(|result| {
            let kind = match result {
                vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => ErrorKind::OutOfMemory,
                vk::Result::ERROR_DEVICE_LOST => ErrorKind::DeviceLost,
                _ => ErrorKind::Invalid,
            };
            Error::of_kind(kind, format!("{call} failed: {result}"))
        })
    }
}

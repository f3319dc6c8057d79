// SPDX-License-Identifier: MIT

//! The output of `ntv link` for a stage: a line for each input and output.
//!
//! ```text
//! vertex:
//!   in  location 0, xyzw
//!   out Position
//!   out location 1 (was 3), xy, captured in buffer 0 at byte 16
//!   out removed (was location 2, w)
//! ```

use ntv::module::{Module, Varying};
use serde_json::json;
use std::fmt::Write as _;

/// The inputs and outputs of a stage, before and after linking.
pub fn table(own: &Module, linked: &Module) -> String {
    let mut out = format!("{}:\n", linked.stage.name());
    for (was, now) in rows(own, linked) {
        let _ = writeln!(out, "  {} {}", if now.is_output { "out" } else { "in " }, describe(was, now));
    }
    out
}

/// The inputs and outputs as JSON, an object for each.
pub fn objects(own: &Module, linked: &Module) -> String {
    let object = |(was, now): (&Varying, &Varying)| {
        let direction = if now.is_output { "out" } else { "in" };
        let object = json!({
            "stage": linked.stage.name(), "direction": direction, "removed": now.removed, "place": describe(was, now),
        });
        format!("{object}\n")
    };
    rows(own, linked).into_iter().map(object).collect()
}

/// Each input and output of a stage before and after linking, in the order of the table.
pub fn rows<'m>(own: &'m Module, linked: &'m Module) -> Vec<(&'m Varying, &'m Varying)> {
    let mut rows: Vec<(&Varying, &Varying)> = own.interface.iter().zip(&linked.interface).collect();
    rows.sort_by_key(|(was, _)| (was.is_output, was.builtin.is_none(), was.patch, was.location, was.component));
    rows
}

/// The line of the table for an input or output, without its direction.
pub fn describe(was: &Varying, now: &Varying) -> String {
    if now.removed {
        return if was.removed { "removed".to_string() } else { format!("removed (was {})", place(was, was)) };
    }
    let mut text = place(was, now);
    if let Some(capture) = now.capture {
        let _ = write!(text, ", captured in buffer {} at byte {}", capture.buffer, capture.offset);
    }
    text.push_str(if now.is_copy { ", a copy that only transform feedback reads" } else { "" });
    text
}

/// `location 1 (was 3), xy, patch`, or the name of a built-in.
fn place(was: &Varying, now: &Varying) -> String {
    if let Some(number) = now.builtin {
        return builtin(number);
    }
    let mut text = match now.locations {
        0 | 1 => format!("location {}", now.location),
        n => format!("locations {} to {}", now.location, now.location.saturating_add(n - 1)),
    };
    if was.location != now.location {
        let _ = write!(text, " (was {})", was.location);
    }
    let _ = write!(text, ", {}", letters(now.component, now.components));
    text.push_str(if now.patch { ", per patch" } else { "" });
    text
}

/// The letters of components, from the number of the first one on: `yz`; `xyzw+xy` if they continue in the next location.
pub fn letters(first: u8, count: u8) -> String {
    let letters = |first: u8, count: u8| "xyzw".chars().skip(first.into()).take(count.into()).collect::<String>();
    match count.checked_sub(4) {
        None | Some(0) => letters(first, count),
        Some(more) => format!("xyzw+{}", letters(0, more)),
    }
}

/// The name of a built-in.
pub fn builtin(number: u32) -> String {
    spirv::BuiltIn::from_u32(number).map_or_else(|| format!("built-in {number}"), |builtin| format!("{builtin:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ntv::ir::Capture;

    #[test]
    fn a_line_describes_a_varying_completely() {
        let own = Varying { location: 5, locations: 2, component: 1, components: 2, ..Varying::default() };
        let moved = Varying { location: 3, patch: true, ..own };
        assert_eq!(describe(&own, &moved), "locations 3 to 4 (was 5), yz, per patch");
        let wide = Varying { component: 0, components: 6, ..own };
        assert_eq!(describe(&wide, &wide), "locations 5 to 6, xyzw+xy");
        let capture = Some(Capture { buffer: 1, stride: 32, offset: 16 });
        assert_eq!(
            describe(&own, &Varying { capture, ..own }),
            "locations 5 to 6, yz, captured in buffer 1 at byte 16"
        );
        let copy = Varying { is_copy: true, ..own };
        assert_eq!(describe(&copy, &copy), "locations 5 to 6, yz, a copy that only transform feedback reads");
        assert_eq!(describe(&own, &Varying { removed: true, ..own }), "removed (was locations 5 to 6, yz)");
        let position = Varying { builtin: Some(spirv::BuiltIn::Position as u32), ..own };
        assert_eq!(describe(&position, &position), "Position");
    }
}

// SPDX-License-Identifier: MIT

//! Functions that set the fields of options, for structs to which fields will be added: other crates cannot write such a struct
//! as a literal, so a new field breaks no user.

/// Gives a struct a function for each of these fields, which returns the struct with another value in the field.
macro_rules! setters {
    ($name:ident $(<$life:lifetime>)? { $($(#[$attribute:meta])* $field:ident: $ty:ty,)* }) => {
        impl$(<$life>)? $name$(<$life>)? {
            $(
                $(#[$attribute])*
                #[doc = concat!("Returns the options with another [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $ty) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}
pub(crate) use setters;

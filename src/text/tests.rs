//! Tests of the parser and the printer.

//! `ntv draw`: scenes, drawn by ntv's own driver.
//!
//! | module | what lives there |
//! |-|-|
//! | [`scene`], [`commands`], [`states`] | the format |
//! | [`load`] | a scene's text, and what is wrong with it |
//! | [`formula`], [`functions`], [`noise`] | numbers that are said by formulas |
//! | [`geometry`], [`texture`] | what is generated |

mod commands;
mod formula;
mod functions;
mod geometry;
mod load;
mod noise;
mod scene;
mod states;
mod texture;

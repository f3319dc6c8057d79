//! Transform feedback: what is captured of a draw, and how a shader that captures by itself is told of it.

mod draw;

pub(crate) use draw::word;
pub use draw::{fitting, CaptureState, ProvokingVertex, Topology, BUFFER_BINDING, STATE_BINDING, STATE_WORDS};

/// Who writes what transform feedback captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BackEnd {
    /// The device: VK_EXT_transform_feedback.
    #[default]
    Extension,
    /// The vertex shader, to storage buffers, while it draws: for devices with `vertexPipelineStoresAndAtomics`.
    Storage,
}

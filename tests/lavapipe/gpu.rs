// SPDX-License-Identifier: MIT

//! lavapipe, with the validation layer.

use ntv::plan::Limits;
use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use ntv_driver::headless::{
    Device, DeviceOptions, Dispatch, Draw, Drawn, Error, Queries, Resource, Resources, Slot, Step,
};
use std::fs;

/// An open device. When it is dropped, the test fails if the validation layer has messages.
pub(crate) struct Gpu {
    device: Device,
}

impl Gpu {
    /// Opens lavapipe.
    ///
    /// # Panics
    /// If the driver or the validation layer is missing: a test that cannot check has failed.
    pub(crate) fn open() -> Gpu {
        Gpu::with(DeviceOptions::default())
    }

    /// Opens lavapipe so that reads beyond the end of a buffer give 0.
    pub(crate) fn open_robust() -> Gpu {
        Gpu::with(DeviceOptions { robust: true, ..DeviceOptions::default() })
    }

    /// Opens lavapipe with synchronization validation.
    pub(crate) fn open_synchronized() -> Gpu {
        // The layer (1.3.239) finds no hazard in vertex buffers where commands set the vertex input.
        let without = vec!["vertexInputDynamicState".into()];
        Gpu::with(DeviceOptions { synchronization: true, without, ..DeviceOptions::default() })
    }

    fn with(options: DeviceOptions) -> Gpu {
        // Tests run in parallel, and with other load of the machine.
        let timeout = std::time::Duration::from_secs(60);
        let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, timeout, ..options };
        let device = Device::open(&options);
        Gpu { device: device.expect("lavapipe and the validation layer, which `cargo xtask test` installs") }
    }

    /// The target of shaders for the device.
    pub(crate) fn target(&self) -> &Target {
        self.device.target()
    }

    /// The available queries of a draw.
    pub(crate) fn queries(&self) -> Queries {
        self.device.queries()
    }

    /// The limits of the device for a plan, as it was opened.
    pub(crate) fn limits(&self) -> Limits {
        self.device.plan_limits()
    }

    /// The messages of the validation layer since the last call.
    pub(crate) fn take_messages(&self) -> Vec<String> {
        self.device.take_messages()
    }

    /// Runs `steps` in one batch of commands.
    pub(crate) fn run(&self, steps: &mut [Step<'_>]) {
        self.try_run(steps).expect("a batch");
    }

    /// Runs `steps` in one batch of commands, or returns the error.
    pub(crate) fn try_run(&self, steps: &mut [Step<'_>]) -> Result<(), Error> {
        self.device.run(steps)
    }

    /// Runs `words` in `groups` workgroups.
    pub(crate) fn dispatch(&self, words: &[u32], groups: [u32; 3], resources: &mut Resources) {
        self.try_dispatch(words, groups, resources).expect("a dispatch");
    }

    /// Runs `words` in `groups` workgroups, or returns the error.
    pub(crate) fn try_dispatch(&self, words: &[u32], groups: [u32; 3], resources: &mut Resources) -> Result<(), Error> {
        self.device.dispatch(&Dispatch { module: words, groups, push_constants: &[] }, resources)
    }

    /// Runs `draw`.
    pub(crate) fn draw(&self, draw: &Draw<'_>, resources: &mut Resources) -> Drawn {
        self.device.draw(draw, resources).expect("a draw")
    }

    /// `shader` as a module for this device.
    pub(crate) fn module(&self, shader: &mut Shader) -> Vec<u32> {
        translate(shader, self.target()).expect("a shader that can be translated")
    }

    /// The shader of the file `path` of the repository as a module for this device.
    pub(crate) fn file(&self, path: &str) -> Vec<u32> {
        self.module(&mut parse(path))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        let messages = self.device.take_messages();
        if !std::thread::panicking() {
            assert!(messages.is_empty(), "messages of the validation layer:\n{}", messages.join("\n"));
        }
    }
}

/// The only shader of the file `path` of the repository.
pub(crate) fn parse(path: &str) -> Shader {
    let text = fs::read_to_string(crate::support::root().join(path)).expect(path);
    text::parse(&text).expect(path)
}

/// `shader` as a module for `target`.
pub(crate) fn translate(shader: &mut Shader, target: &Target) -> Result<Vec<u32>, ntv::Errors> {
    let options = Options::default().target(target.clone());
    Translator::new(options).translate(shader, &EmitOptions::default()).map(|module| module.words)
}

/// The set and binding of storage block `binding`.
pub(crate) fn ssbo(binding: u32) -> Slot {
    Slot { set: 3, binding, element: 0 }
}

/// A buffer of `words`.
pub(crate) fn words(words: &[u32]) -> Resource {
    Resource::Buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// The words of the buffer at `slot`.
pub(crate) fn read(resources: &Resources, slot: Slot) -> Vec<u32> {
    let Some(Resource::Buffer(bytes)) = resources.get(&slot) else { panic!("no buffer at {slot:?}") };
    from_bytes(bytes)
}

/// Bytes as words.
pub(crate) fn from_bytes(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Floats as bytes.
pub(crate) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

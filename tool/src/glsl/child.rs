// SPDX-License-Identifier: MIT

//! The process in which Mesa compiles a program: it reads a request, a JSON file, and writes a reply beside it. Mesa itself writes
//! the NIR, as its environment says.
//!
//! Mesa is called by EGL and OpenGL, whose functions are unsafe: they need a context, which is current here from
//! [`Context::new`] to the end of the process, and objects of it.

use super::mesa::{REPLY, REQUEST};
use super::program::Api;
use anyhow::{anyhow, Context as _, Error, Result};
use glow::HasContext as _;
use khronos_egl as egl;
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

/// The newest library of EGL that all Linux systems have.
const EGL: &str = "libEGL.so.1";

/// Versions of OpenGL, from the newest to the oldest that has GLSL.
const VERSIONS: &[[egl::Int; 2]] =
    &[[4, 6], [4, 5], [4, 3], [4, 2], [4, 0], [3, 3], [3, 2], [3, 1], [3, 0], [2, 1], [2, 0]];

type Egl = egl::DynamicInstance<egl::EGL1_5>;

/// Compiles the program in `folder`, and writes the reply.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let request: Value = serde_json::from_slice(&fs::read(folder.join(REQUEST))?)?;
    let reply = compile(&request).unwrap_or_else(|error| json!({ "failed": format!("{error:#}") }));
    Ok(fs::write(folder.join(REPLY), reply.to_string())?)
}

fn compile(request: &Value) -> Result<Value> {
    let api = Api::ALL.iter().find(|row| Some(row.0) == request["api"].as_str()).context("no API")?.1;
    let context = Context::new(api)?;
    let sources = request["sources"].as_array().context("no sources")?;
    let sources = sources.iter().map(|source| Some((source["stage"].as_u64()? as u32, source["text"].as_str()?)));
    let sources: Vec<(u32, &str)> = sources.collect::<Option<_>>().context("a wrong source")?;
    let (reply, program) = context.link(&sources, request["separable"] == true);
    let Some(program) = program.filter(|_| request["draw"] == true) else { return Ok(reply) };
    context.draw(program, &sources.iter().map(|source| source.0).collect::<Vec<u32>>())?;
    Ok(reply)
}

/// A current context of OpenGL.
struct Context {
    egl: Egl,
    gl: glow::Context,
}

impl Context {
    fn new(api: Api) -> Result<Context> {
        // SAFETY: it is the system's library of EGL, which has the functions of that name.
        let egl = unsafe { Egl::load_required_from_filename(EGL) }.map_err(|error| anyhow!("{EGL}: {error}"))?;
        // SAFETY: the default display is valid in each process.
        let display = unsafe { egl.get_display(egl::DEFAULT_DISPLAY) }.context("EGL has no display")?;
        egl.initialize(display).context("EGL does not start")?;
        egl.bind_api(if api == Api::Es { egl::OPENGL_ES_API } else { egl::OPENGL_API }).context("EGL has no OpenGL")?;
        // SAFETY: EGL_KHR_no_config_context, which Mesa has, defines that no configuration is null.
        let config = unsafe { egl::Config::from_ptr(std::ptr::null_mut()) };
        let context = VERSIONS.iter().find_map(|[major, minor]| {
            let version = [egl::CONTEXT_MAJOR_VERSION, *major, egl::CONTEXT_MINOR_VERSION, *minor];
            let profile = match api {
                Api::Core => vec![egl::CONTEXT_OPENGL_PROFILE_MASK, egl::CONTEXT_OPENGL_CORE_PROFILE_BIT],
                Api::Compatibility => {
                    vec![egl::CONTEXT_OPENGL_PROFILE_MASK, egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT]
                }
                Api::Es => Vec::new(),
            };
            egl.create_context(display, config, None, &[&version[..], &profile, &[egl::NONE]].concat()).ok()
        });
        let context = context.context("EGL makes no context of OpenGL")?;
        egl.make_current(display, None, None, Some(context)).context("EGL needs a surface")?;
        // SAFETY: the context is current, and EGL finds its functions.
        let gl = unsafe {
            glow::Context::from_loader_function(|name| {
                egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const _)
            })
        };
        Ok(Context { egl, gl })
    }

    /// Compiles and links the sources, each the number of a stage and a text. The reply has the logs. The program is there if it has
    /// no errors.
    fn link(&self, sources: &[(u32, &str)], is_separable: bool) -> (Value, Option<glow::Program>) {
        let gl = &self.gl;
        // SAFETY: the context is current, and all objects are made here.
        unsafe {
            let driver = gl.get_parameter_string(glow::RENDERER);
            let version = gl.get_parameter_string(glow::VERSION);
            let program = match gl.create_program() {
                Ok(program) => program,
                Err(error) => return (json!({ "failed": error }), None),
            };
            if is_separable {
                self.make_separable(program);
            }
            let (mut logs, mut is_fine) = (Vec::new(), true);
            for (stage, text) in sources {
                let Ok(shader) = gl.create_shader(*stage) else {
                    let failed = "this OpenGL does not have a stage of the program";
                    return (json!({ "failed": failed, "lacks_stage": true }), None);
                };
                gl.shader_source(shader, text);
                gl.compile_shader(shader);
                is_fine &= gl.get_shader_compile_status(shader);
                logs.push(gl.get_shader_info_log(shader));
                gl.attach_shader(program, shader);
            }
            let mut link_log = None;
            if is_fine {
                gl.link_program(program);
                is_fine = gl.get_program_link_status(program);
                link_log = Some(gl.get_program_info_log(program));
                gl.finish();
            }
            let reply =
                json!({ "driver": driver, "version": version, "fine": is_fine, "logs": logs, "link": link_log });
            (reply, is_fine.then_some(program))
        }
    }

    /// Draws with a program, or dispatches it: newer versions of zink translate shaders only then.
    fn draw(&self, program: glow::Program, stages: &[u32]) -> Result<()> {
        let gl = &self.gl;
        // SAFETY: the context is current, the program is one of it without errors, and all objects are made here.
        unsafe {
            gl.use_program(Some(program));
            if stages.contains(&glow::COMPUTE_SHADER) {
                gl.dispatch_compute(1, 1, 1);
            } else {
                gl.bind_vertex_array(Some(gl.create_vertex_array().map_err(Error::msg)?));
                let target = gl.create_renderbuffer().map_err(Error::msg)?;
                gl.bind_renderbuffer(glow::RENDERBUFFER, Some(target));
                gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, 1, 1);
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(gl.create_framebuffer().map_err(Error::msg)?));
                let (framebuffer, color) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
                gl.framebuffer_renderbuffer(framebuffer, color, glow::RENDERBUFFER, Some(target));
                let primitive = match stages {
                    _ if stages.contains(&glow::TESS_EVALUATION_SHADER) => glow::PATCHES,
                    _ if stages.contains(&glow::GEOMETRY_SHADER) => {
                        gl.get_program_parameter_i32(program, glow::GEOMETRY_INPUT_TYPE) as u32
                    }
                    _ => glow::TRIANGLES,
                };
                gl.draw_arrays(primitive, 0, 6);
            }
            gl.finish();
        }
        Ok(())
    }

    /// Makes a program one of several of a pipeline. glow lacks the function.
    ///
    /// # Safety
    ///
    /// The program has to be of this context.
    unsafe fn make_separable(&self, program: glow::Program) {
        type ProgramParameteri = unsafe extern "system" fn(u32, u32, i32);
        if let Some(function) = self.egl.get_proc_address("glProgramParameteri") {
            // SAFETY: the function of that name has this type in OpenGL 4.1 and in OpenGL ES 3.1.
            let set = unsafe { std::mem::transmute::<extern "system" fn(), ProgramParameteri>(function) };
            // SAFETY: the caller gives a program of the current context.
            unsafe { set(program.0.get(), glow::PROGRAM_SEPARABLE, 1) };
        }
    }
}

// SPDX-License-Identifier: MIT

//! Contexts of one device, on one thread and on two: the objects that they share, and the life of these objects.

#[path = "support/null.rs"]
mod null;
mod support;

use ntv::module::ShaderStage;
use ntv_driver::context::{Context, Counters, VertexBuffer};
use ntv_driver::program::Shader;
use ntv_driver::resource::SamplerView;
use ntv_driver::vk;
use null::{alive, late, numbered_fragment, Shared};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use support::{context, shader};

/// Draws, and returns the numbers of handlers that ran and sets that were written.
fn draw(context: &mut Context) -> (u64, u64) {
    let before = context.counters();
    context.draw_triangles(3).expect("a draw");
    let after = context.counters();
    (after.sync.handlers - before.sync.handlers, after.sets_written - before.sets_written)
}

fn drawn(context: &mut Context) {
    draw(context);
}

/// Replaces the storage of a shared resource.
type Replace = fn(&mut Context, &Shared);

/// The replaced resources, and whether they are in a descriptor set. If a draw uses a resource that the host writes, the bytes
/// are copied to it.
const REPLACED: [(&str, Replace, bool); 3] = [
    ("texture", |context, shared| context.invalidate_texture(&shared.texture).unwrap(), true),
    ("uniforms", |context, shared| context.invalidate_buffer(&shared.uniforms).unwrap(), true),
    ("vertices", |context, shared| context.invalidate_buffer(&shared.vertices).unwrap(), false),
];

#[test]
fn another_storage_is_seen_once_by_each_context() {
    let (world, device) = late(&[]);
    let mut keeper = context(&device);
    let shared = Shared::new(&mut keeper);
    let mut contexts = [0; 3].map(|_| shared.context(&device));
    for (what, replace, is_in_set) in REPLACED {
        for replacing in 0..contexts.len() {
            contexts.iter_mut().for_each(drawn);
            replace(&mut contexts[replacing], &shared);
            for (number, context) in contexts.iter_mut().enumerate() {
                let place = format!("{what}, replaced by context {replacing}, in context {number}");
                let (handlers, written) = draw(context);
                assert!(handlers > 0, "{place}");
                assert_eq!(written, u64::from(is_in_set), "{place}");
                assert_eq!(draw(context), (0, 0), "{place}");
            }
        }
    }
    assert_eq!((shared.texture.observers(), shared.uniforms.observers()), (3, 3));
    contexts.iter_mut().for_each(|context| drop(context.flush().unwrap()));
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn a_context_on_another_thread_sees_it_too() {
    let (world, device) = late(&[]);
    let mut keeper = context(&device);
    let shared = Shared::new(&mut keeper);
    let (is_done, seen) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut context = shared.context(&device);
            draw(&mut context);
            let mut replaced = 0;
            while !is_done.load(Ordering::Acquire) {
                let (handlers, _) = draw(&mut context);
                replaced += u32::from(handlers > 0);
                if replaced % 7 == 3 {
                    context.flush().unwrap();
                }
                seen.store(true, Ordering::Release);
            }
            draw(&mut context);
            // All replacements before the end of the other thread were seen.
            assert_eq!(draw(&mut context), (0, 0));
            assert!(replaced > 0);
            context.finish().unwrap();
        });
        let mut context = shared.context(&device);
        while !seen.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        for round in 0..3000 {
            REPLACED[round % REPLACED.len()].1(&mut context, &shared);
            draw(&mut context);
            if round % 50 == 0 {
                context.flush().unwrap();
            }
        }
        is_done.store(true, Ordering::Release);
        context.finish().unwrap();
    });
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn ten_thousand_contexts_free_everything() {
    let (world, device) = late(&[]);
    let mut keeper = context(&device);
    let shared = Shared::new(&mut keeper);
    let round = || {
        let mut context = shared.context(&device);
        draw(&mut context);
        context.flush().unwrap();
    };
    (0..100).for_each(|_| round());
    let before = world.live_objects();
    for _ in 0..10_000 {
        round();
        assert!(shared.texture.observers() <= 2 && shared.vertices.observers() <= 2);
    }
    assert_eq!(world.live_objects(), before);
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn ten_thousand_resources_free_everything() {
    let (world, device) = late(&[]);
    let mut keeper = context(&device);
    let shared = Shared::new(&mut keeper);
    let mut context = shared.context(&device);
    let mut round = |number: usize| {
        let texture = support::target(&context).unwrap();
        let buffer = context.create_buffer_with(&support::triangle([0.0; 4])).unwrap();
        context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&texture))]).unwrap();
        context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
        draw(&mut context);
        if number % 10 == 9 {
            context.flush().unwrap();
        }
    };
    (0..1000).for_each(&mut round);
    let before = world.live_objects();
    (0..10_000).for_each(&mut round);
    assert_eq!(world.live_objects(), before);
    assert_eq!(world.take_messages(), [""; 0]);
}

/// The numbers of programs, pipelines and modules that exist.
fn kept(context: &Context, world: &null_vulkan::World) -> (usize, usize, u64) {
    let Counters { programs, pipelines_kept, .. } = context.counters();
    (programs, pipelines_kept, alive(world, vk::ObjectType::SHADER_MODULE))
}

#[test]
fn a_deleted_shader_lives_until_its_last_user() {
    let (world, device) = late(&[]);
    let mut keeper = context(&device);
    let shared = Shared::new(&mut keeper);
    let mut contexts = [0; 2].map(|_| shared.context(&device));
    contexts.iter_mut().for_each(drawn);
    assert_eq!(kept(&keeper, &world), (1, 1, 2));
    let [one, other] = &mut contexts;
    one.delete_shader(&shared.fragment);
    assert_eq!(one.draw_triangles(3).err(), None, "the vertex shader draws alone");
    // The other context continues to draw, without handlers.
    assert_eq!(draw(other), (0, 0));
    other.flush().unwrap();
    draw(other);
    assert_eq!(draw(other), (0, 0));
    // The first context has another program with the same shader.
    let fragment = shader(one, &numbered_fragment(1));
    one.bind_shader(ShaderStage::Fragment, Some(&fragment)).unwrap();
    draw(one);
    // The program of the deleted shader is dropped when the other context draws with another program.
    other.bind_shader(ShaderStage::Fragment, Some(&fragment)).unwrap();
    draw(other);
    assert_eq!(kept(&keeper, &world), (2, 2, 2), "one without and one with a fragment shader");
    // A shader with a remaining reference can be bound again; it is dropped with its last user.
    other.bind_shader(ShaderStage::Fragment, Some(&shared.fragment)).unwrap();
    draw(other);
    assert_eq!(kept(&keeper, &world).0, 3);
    drop(shared);
    contexts.iter_mut().for_each(|context| context.finish().unwrap());
    drop((contexts, fragment));
    assert_eq!(kept(&keeper, &world), (0, 0, 0));
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn shaders_are_deleted_on_a_thread_while_another_draws_with_them() {
    let (world, device) = late(&[]);
    let mut keeper = context(&device);
    let shared = Shared::new(&mut keeper);
    let (sender, shaders) = mpsc::sync_channel::<Arc<Shader>>(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut context = shared.context(&device);
            for shader in shaders {
                context.bind_shader(ShaderStage::Fragment, Some(&shader)).unwrap();
                (0..3).for_each(|_| drawn(&mut context));
                context.flush().unwrap();
                draw(&mut context);
            }
            context.finish().unwrap();
        });
        let mut context = shared.context(&device);
        for number in 0..300 {
            let fragment = shader(&context, &numbered_fragment(number));
            context.bind_shader(ShaderStage::Fragment, Some(&fragment)).unwrap();
            draw(&mut context);
            sender.send(Arc::clone(&fragment)).unwrap();
            draw(&mut context);
            context.delete_shader(&fragment);
        }
        drop(sender);
        context.finish().unwrap();
    });
    assert_eq!(kept(&keeper, &world), (0, 0, 0));
    assert_eq!(world.take_messages(), [""; 0]);
}

// SPDX-License-Identifier: MIT

//! The counters of a context, with names.

use ntv_driver::context::Counters;

/// Each counter with its name.
pub(super) fn rows(counters: &Counters) -> Vec<(&'static str, u64)> {
    vec![
        ("draws", counters.draws),
        ("dispatches", counters.dispatches),
        ("other commands", counters.commands),
        ("renderings", counters.renderings),
        ("barriers", counters.barriers),
        ("submissions", counters.submissions),
        ("dirty bits", counters.sync.bits),
        ("handlers", counters.sync.handlers),
        ("derived values", counters.derived),
        ("transition hits", counters.transitions.hits),
        ("transition misses", counters.transitions.misses),
        ("pipeline hits", counters.pipelines.hits),
        ("pipelines created", counters.pipelines.created),
        ("pipelines linked", counters.pipelines.linked),
        ("pipeline libraries", counters.pipelines.libraries),
        ("pipelines warmed up", counters.pipelines.warmed),
        ("module hits", counters.modules.hits),
        ("module variants", counters.modules.instantiated),
        ("modules made", counters.modules.modules_made),
        ("modules evicted", counters.modules.evicted),
        ("programs built", counters.programs_built),
        ("descriptor set hits", counters.set_hits),
        ("descriptor sets written", counters.sets_written),
        ("uniform uploads", counters.uniform_uploads),
        ("uploaded bytes", counters.uploaded_bytes),
        ("storages replaced", counters.replaced_storages),
    ]
}

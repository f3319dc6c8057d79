// SPDX-License-Identifier: MIT

//! The successors of the items of the control flow list.

use ntv::ir::{Cf, Jump, Shader};

/// The position after the last item.
pub(crate) const END: usize = usize::MAX;

/// The partners of ifs and loops.
pub(crate) struct Flow {
    /// The Else of an If, the EndIf of an Else, the Loop of a Continue or EndLoop.
    partner: Vec<usize>,
    /// The innermost loop that contains each item.
    around: Vec<Option<usize>>,
    /// The Continue of a Loop, or its EndLoop if it has none, and its EndLoop.
    ends: Vec<(usize, usize)>,
}

impl Flow {
    pub(crate) fn new(shader: &Shader) -> Flow {
        let count = shader.cf.len();
        let mut flow = Flow { partner: vec![END; count], around: vec![None; count], ends: vec![(END, END); count] };
        let mut open = Vec::new();
        let mut loops: Vec<usize> = Vec::new();
        for (at, item) in shader.cf.iter().enumerate() {
            flow.around[at] = loops.last().copied();
            match item {
                Cf::Block(_) => {}
                Cf::If { .. } => open.push(at),
                Cf::Else => {
                    if let Some(begin) = open.pop() {
                        flow.partner[begin] = at;
                    }
                    open.push(at);
                }
                Cf::EndIf => {
                    if let Some(begin) = open.pop() {
                        flow.partner[begin] = at;
                    }
                }
                Cf::Loop => loops.push(at),
                Cf::Continue => {
                    if let Some(begin) = loops.last() {
                        flow.ends[*begin].0 = at;
                        flow.partner[at] = *begin;
                    }
                }
                Cf::EndLoop => {
                    if let Some(begin) = loops.pop() {
                        flow.ends[begin] = (flow.ends[begin].0.min(at), at);
                        flow.partner[at] = begin;
                    }
                }
            }
        }
        flow
    }

    /// The partner of the item at `at`.
    pub(crate) fn partner(&self, at: usize) -> usize {
        self.partner[at]
    }

    /// The target of `jump` at the end of the block at `at`.
    pub(crate) fn target(&self, at: usize, jump: Jump) -> usize {
        let ends = self.around[at].map_or((END, END), |begin| self.ends[begin]);
        match jump {
            Jump::Break => ends.1.saturating_add(1),
            Jump::Continue => ends.0,
            Jump::Return | Jump::Halt => END,
        }
    }
}

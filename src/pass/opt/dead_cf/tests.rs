// SPDX-License-Identifier: MIT

use super::*;
use crate::entity::Id;
use crate::ir::{BranchHint, Builder};

/// Control flow from words: `if`, `else`, `end`, `loop`, `continue`, `endloop`, the jumps `break` and `next`, and `work` for an
/// instruction. `if` has an unknown condition, `yes` a true one, `no` a false one. There is a block before every item and at
/// the end.
fn shader(words: &str) -> Shader {
    let mut shader = Shader::default();
    shader.append_new_block();
    let mut b = Builder::new(&mut shader);
    let conds = [b.undef(1, 1), b.imm(1, 1), b.imm(1, 0)];
    for word in words.split_whitespace() {
        let begin = |i: usize| Cf::If { cond: conds[i], hint: BranchHint::None };
        let item = match word {
            "if" => begin(0),
            "yes" => begin(1),
            "no" => begin(2),
            "else" => Cf::Else,
            "end" => Cf::EndIf,
            "loop" => Cf::Loop,
            "continue" => Cf::Continue,
            "endloop" => Cf::EndLoop,
            "work" => {
                b.undef(1, 32);
                continue;
            }
            _ => {
                b.inst(0, 0, InstKind::Jump(if word == "break" { Jump::Break } else { Jump::Continue }));
                continue;
            }
        };
        b.shader.append_cf(item);
        b.shader.append_new_block();
    }
    shader
}

fn words(shader: &Shader) -> String {
    let mut words = Vec::new();
    for (at, item) in shader.cf.iter().enumerate() {
        match item {
            Cf::Block(block) => {
                assert!(!matches!(shader.cf.get(at + 1), Some(Cf::Block(_))), "two blocks in a row");
                words.extend(shader.block_insts(*block).iter().filter_map(|inst| match shader.insts[*inst].kind {
                    InstKind::Undef if shader.insts[*inst].bit_size == 32 => Some("work"),
                    InstKind::Jump(Jump::Break) => Some("break"),
                    InstKind::Jump(_) => Some("next"),
                    _ => None,
                }));
            }
            Cf::If { .. } => words.push("if"),
            Cf::Else => words.push("else"),
            Cf::EndIf => words.push("end"),
            Cf::Loop => words.push("loop"),
            Cf::Continue => words.push("continue"),
            Cf::EndLoop => words.push("endloop"),
        }
    }
    words.join(" ")
}

fn after(text: &str) -> String {
    let mut shader = shader(text);
    let before = words(&shader);
    let changed = run(&mut shader, &Context::default());
    assert!(changed || words(&shader) == before);
    words(&shader)
}

#[test]
fn the_body_that_runs_replaces_the_if() {
    assert_eq!(after("yes work else end work"), "work work");
    assert_eq!(after("no work else work work end"), "work work");
    assert_eq!(after("yes if work else end else loop break endloop end"), "if work else end");
    assert_eq!(
        after("no loop break endloop else loop work if work else end next endloop end"),
        "loop work if work else end next endloop"
    );
}

#[test]
fn empty_ifs_are_removed() {
    assert_eq!(after("if else end work"), "work");
    assert_eq!(after("if if else end else no work else end end"), "");
    assert_eq!(after("if else work end"), "if else work end");
    assert_eq!(after("loop if break else end endloop"), "loop if break else end endloop");
}

#[test]
fn a_loop_that_runs_once_is_its_body() {
    assert_eq!(
        after("work loop work if work else end work break endloop work"),
        "work work if work else end work work"
    );
    assert_eq!(after("loop loop work break endloop break endloop work"), "work work");
    assert_eq!(after("loop loop if break else end endloop break endloop"), "loop if break else end endloop");
    for stays in ["loop work next endloop", "loop if next else end break endloop", "loop break continue work endloop"] {
        assert_eq!(after(stays), stays);
    }
}

#[test]
fn code_after_a_jump_is_removed() {
    assert_eq!(after("loop yes break else end work endloop work"), "loop break endloop work");
    assert_eq!(
        after("loop if yes work next else end work if work else end else end break endloop"),
        "loop if work next else end break endloop"
    );
    assert_eq!(after("loop yes work next else end work continue work endloop"), "loop work next continue work endloop");
}

/// Two values that are conditions in such a shader.
const CONDITIONS: [usize; 2] = [1, 2];

/// A shader of two ifs, its blocks, and a phi at its end that depends on the branch of the second if.
fn shader_with_phi(words: &str) -> (Shader, Vec<Block>, Def) {
    let mut shader = shader(words);
    let blocks: Vec<_> = shader.block_order().collect();
    let [x, y] = CONDITIONS.map(Def::from_index);
    let srcs = [PhiSrc { pred: blocks[4], def: x }, PhiSrc { pred: blocks[5], def: y }];
    let phi = Builder::new(&mut shader).phi(1, 1, &srcs);
    (shader, blocks, phi)
}

#[test]
fn ifs_stay_if_a_phi_depends_on_them() {
    let (mut shader, blocks, phi) = shader_with_phi("if else end if else end");
    assert!(run(&mut shader, &Context::default()));
    assert_eq!(words(&shader), "if else end");
    assert_eq!(shader.block_insts(blocks[0]).len(), 3, "the conditions");
    assert_eq!(shader.block_insts(blocks[6]), [phi.inst()]);
}

#[test]
fn phis_refer_to_the_merged_block() {
    let (mut shader, blocks, phi) = shader_with_phi("if if else end else end");
    assert!(run(&mut shader, &Context::default()));
    assert_eq!(words(&shader), "if else end");
    let [x, y] = CONDITIONS.map(Def::from_index);
    let expected = [PhiSrc { pred: blocks[1], def: x }, PhiSrc { pred: blocks[5], def: y }];
    assert_eq!(shader.phi(phi.inst()), Some(&expected[..]));
}

#[test]
fn constant_conditions_through_phis_are_found() {
    let mut shader = shader("yes else end");
    let blocks: Vec<_> = shader.block_order().collect();
    let mut b = Builder::new(&mut shader);
    let (no, unknown) = (Def::from_index(2), Def::from_index(0));
    let phi = b.phi(1, 1, &[PhiSrc { pred: blocks[1], def: no }, PhiSrc { pred: blocks[2], def: unknown }]);
    b.begin_if(phi);
    b.undef(1, 32);
    b.begin_else();
    b.end_if();
    assert!(run(&mut shader, &Context::default()));
    assert_eq!(words(&shader), "");
}

#[test]
fn phis_lose_the_operands_of_dead_blocks() {
    let mut shader = shader("loop yes break else end if break else end endloop");
    let blocks: Vec<_> = shader.block_order().collect();
    let mut b = Builder::new(&mut shader);
    let (x, y) = (Def::from_index(1), Def::from_index(2));
    let phi = b.phi(1, 1, &[PhiSrc { pred: blocks[2], def: x }, PhiSrc { pred: blocks[5], def: y }]);
    assert!(run(&mut shader, &Context::default()));
    assert_eq!(words(&shader), "loop break endloop");
    // The body of the first if is part of the loop's first block now.
    assert_eq!(shader.phi(phi.inst()), Some(&[PhiSrc { pred: blocks[1], def: x }][..]));
}

#[test]
fn a_phi_without_predecessors_is_undefined() {
    let mut shader = shader("loop no break else end endloop");
    let blocks: Vec<_> = shader.block_order().collect();
    let mut b = Builder::new(&mut shader);
    let phi = b.phi(1, 1, &[PhiSrc { pred: blocks[2], def: Def::from_index(1) }]);
    assert!(run(&mut shader, &Context::default()));
    assert!(matches!(shader.def(phi).kind, InstKind::Undef));
}

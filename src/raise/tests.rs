// SPDX-License-Identifier: MIT

use super::raise;
use crate::check::validate;
use crate::target::DescriptorLayout;
use crate::text;

/// `dump` after [`raise`], or its errors.
fn raised(dump: &str) -> Result<String, String> {
    let mut shader = text::parse(dump).map_err(|errors| errors.to_string())?;
    validate(&shader).map_err(|errors| errors.to_string())?;
    raise(&mut shader, &DescriptorLayout::default()).map_err(|errors| errors.to_string())?;
    validate(&shader).unwrap_or_else(|errors| panic!("{errors}\n{}", text::print(&shader)));
    Ok(text::print(&shader))
}

/// A compute shader with these declarations and instructions.
fn shader(declarations: &str, body: &str) -> String {
    format!(
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\nsubgroup_size: 0\n{declarations}\
         decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n{body}    // succs: b1\n    block b1:\n}}\n"
    )
}

const LIGHT: &str = "// ntv: struct=Light { float power offset=0, vec3 color offset=16 }\n\
                     decl_var ubo INTERP_MODE_NONE none Light light (~0, 0, 4)\n";

/// A load from member `color` of the block `%0`.
const LOAD: &str = "\
    32    %1 = @vulkan_resource_index (%0) (desc_set=1, binding=4, desc_type=UBO)
    32    %2 = @load_vulkan_descriptor (%1) (desc_type=UBO)
    32    %3 = deref_cast (Light *)%2 (ubo Light)  (ptr_stride=0, align_mul=0, align_offset=0)
    32    %4 = deref_struct &%3->color (ubo vec3)
    32x3  %5 = @load_deref (%4) (access=none)
";

#[test]
fn the_example_is_right() {
    let text = raised(&shader(LIGHT, &format!("    32 %0 = load_const (0x0)\n{LOAD}"))).expect("a shader");
    let after = include_str!("mod.rs").split("//! After, if").nth(1).and_then(|text| text.split("```").nth(1));
    let squeezed =
        |line: &str| line.split("//").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().map(squeezed).collect();
    for line in after.expect("an example").lines().skip(1).filter_map(|line| line.strip_prefix("//! ")) {
        assert!(lines.contains(&squeezed(line)), "{line}\nis not in\n{text}");
    }
    assert!(text.contains("set=1"), "{text}");
}

#[test]
fn missing_facts_are_named() {
    let undescribed = LIGHT.lines().nth(1).map(|line| format!("{line}\n")).unwrap_or_default();
    let first = "    32 %0 = load_const (0x0)\n";
    let error = raised(&shader(&undescribed, &format!("{first}{LOAD}"))).expect_err("no offsets");
    assert!(error.contains("offsets of the members of `Light`") && error.contains("line 14"), "{error}");
    let error = raised(&shader(LIGHT, &format!("    32 %0 = load_const (0x1)\n{LOAD}"))).expect_err("no array");
    assert!(error.contains("the variable is no array"), "{error}");
    let other = LOAD.replacen("UBO", "accel-struct", 1);
    let error = raised(&shader(LIGHT, &format!("{first}{other}"))).expect_err("another descriptor");
    assert!(error.contains("a descriptor of kind accel-struct"), "{error}");
}

#[test]
fn components_of_system_values_are_selected() {
    let declaration = "decl_var system INTERP_MODE_NONE none uvec3 gl_WorkGroupID (SYSTEM_VALUE_WORKGROUP_ID)\n";
    let body = "\
    32    %0 = deref_var &gl_WorkGroupID (system uvec3)
    32x3  %1 = @load_deref (%0) (access=none)
    32    %2 = deref_array &(*%0)[%1.z] (system uint)
    32    %3 = @load_deref (%2) (access=none)
";
    let body = body.replace("%1.z", "%9").replace("    32    %2", "    32    %9 = mov %1.z\n    32    %2");
    let text = raised(&shader(declaration, &body)).expect("a shader");
    assert_eq!(text.matches("@load_workgroup_id").count(), 2, "{text}");
    assert_eq!(text.matches("bcsel").count(), 2, "{text}");
    let store = body.replace("32x3  %1 = @load_deref (%0) (access=none)", "32x3  %1 = load_const (0x0, 0x0, 0x0)");
    assert!(raised(&shader(declaration, &store)).is_ok());
    let unknown = declaration.replace("WORKGROUP_ID)", "SM_ID_NV)");
    let error = raised(&shader(&unknown, &body)).expect_err("a value of one vendor");
    assert!(error.contains("SYSTEM_VALUE_SM_ID_NV is not translated"), "{error}");
}

/// A payload with a boolean, three vectors, and doubles, each aligned to its components.
#[test]
fn a_payload_has_a_layout() {
    let declarations = "// ntv: struct=Task { bool flag, vec3[3] points, dvec2 wide, mat2 turn }\n\
                        decl_var task_payload INTERP_MODE_NONE none Task task\n";
    let body = "    32     %0 = load_const (0x2)
    32     %1 = deref_var &task (task_payload Task)
    32     %2 = deref_struct &%1->flag (task_payload bool)
    1      %3 = @load_deref (%2) (access=none)
    32     %4 = deref_struct &%1->points (task_payload vec3[3])
    32     %5 = deref_array &(*%4)[%0] (task_payload vec3)
    32x3   %6 = @load_deref (%5) (access=none)
    @store_deref (%5, %6) (wrmask=xz, access=none)
    32     %7 = deref_struct &%1->wide (task_payload dvec2)
    64x2   %8 = @load_deref (%7) (access=none)
    32     %9 = deref_struct &%1->turn (task_payload mat2)
    32    %10 = deref_array &(*%9)[1] (task_payload vec2)
    32x2  %11 = @load_deref (%10) (access=none)
    32x3  %12 = vec3 %0, %0, %0
    @launch_mesh_workgroups_with_payload_deref (%12, %1)
";
    let text = raised(&shader(declarations, body).replace("COMPUTE", "TASK")).expect("a shader");
    let offsets: Vec<&str> = text.lines().filter(|line| line.contains("load_task_payload")).collect();
    assert_eq!(offsets.len(), 4, "{text}");
    for part in
        ["task_payload_size: 72", "range=72", "(0x1c)) (base=0, wrmask=xz", "b2b1", "(%13 (0x28))", "(%15 (0x40))"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("deref_"), "{text}");
}

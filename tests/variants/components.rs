// SPDX-License-Identifier: MIT

//! Links by component: numbers of 64 bits use two components, and wide vectors continue in the next Location.

use super::programs::{linked, locations};
use super::stages::shader;
use super::{keys, support, Lowered};
use ntv::link::Linked;
use ntv_gen::Random;

/// A varying: its type, its slot and its first component.
type Split = (&'static str, u32, usize);

/// The numbers of a type: the base in NIR's intrinsics, bits, components.
fn numbers(ty: &str) -> (&'static str, u32, usize) {
    let components = ty.chars().last().and_then(|last| last.to_digit(10)).filter(|n| *n < 5).unwrap_or(1) as usize;
    match ty.chars().next() {
        Some('d') => ("float64", 64, components),
        Some('i') => ("int32", 32, components),
        _ => ("float32", 32, components),
    }
}

/// The size of a value in a dump.
fn size((_, bits, components): (&str, u32, usize)) -> String {
    if components == 1 {
        bits.to_string()
    } else {
        format!("{bits}x{components}")
    }
}

/// The form in which a stage accesses its varyings.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Variables,
    Slots,
}

/// The declarations of variables, in a direction.
fn declarations(mode: &str, form: Form, all: &[Split]) -> String {
    let line = |(number, (ty, slot, first)): (usize, &Split)| {
        let letter = &"xyzw"[*first..=*first];
        format!("decl_var {mode} INTERP_MODE_FLAT none {ty} v{number} (VARYING_SLOT_VAR{slot}.{letter}, {slot}, 0)\n")
    };
    all.iter().enumerate().filter(|_| form == Form::Variables).map(line).collect()
}

fn vertex(form: Form, outputs: &[Split]) -> ntv::Shader {
    let mut body = String::new();
    for (number, (ty, slot, first)) in outputs.iter().enumerate() {
        let (base, bits, components) = numbers(ty);
        let (value, pointer) = (10 + 2 * number, 11 + 2 * number);
        let (zeros, mask) = (vec![format!("0x{}", "0".repeat(bits as usize / 4)); components], &"xyzw"[..components]);
        body += &format!("    {} %{value} = load_const ({})\n", size(numbers(ty)), zeros.join(", "));
        body += &match form {
            Form::Variables => format!("    32 %{pointer} = deref_var &v{number} (shader_out {ty})\n    @store_deref (%{pointer}, %{value}) (wrmask={mask}, access=none)\n"),
            Form::Slots => format!("    @store_output (%{value}, %0) (base={slot}, range=1, wrmask={mask}, component={first}, src_type={base}, io location=VARYING_SLOT_VAR{slot} slots=1)\n"),
        };
    }
    shader("VERTEX", &declarations("shader_out", form, outputs), &body)
}

/// A fragment shader that uses all its inputs.
fn fragment(form: Form, inputs: &[Split]) -> ntv::Shader {
    let mut body = String::new();
    for (number, (ty, slot, first)) in inputs.iter().enumerate() {
        let (base, bits, _) = numbers(ty);
        let [value, pointer, sum] = [0, 1, 2].map(|id| 10 + 3 * number + id);
        let size = size(numbers(ty));
        body += &match form {
            Form::Variables => format!("    32 %{pointer} = deref_var &v{number} (shader_in {ty})\n    {size} %{value} = @load_deref (%{pointer}) (access=none)\n"),
            Form::Slots => format!("    {size} %{value} = @load_input (%0) (base={slot}, range=1, component={first}, dest_type={base}, io location=VARYING_SLOT_VAR{slot} slots=1)\n"),
        };
        let to_float = match (base, bits) {
            (_, 64) => "f2f32",
            ("int32", _) => "i2f32",
            _ => "mov",
        };
        body += &format!("    32 %{sum} = {to_float} %{value}.x\n    @store_output (%{sum}, %0) (base={number}, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA{number} slots=1)\n");
    }
    shader("FRAGMENT", &declarations("shader_in", form, inputs), &body)
}

/// Links both stages in each combination of forms, with valid results.
fn each_link(outputs: &[Split], inputs: &[Split], mut check: impl FnMut(&Linked)) {
    let forms = [Form::Variables, Form::Slots];
    for (first, second) in forms.into_iter().flat_map(|first| forms.map(|second| (first, second))) {
        let linked = linked([vertex(first, outputs), fragment(second, inputs)]);
        declares_all(&linked);
        check(&linked);
    }
}

/// Asserts that the first stage declares all components that the second one reads (VUID-RuntimeSpirv-OpEntryPoint-08743).
fn declares_all(linked: &Linked) {
    let [outputs, inputs] = [(0, true), (1, false)].map(|(stage, outputs)| {
        let mut words = Vec::new();
        linked.modules[stage].instantiate(&ntv::Key::default(), &mut words).expect("the words");
        let all = ntv::import::reflect(&words).expect("an interface").varyings;
        let located = all.into_iter().filter(|it| it.is_output == outputs && it.builtin.is_none());
        let words = located.flat_map(|it| {
            let masks: Vec<u8> = it.masks().collect();
            let bits = move |(location, mask)| (0..4).filter(move |c| mask >> c & 1 != 0).map(move |c| (location, c));
            (it.location..).zip(masks).flat_map(bits).collect::<Vec<(u32, u32)>>()
        });
        words.collect::<Vec<_>>()
    });
    for place in inputs {
        assert!(outputs.contains(&place), "{place:?} is not in {outputs:?}");
    }
}

#[test]
fn outputs_declare_what_inputs_read() {
    const PAIRS: &[(&[Split], &[Split])] = &[
        (&[("vec2", 0, 0)], &[("vec4", 0, 0)]),
        (&[("float", 3, 0)], &[("vec3", 3, 0)]),
        (&[("vec2", 3, 2)], &[("vec4", 3, 0)]),
        (&[("float", 3, 0), ("float", 3, 3)], &[("vec4", 3, 0)]),
        (&[("int", 1, 0), ("vec4", 2, 0)], &[("ivec3", 1, 0), ("float", 2, 0)]),
        (&[("double", 0, 0)], &[("dvec2", 0, 0)]),
        (&[("dvec2", 0, 0)], &[("dvec4", 0, 0)]),
        (&[("dvec3", 0, 0)], &[("dvec4", 0, 0)]),
        (&[("double", 0, 0), ("int", 0, 2)], &[("double", 0, 0), ("ivec2", 0, 2)]),
        (&[("vec4", 0, 0)], &[("vec2", 0, 0)]),
    ];
    for (outputs, inputs) in PAIRS {
        each_link(outputs, inputs, |linked| {
            assert_eq!((linked.removed_outputs, linked.removed_inputs), (0, 0), "{outputs:?} {inputs:?}");
            // The same stages link again, and the module can be stored.
            let again = ntv::link::link(&linked.modules.iter().collect::<Vec<_>>(), Vec::new()).expect("a link");
            assert_eq!(again.modules, linked.modules);
            let stored = linked.modules[0].to_words();
            assert_eq!(ntv::Module::from_words(&stored).as_ref(), Ok(&linked.modules[0]));
        });
    }
}

/// Without `maintenance4`, an input has as many components as the output at its place
/// (VUID-RuntimeSpirv-maintenance4-06817).
#[test]
fn inputs_are_as_wide_as_their_outputs() {
    const PAIRS: &[(&[Split], &[Split], u8)] = &[
        (&[("vec4", 0, 0)], &[("vec2", 0, 0)], 4),
        (&[("vec3", 0, 1)], &[("float", 0, 1)], 3),
        (&[("ivec3", 1, 0), ("vec4", 2, 0)], &[("ivec2", 1, 0), ("vec4", 2, 0)], 3),
        (&[("dvec2", 0, 0)], &[("double", 0, 0)], 4),
        (&[("dvec4", 0, 0)], &[("dvec3", 0, 0)], 8),
        // Another input has the other components.
        (&[("vec4", 0, 0)], &[("vec2", 0, 0), ("int", 0, 2)], 2),
        (&[("vec2", 0, 0)], &[("vec2", 0, 0)], 2),
    ];
    let mut target = ntv::Target::default();
    target.set(ntv::Feature::maintenance4, false);
    for (outputs, inputs, expected) in PAIRS {
        for form in [Form::Variables, Form::Slots] {
            let emit = |shader| Lowered::new("a stage".to_string(), shader, &target).and_then(|it| it.emit(None));
            let stages = [vertex(form, outputs), fragment(form, inputs)].map(|it| emit(it).expect("a module"));
            let linked = ntv::link::link(&stages.each_ref(), Vec::new()).expect("a link");
            declares_all(&linked);
            let module = &linked.modules[1];
            module.check().expect("sound tables");
            assert_eq!(ntv::Module::from_words(&module.to_words()).as_ref(), Ok(module));
            let mut words = Vec::new();
            for key in keys(module, &mut Random::new(1)) {
                module.instantiate(&key, &mut words).expect("a key that it takes");
                support::spirv_val(&words, &ntv::Target::default())
                    .unwrap_or_else(|problem| panic!("{key}: {problem}"));
            }
            let input = ntv::import::reflect(&words).expect("an interface").varyings;
            let input = input.into_iter().find(|it| !it.is_output && it.builtin.is_none() && it.location == 0);
            assert_eq!(input.map(|it| it.components), Some(*expected), "{outputs:?} {inputs:?}");
        }
    }
}

/// A type, a slot and a component for each output and input; and the Locations of the outputs and inputs after the link, of which
/// others are removed.
const SPLITS: &[(&[Split], &[Split], &[u32])] = &[
    // A number of 32 bits after a double, which no one reads.
    (&[("double", 0, 0), ("int", 0, 2), ("float", 1, 0)], &[("int", 0, 2), ("float", 1, 0)], &[0, 1]),
    (&[("int", 0, 1), ("double", 0, 2)], &[("double", 0, 2)], &[0]),
    (&[("double", 0, 0), ("double", 0, 2)], &[("double", 0, 0), ("double", 0, 2)], &[0]),
    // The second Location of a dvec3 has room for another one.
    (&[("dvec3", 0, 0), ("double", 1, 2)], &[("double", 1, 2)], &[0]),
    (&[("dvec3", 0, 0), ("double", 1, 2)], &[("dvec3", 0, 0)], &[0]),
    (&[("dvec3", 4, 0), ("vec2", 5, 2)], &[("vec2", 5, 2)], &[0]),
    (&[("dvec3", 4, 0), ("ivec2", 5, 2)], &[("dvec3", 4, 0), ("ivec2", 5, 2)], &[0, 1]),
    (&[("vec4", 2, 0), ("dvec4", 4, 0)], &[("dvec4", 4, 0)], &[0]),
    // The same component of another Location.
    (&[("dvec3", 0, 0), ("float", 2, 3)], &[("float", 2, 3)], &[0]),
];

#[test]
fn stages_match_by_the_components_of_64_bit_numbers() {
    for (outputs, inputs, expected) in SPLITS {
        each_link(outputs, inputs, |linked| {
            let removed = (linked.removed_outputs, linked.removed_inputs);
            assert_eq!(removed, (outputs.len() - inputs.len(), 0), "{outputs:?} {inputs:?}");
            let live = |stage: usize, outputs: bool| {
                let mut all = locations(&linked.modules[stage], outputs);
                all.sort_unstable();
                // Two numbers in one Location may be one vector.
                all.dedup();
                all
            };
            assert_eq!(
                (live(0, true), live(1, false)),
                (expected.to_vec(), expected.to_vec()),
                "{outputs:?} {inputs:?}"
            );
        });
    }
}

#[test]
fn an_attribute_of_64_bits_leaves_others_where_they_are() {
    let declared = |name: &str, ty: &str, slot: u32, letter: &str| {
        format!(
            "decl_var shader_in INTERP_MODE_NONE none {ty} {name} (VERT_ATTRIB_GENERIC{slot}.{letter}, {slot}, 0)\n"
        )
    };
    let header = [("a", "double", 0, "x"), ("b", "double", 0, "z"), ("c", "vec4", 5, "x"), ("d", "dvec3", 7, "x")];
    let header = header.map(|(name, ty, slot, letter)| declared(name, ty, slot, letter)).concat();
    let load = |id: u32, name: &str, ty: &str, size: &str| {
        let pointer = id + 1;
        format!("    32 %{pointer} = deref_var &{name} (shader_in {ty})\n    {size} %{id} = @load_deref (%{pointer}) (access=none)\n")
    };
    let body = [load(1, "a", "double", "64"), load(3, "b", "double", "64"), load(5, "c", "vec4", "32x4")].concat();
    let sum = "    64 %20 = fadd %1, %3
    64 %21 = fadd %20, %7.x
    32 %22 = f2f32 %21
    32x4 %23 = fadd %5, %22.xxxx
    32 %24 = deref_var &sum (shader_out vec4)
    @store_deref (%24, %23) (wrmask=xyzw, access=none)
";
    let header = header + "decl_var shader_out INTERP_MODE_NONE none vec4 sum (VARYING_SLOT_POS.xyzw, 0, 0)\n";
    let body = body + &load(7, "d", "dvec3", "64x3") + sum;
    let module = super::programs::emit(shader("VERTEX", &header, &body));
    let inputs = module.interface.iter().filter(|it| !it.is_output);
    let mut places: Vec<_> = inputs.map(|it| (it.location, it.component, it.locations)).collect();
    places.sort_unstable();
    assert_eq!(places, [(0, 0, 1), (0, 2, 1), (5, 0, 1), (7, 0, 2)]);
}

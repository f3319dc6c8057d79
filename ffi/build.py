"""Builds the libraries for Meson with Cargo, and writes their sources to a depfile for Ninja."""

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess

CRATE_TYPES = {".a": "staticlib", ".so": "cdylib"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cargo", required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--target", default="")
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--depfile", type=pathlib.Path, required=True)
    parser.add_argument("outputs", type=pathlib.Path, nargs="+")
    args = parser.parse_args()

    root = pathlib.Path(__file__).resolve().parent.parent
    env = dict(os.environ)
    folder = pathlib.Path(env.setdefault("CARGO_TARGET_DIR", str(args.build_dir.resolve() / "cargo")))
    crate_types = ",".join(CRATE_TYPES[output.suffix] for output in args.outputs)
    command = [args.cargo, "rustc", "--package", "ntv-ffi", "--lib", "--locked"]
    command += ["--profile", args.profile, "--crate-type", crate_types]
    command += ["--target", args.target] if args.target else []
    # The ABI may change before 1.0, so the soname has no number.
    command += ["--", "-C", "link-arg=-Wl,-soname,libntv.so"] if "cdylib" in crate_types else []
    subprocess.run(command, cwd=root, env=env, check=True)

    made = folder / args.target / ("debug" if args.profile == "dev" else args.profile)
    for output in args.outputs:
        # An unchanged library keeps its time, so that nothing is linked again.
        if not output.exists() or not filecmp.cmp(made / output.name, output, shallow=False):
            shutil.copy2(made / output.name, output)
            os.utime(output)

    sources = set((made / "libntv.d").read_text().split(": ", 1)[1].split("\n")[0].split(" "))
    sources |= {str(root / name) for name in ("Cargo.toml", "Cargo.lock", "ffi/Cargo.toml")}
    args.depfile.write_text(f"{args.outputs[0]}: {' '.join(sorted(sources))}\n")


if __name__ == "__main__":
    main()

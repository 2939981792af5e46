//! Compiles the eBPF programs where a clang for them is to be had; without one the crate says that they are missing.
//! The feature `portable` takes no crate without them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 3] = ["cubic_search", "hybla", "vivace"];

/// `-mcpu=v3` (Linux 5.1) has 32-bit registers and the jumps that the verifier follows best; `-g` writes the type
/// information by which the object adapts to the running kernel.
const FLAGS: [&str; 7] = ["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-Wall", "-Werror"];

fn main() {
    println!("cargo::rerun-if-changed=c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let clang = find_clang().filter(|clang| can_compile(clang, &out));
    assert!(
        clang.is_some() || env::var_os("CARGO_FEATURE_PORTABLE").is_none(),
        "the feature `portable` needs a clang with the target bpf"
    );
    match &clang {
        Some(clang) => println!("cargo::rerun-if-changed={}", clang.display()),
        // A path that does not exist: cargo asks again at the next build, when clang may be there.
        None => println!("cargo::rerun-if-changed={}", out.join("no-clang").display()),
    }
    let mut source = String::new();
    for name in PROGRAMS {
        let constant = name.to_uppercase();
        let value = match &clang {
            Some(clang) => {
                let object = out.join(format!("{name}.bpf.o"));
                compile(clang, &Path::new("c").join(format!("{name}.bpf.c")), &object);
                format!("Some(&Aligned(*include_bytes!({object:?})))")
            }
            None => "None".to_owned(),
        };
        source += &format!("pub(crate) const {constant}: Option<&'static Aligned<[u8]>> = {value};\n");
    }
    fs::write(out.join("objects.rs"), source).expect("OUT_DIR can be written");
}

/// `clang`, or the newest of the versions that distributions call `clang-14`.
fn find_clang() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let names = std::iter::once("clang".to_owned()).chain((12..40).rev().map(|n| format!("clang-{n}")));
    names.flat_map(|name| folders.iter().map(move |folder| folder.join(&name))).find(|file| file.is_file())
}

/// Not every clang has the target.
fn can_compile(clang: &Path, out: &Path) -> bool {
    let (source, object) = (out.join("probe.c"), out.join("probe.o"));
    fs::write(&source, "int probe;\n").expect("OUT_DIR can be written");
    let status = Command::new(clang).args(FLAGS).arg("-c").arg(&source).arg("-o").arg(&object).output();
    status.is_ok_and(|output| output.status.success())
}

fn compile(clang: &Path, source: &Path, object: &Path) {
    // The type information names the sources, wherever they lie.
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let prefix = format!("-ffile-prefix-map={folder}=.");
    let output =
        Command::new(clang).args(FLAGS).arg(prefix).arg("-c").arg(source).arg("-o").arg(object).output();
    let output = output.expect("clang has just been started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

//! Compiles the C source with CMake, which `$CMAKE` names if it is not `cmake`, and links it. CC, CFLAGS and
//! CMAKE_TOOLCHAIN_FILE of the environment count, as for CMake itself.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("snug-sys: {command:?}: {status}"),
        Err(error) => panic!("snug-sys needs CMake and a C compiler, gcc or clang: {command:?}: {error}"),
    }
}

fn main() {
    let source = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("source");
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("build");
    println!("cargo:rerun-if-changed=source");
    for name in ["CC", "CFLAGS", "CMAKE", "CMAKE_TOOLCHAIN_FILE"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:include={}", source.join("include").display());
    if env::var_os("DOCS_RS").is_some() {
        return; // documents need no library
    }
    let cmake = env::var_os("CMAKE").unwrap_or_else(|| "cmake".into());
    run(Command::new(&cmake).arg("-S").arg(&source).arg("-B").arg(&folder).args([
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSNUG_BUILD_TESTS=OFF",
        "-DSNUG_BUILD_PROGRAM=OFF",
        "-DSNUG_BUILD_GPU=OFF",
        "-DSNUG_INSTALL=OFF",
    ]));
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "2".into());
    run(Command::new(&cmake).arg("--build").arg(&folder).args(["--target", "snug_static", "--parallel", &jobs]));
    println!("cargo:rustc-link-search=native={}", folder.join("src").display());
    println!("cargo:rustc-link-lib=static=snug");
    if env::var("CARGO_CFG_UNIX").is_ok() {
        println!("cargo:rustc-link-lib=m");
    }
}

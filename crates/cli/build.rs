//! Removes symbols from the command in release builds. A package whose profile differs from its workspace's does not get
//! the profile's `strip` from Cargo.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // Linkers of other systems have other options, or keep symbols in a file of their own. This is the linker's option,
    // because the compiler's `-s` would come before the `--strip-debug` that Cargo causes, and the last option counts.
    if variable("PROFILE") == "release" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}

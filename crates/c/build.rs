//! Names the shared library by the version of its binary interface.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if matches!(&*system, "linux" | "freebsd" | "netbsd" | "openbsd" | "android") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libscoresheet.so.1");
    }
}

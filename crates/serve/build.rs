//! A page's file that is added or removed is a change of the program, in which it is embedded.

fn main() {
    println!("cargo:rerun-if-changed=web");
}

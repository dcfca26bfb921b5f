//! Generates the contract's types and services from `broadside/v1/*.proto`, without a system protoc.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let mut protos = Vec::new();
    println!("cargo::rerun-if-changed=broadside/v1");
    for entry in fs::read_dir("broadside/v1")? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "proto")
        {
            println!("cargo::rerun-if-changed={}", path.display());
            protos.push(path);
        }
    }
    protos.sort();

    let descriptors = protox::compile(&protos, ["."])?;
    let encoded = descriptors.encode_to_vec();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("broadside.v1.bin"), &encoded)?;

    // The gateway has an RPC called Connect, which is also what tonic would call its own constructor.
    tonic_prost_build::configure()
        .build_transport(false)
        .compile_fds(descriptors)?;
    if env::var_os("CARGO_FEATURE_JSON").is_some() {
        pbjson_build::Builder::new()
            .register_descriptors(&encoded)?
            .build(&[".broadside.v1"])?;
    }
    Ok(())
}

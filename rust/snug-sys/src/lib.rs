//! Bindings to [snug](https://crates.io/crates/snug)'s C library, made by bindgen from its headers, whose comments are the
//! documentation. Names are those of C.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
// Structs are compared whole, functions that they hold by where these are.
#![allow(unknown_lints, unpredictable_function_pointer_comparisons)]
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags, clippy::all)]

include!("bindings.rs");

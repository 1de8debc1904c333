//! The kernels.

use std::fmt::Write;

/// A shape: its type in OpenCL C, dimensions, whether an array, the coordinate in `c`, and sizes to try.
pub struct Shape {
    pub name: &'static str,
    pub dimensions: usize,
    pub arrayed: bool,
    pub at: &'static str,
    pub sizes: &'static [[usize; 3]],
}

pub const SHAPES: [Shape; 5] = [
    Shape { name: "image1d_t", dimensions: 1, arrayed: false, at: "c.x", sizes: &[[1, 1, 1], [7, 1, 1]] },
    Shape { name: "image1d_array_t", dimensions: 1, arrayed: true, at: "c.xy", sizes: &[[5, 3, 1]] },
    Shape { name: "image2d_t", dimensions: 2, arrayed: false, at: "c.xy", sizes: &[[1, 1, 1], [5, 3, 1]] },
    Shape { name: "image2d_array_t", dimensions: 2, arrayed: true, at: "c", sizes: &[[3, 5, 2]] },
    Shape { name: "image3d_t", dimensions: 3, arrayed: false, at: "c", sizes: &[[3, 2, 5]] },
];

/// Suffixes of the functions and the types of a texel.
pub const CLASSES: [(&str, &str); 3] = [("f", "float4"), ("i", "int4"), ("ui", "uint4")];

/// Reads, writes and both, of every shape and class.
pub fn source() -> String {
    let mut text = String::new();
    for shape in &SHAPES {
        for (suffix, texel) in CLASSES {
            shape_kernels(&mut text, shape.name, shape.at, suffix, texel);
        }
    }
    for (suffix, texel) in CLASSES {
        whole(&mut text, "image1d_buffer_t", "c.x", suffix, texel);
    }
    text += "kernel void depth_sampled(read_only image2d_depth_t image, sampler_t s, global const float4 *at,
                global float4 *out) {
            size_t n = get_global_id(0); out[n] = (float4)(read_imagef(image, s, at[n].xy), 0.0f, 0.0f, 1.0f);
        }
        kernel void depth_written(write_only image2d_depth_t image, global const int4 *at, global const float4 *colours) {
            size_t n = get_global_id(0); write_imagef(image, at[n].xy, colours[n].x);
        }
        #ifdef READ_WRITE
        kernel void depth_both(read_write image2d_depth_t image, global const int4 *at, global const float4 *colours,
                global float4 *out) {
            size_t n = get_global_id(0); out[n] = (float4)(read_imagef(image, at[n].xy), 0.0f, 0.0f, 1.0f);
            write_imagef(image, at[n].xy, colours[n].x);
        }
        #endif\n";
    text
}

fn shape_kernels(text: &mut String, image: &str, at: &str, suffix: &str, texel: &str) {
    for (kind, coordinate) in [("float", "float4"), ("int", "int4")] {
        let _ = writeln!(
            text,
            "kernel void {image}_{suffix}_{kind}(read_only {image} image, sampler_t s, global const {coordinate} *at,
                    global {texel} *out) {{
                size_t n = get_global_id(0); {coordinate} c = at[n]; out[n] = read_image{suffix}(image, s, {at});
            }}"
        );
    }
    whole(text, image, at, suffix, texel);
}

/// Without samplers.
fn whole(text: &mut String, image: &str, at: &str, suffix: &str, texel: &str) {
    let _ = writeln!(
        text,
        "kernel void {image}_{suffix}_plain(read_only {image} image, global const int4 *at, global {texel} *out) {{
            size_t n = get_global_id(0); int4 c = at[n]; out[n] = read_image{suffix}(image, {at});
        }}
        kernel void {image}_{suffix}_write(write_only {image} image, global const int4 *at,
                global const {texel} *colours) {{
            size_t n = get_global_id(0); int4 c = at[n]; write_image{suffix}(image, {at}, colours[n]);
        }}
        #ifdef READ_WRITE
        kernel void {image}_{suffix}_both(read_write {image} image, global const int4 *at, global const {texel} *colours,
                global {texel} *out) {{
            size_t n = get_global_id(0); int4 c = at[n]; out[n] = read_image{suffix}(image, {at});
            write_image{suffix}(image, {at}, colours[n]);
        }}
        #endif"
    );
}

/// Two-dimensional reads with samplers in the source.
pub fn literals(samplers: &[u32]) -> String {
    let mut text = String::new();
    for bits in samplers {
        let _ = writeln!(
            text,
            "constant sampler_t s{bits} = {bits};
            kernel void literal_{bits}(read_only image2d_t image, global const float4 *at, global float4 *out) {{
                size_t n = get_global_id(0); out[n] = read_imagef(image, s{bits}, at[n].xy);
            }}"
        );
    }
    text
}

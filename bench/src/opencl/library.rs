//! A library as generators write them: a hundred kernels of linear algebra in one program, most of which an application never calls
//! or calls once. Building it and running each kernel once is what such an application's tests cost: the compilers' time.
//!
//! Every kernel has the parameters `int n, T alpha, const T *a, const T *b, T *c`; matrices are n by n, row-major. The data are small
//! whole numbers, so that every order of summation gives the same.

use std::fmt::Write as _;

use super::{Arg, Place, Result, Session};

/// Rows and columns of the matrices, and elements of the vectors.
const N: usize = 64;
/// The argument alpha of every kernel.
const ALPHA: f64 = 3.0;

/// The computation of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Routine {
    /// c = alpha a + b, all elements.
    Axpy,
    /// c = alpha a.
    Scal,
    /// The sum of absolute values of the first n of a.
    Asum,
    /// The sum of products of the first n of a and b.
    Dot,
    /// c = A b, or of A transposed.
    Gemv(bool),
    /// C = alpha a bᵀ, of vectors.
    Ger,
    /// C = alpha A B, either transposed.
    Gemm(bool, bool),
    /// C = A Aᵀ in the lower triangle or the upper one; 0 else.
    Syrk(bool),
    /// C = Aᵀ.
    Transpose,
}

/// A kernel: what it computes, its text, its NDRange.
struct Entry {
    name: String,
    routine: Routine,
    double: bool,
    text: String,
    global: [usize; 2],
    local: [usize; 2],
}

/// The program and its kernels.
pub struct Generated {
    source: String,
    entries: Vec<Entry>,
}

impl Generated {
    /// The library. A number makes each of its kernels another one for every cache: `n` loses no bit by it.
    #[must_use]
    pub fn new(nonce: u64) -> Self {
        let mut entries = Vec::new();
        for double in [false, true] {
            vectors(double, &mut entries);
            sums(double, &mut entries);
            matrices(double, &mut entries);
        }
        let mut source = String::new();
        let mask = N as u64 | (nonce & 0xff_ffff) << 7;
        for entry in &entries {
            let real = if entry.double { "double" } else { "float" };
            let [x, y] = entry.local;
            let _ = write!(
                source,
                "__kernel __attribute__((reqd_work_group_size({x}, {y}, 1)))\nvoid {}(int n, {real} alpha, __global const {real} \
                 *restrict a, __global const {real} *restrict b, __global {real} *restrict c) {{\n    n &= {mask};\n{}}}\n",
                entry.name,
                entry.text.replace("REAL", real),
            );
        }
        Generated { source, entries }
    }

    /// How many kernels there are.
    #[must_use]
    pub fn kernels(&self) -> usize {
        self.entries.len()
    }

    /// Builds the program, runs every kernel once and compares what it gives.
    ///
    /// # Errors
    /// What the library fails with; a wrong result.
    pub fn run(&self, session: &Session) -> Result<()> {
        let a: Vec<f64> = (0..N * N).map(|i| (i * 7 % 5) as f64 - 2.0).collect();
        let b: Vec<f64> = (0..N * N).map(|i| (i * 11 % 7) as f64 - 3.0).collect();
        let names: Vec<&str> = self.entries.iter().map(|e| e.name.as_str()).collect();
        let kernels = session.kernels(&self.source, &names, "")?;
        for (entry, kernel) in self.entries.iter().zip(&kernels) {
            let size = if entry.double { 8 } else { 4 };
            let (a_bytes, b_bytes) = (entry.bytes(&a), entry.bytes(&b));
            let (a_buffer, b_buffer) = (session.buffer_with(&a_bytes)?, session.buffer_with(&b_bytes)?);
            let c = session.buffer(N * N * size, Place::Device)?;
            c.fill(&[0; 4], 0, N * N * size)?;
            let alpha = entry.bytes(&[ALPHA]);
            kernel.set(&[
                Arg::Value(&(N as i32).to_le_bytes()),
                Arg::Value(&alpha),
                Arg::Buffer(&a_buffer),
                Arg::Buffer(&b_buffer),
                Arg::Buffer(&c),
            ])?;
            kernel.launch(&entry.global, Some(&entry.local))?;
            let mut found = vec![0; N * N * size];
            c.read(0, &mut found)?;
            if found != entry.bytes(&entry.routine.expected(&a, &b)) {
                return Err(format!("{}: the result is wrong", entry.name));
            }
        }
        Ok(())
    }
}

impl Entry {
    fn bytes(&self, values: &[f64]) -> Vec<u8> {
        match self.double {
            true => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            false => values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
        }
    }
}

impl Routine {
    /// The whole of c.
    fn expected(self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let each = |f: &dyn Fn(usize, usize) -> f64| (0..N * N).map(|i| f(i / N, i % N)).collect();
        let first = |values: Vec<f64>| values.into_iter().chain(std::iter::repeat(0.0)).take(N * N).collect();
        let sum = |f: &dyn Fn(usize) -> f64| (0..N).map(f).sum::<f64>();
        match self {
            Routine::Axpy => each(&|i, j| ALPHA * a[i * N + j] + b[i * N + j]),
            Routine::Scal => each(&|i, j| ALPHA * a[i * N + j]),
            Routine::Asum => first(vec![sum(&|i| a[i].abs())]),
            Routine::Dot => first(vec![sum(&|i| a[i] * b[i])]),
            Routine::Gemv(turned) => {
                let at = |i: usize, j: usize| if turned { a[j * N + i] } else { a[i * N + j] };
                first((0..N).map(|i| sum(&|j| at(i, j) * b[j])).collect())
            }
            Routine::Ger => each(&|i, j| ALPHA * a[i] * b[j]),
            Routine::Gemm(left, right) => each(&|i, j| {
                let a = |k: usize| if left { a[k * N + i] } else { a[i * N + k] };
                let b = |k: usize| if right { b[j * N + k] } else { b[k * N + j] };
                ALPHA * sum(&|k| a(k) * b(k))
            }),
            Routine::Syrk(lower) => each(&|i, j| match (i.cmp(&j), lower) {
                (std::cmp::Ordering::Less, true) | (std::cmp::Ordering::Greater, false) => 0.0,
                _ => sum(&|k| a[i * N + k] * a[j * N + k]),
            }),
            Routine::Transpose => each(&|i, j| a[j * N + i]),
        }
    }
}

/// Adds a kernel.
fn add(
    entries: &mut Vec<Entry>,
    (name, double): (String, bool),
    routine: Routine,
    (global, local): ([usize; 2], [usize; 2]),
    text: String,
) {
    let name = format!("{}{name}", if double { "d" } else { "s" });
    entries.push(Entry { name, routine, double, text, global, local });
}

/// One element, or a vector of them, to a work-item.
fn vectors(double: bool, entries: &mut Vec<Entry>) {
    for width in [1, 2, 4, 8] {
        let range = ([N * N / width, 1], [32, 1]);
        let (load, store) = match width {
            1 => ("a[i]".to_owned(), "c[i] = r;".to_owned()),
            w => (format!("vload{w}(i, a)"), format!("vstore{w}(r, i, c);")),
        };
        let kind = if width == 1 { "REAL".to_owned() } else { format!("REAL{width}") };
        let other = load.replace('a', "b").replace("vlobd", "vload");
        let guard =
            format!("    const size_t i = get_global_id(0);\n    if (i * {width} >= n * n) return;\n");
        let text = format!("{guard}    const {kind} r = alpha * {load} + {other};\n    {store}\n");
        add(entries, (format!("axpy_{width}"), double), Routine::Axpy, range, text);
        let text = format!("{guard}    const {kind} r = alpha * {load};\n    {store}\n");
        add(entries, (format!("scal_{width}"), double), Routine::Scal, range, text);
    }
}

/// One work-group's sum by a tree in local memory; products of a matrix and a vector.
fn sums(double: bool, entries: &mut Vec<Entry>) {
    for size in [16, 32, 64, 128] {
        for (name, routine, term) in
            [("asum", Routine::Asum, "fabs(a[i])"), ("dot", Routine::Dot, "a[i] * b[i]")]
        {
            let text = format!(
                "    __local REAL sums[{size}];\n    const int lid = get_local_id(0);\n    REAL sum = 0;\n    for (int i = lid; i < n; i += \
                 {size}) sum += {term};\n    sums[lid] = sum;\n    for (int d = {size} / 2; d > 0; d /= 2) {{\n        \
                 barrier(CLK_LOCAL_MEM_FENCE);\n        if (lid < d) sums[lid] += sums[lid + d];\n    }}\n    if (lid == 0) c[0] = sums[0];\n"
            );
            add(entries, (format!("{name}_{size}"), double), routine, ([size, 1], [size, 1]), text);
        }
    }
    for turned in [false, true] {
        for size in [16, 32] {
            for unrolled in [1, 4] {
                let at = if turned { "a[(j + u) * n + i]" } else { "a[i * n + j + u]" };
                let text = format!(
                    "    __local REAL part[{size}];\n    const int i = get_global_id(0), lid = get_local_id(0);\n    REAL sum = 0;\n    for (int \
                     k = 0; k < n; k += {size}) {{\n        barrier(CLK_LOCAL_MEM_FENCE);\n        part[lid] = b[k + lid];\n        \
                     barrier(CLK_LOCAL_MEM_FENCE);\n        for (int l = 0; l < {size}; l += {unrolled}) {{\n            const int j = k + \
                     l;\n            #pragma unroll\n            for (int u = 0; u < {unrolled}; u++) sum += {at} * part[l + u];\n        \
                     }}\n    }}\n    if (i < n) c[i] = sum;\n"
                );
                let name = format!("gemv_{}_{size}_{unrolled}", if turned { "t" } else { "n" });
                add(entries, (name, double), Routine::Gemv(turned), ([N, 1], [size, 1]), text);
            }
        }
    }
}

/// Matrices: outer products, products by tiles with and without local memory, of a matrix with itself, transposition.
fn matrices(double: bool, entries: &mut Vec<Entry>) {
    for tile in [4, 8] {
        let text = "    const int j = get_global_id(0), i = get_global_id(1);\n    c[i * n + j] = alpha * a[i] * b[j];\n";
        add(
            entries,
            (format!("ger_{tile}"), double),
            Routine::Ger,
            ([N, N], [tile * 2, tile]),
            text.to_owned(),
        );
    }
    for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
        let letter = |turned: bool| if turned { "t" } else { "n" };
        let name = format!("gemm_{}{}", letter(left), letter(right));
        for each in [1, 2, 4] {
            let text = gemm_by_tiles(left, right, each);
            let range = ([N / each, N / each], [8, 8]);
            add(entries, (format!("{name}_{each}"), double), Routine::Gemm(left, right), range, text);
        }
        let text = gemm_of_registers(left, right, 2);
        let range = ([N / 2, N / 2], [8, 4]);
        add(entries, (format!("{name}_registers"), double), Routine::Gemm(left, right), range, text);
    }
    for lower in [true, false] {
        for unrolled in [1, 2] {
            let test = if lower { "j > i" } else { "j < i" };
            let text = format!(
                "    const int j = get_global_id(0), i = get_global_id(1);\n    REAL sum = 0;\n    if ({test}) {{ c[i * n + j] = 0; return; \
                 }}\n    for (int k = 0; k < n; k += {unrolled})\n        for (int u = 0; u < {unrolled}; u++) sum += a[i * n + k + u] * a[j * n + k \
                 + u];\n    c[i * n + j] = sum;\n"
            );
            let name = format!("syrk_{}_{unrolled}", if lower { "l" } else { "u" });
            add(entries, (name, double), Routine::Syrk(lower), ([N, N], [8, 8]), text);
        }
    }
    for tile in [8, 16] {
        for pad in [0, 1] {
            let text = format!(
                "    __local REAL tile[{tile}][{tile} + {pad}];\n    const int x = get_local_id(0), y = get_local_id(1);\n    const int left = \
                 get_group_id(0) * {tile}, top = get_group_id(1) * {tile};\n    tile[y][x] = a[(top + y) * n + left + x];\n    \
                 barrier(CLK_LOCAL_MEM_FENCE);\n    c[(left + y) * n + top + x] = tile[x][y];\n"
            );
            add(
                entries,
                (format!("transpose_{tile}_{pad}"), double),
                Routine::Transpose,
                ([N, N], [tile, tile]),
                text,
            );
        }
    }
}

/// Tiles in local memory, `each` by `each` elements to a work-item of 8 by 8.
fn gemm_by_tiles(left: bool, right: bool, each: usize) -> String {
    let tile = 8 * each;
    let a = if left { "a[(k + e % 8) * n + top + e / 8]" } else { "a[(top + e / 8) * n + k + e % 8]" };
    let b = if right { "b[(first + e / 8) * n + k + e % 8]" } else { "b[(k + e % 8) * n + first + e / 8]" };
    format!(
        "    __local REAL at[8][{tile} + 1], bt[8][{tile} + 1];\n    const int x = get_local_id(0), y = get_local_id(1), id = y * 8 + x;\n    \
         const int first = get_group_id(0) * {tile}, top = get_group_id(1) * {tile};\n    REAL sum[{each}][{each}];\n    #pragma unroll\n    \
         for (int i = 0; i < {each}; i++)\n        #pragma unroll\n        for (int j = 0; j < {each}; j++) sum[i][j] = 0;\n    for (int k = 0; k < n; \
         k += 8) {{\n        for (int e = id; e < {tile} * 8; e += 64) {{ at[e % 8][e / 8] = {a}; bt[e % 8][e / 8] = {b}; }}\n        \
         barrier(CLK_LOCAL_MEM_FENCE);\n        for (int l = 0; l < 8; l++) {{\n            REAL p[{each}], q[{each}];\n            #pragma \
         unroll\n            for (int i = 0; i < {each}; i++) {{ p[i] = at[l][y + 8 * i]; q[i] = bt[l][x + 8 * i]; }}\n            #pragma \
         unroll\n            for (int i = 0; i < {each}; i++)\n                #pragma unroll\n                for (int j = 0; j < {each}; j++) \
         sum[i][j] += p[i] * q[j];\n        }}\n        barrier(CLK_LOCAL_MEM_FENCE);\n    }}\n    #pragma unroll\n    for (int i = 0; i < {each}; \
         i++)\n        #pragma unroll\n        for (int j = 0; j < {each}; j++) c[(top + y + 8 * i) * n + first + x + 8 * j] = alpha * sum[i][j];\n"
    )
}

/// Tiles in registers alone.
fn gemm_of_registers(left: bool, right: bool, each: usize) -> String {
    let a = if left { "a[k * n + y + i]" } else { "a[(y + i) * n + k]" };
    let b = if right { "b[(x + i) * n + k]" } else { "b[k * n + x + i]" };
    format!(
        "    const int x = get_global_id(0) * {each}, y = get_global_id(1) * {each};\n    REAL sum[{each}][{each}] = {{{{0}}}};\n    for (int k = \
         0; k < n; k++) {{\n        REAL p[{each}], q[{each}];\n        for (int i = 0; i < {each}; i++) {{ p[i] = {a}; q[i] = {b}; }}\n        for \
         (int i = 0; i < {each}; i++)\n            for (int j = 0; j < {each}; j++) sum[i][j] += p[i] * q[j];\n    }}\n    for (int i = 0; i < \
         {each}; i++)\n        for (int j = 0; j < {each}; j++) c[(y + i) * n + x + j] = alpha * sum[i][j];\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_kernels() {
        let library = Generated::new(1);
        assert_eq!(library.kernels(), 100);
        let names: std::collections::BTreeSet<_> = library.entries.iter().map(|e| &e.name).collect();
        assert_eq!(names.len(), 100);
    }
}

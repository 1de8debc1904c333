//! A test as OpenCL C.

use super::shapes::{Act, Item, Location, Order};
use std::fmt::Write;

/// Which work-items play the roles of an instance, with the scope that their operations have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Roles in several work-groups: memory_scope_device.
    Device,
    /// Roles in several work-groups: memory_scope_all_svm_devices.
    AllDevices,
    /// Roles in one work-group.
    WorkGroup,
    /// Roles in one sub-group.
    SubGroup,
}

/// The memory of the locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Both in global memory.
    Global,
    /// Both in local memory.
    Local,
    /// The first in global, the second in local memory.
    Mixed,
}

/// Scope and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// The scope.
    pub scope: Scope,
    /// The memory.
    pub memory: Memory,
}

impl Site {
    /// All of them: local memory is a work-group's.
    pub const ALL: [Site; 8] = [
        Site { scope: Scope::Device, memory: Memory::Global },
        Site { scope: Scope::AllDevices, memory: Memory::Global },
        Site { scope: Scope::WorkGroup, memory: Memory::Global },
        Site { scope: Scope::WorkGroup, memory: Memory::Local },
        Site { scope: Scope::WorkGroup, memory: Memory::Mixed },
        Site { scope: Scope::SubGroup, memory: Memory::Global },
        Site { scope: Scope::SubGroup, memory: Memory::Local },
        Site { scope: Scope::SubGroup, memory: Memory::Mixed },
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match (self.scope, self.memory) {
            (Scope::Device, _) => "device",
            (Scope::AllDevices, _) => "all devices",
            (Scope::WorkGroup, Memory::Global) => "work-group, global",
            (Scope::WorkGroup, Memory::Local) => "work-group, local",
            (Scope::WorkGroup, Memory::Mixed) => "work-group, mixed",
            (Scope::SubGroup, Memory::Global) => "sub-group, global",
            (Scope::SubGroup, Memory::Local) => "sub-group, local",
            (Scope::SubGroup, Memory::Mixed) => "sub-group, mixed",
        }
    }

    /// Returns whether a location is in local memory.
    #[must_use]
    pub fn is_local(self, location: Location) -> bool {
        match self.memory {
            Memory::Global => false,
            Memory::Local => true,
            Memory::Mixed => location == Location::Y,
        }
    }

    fn scope_name(self) -> &'static str {
        match self.scope {
            Scope::Device => "memory_scope_device",
            Scope::AllDevices => "memory_scope_all_svm_devices",
            Scope::WorkGroup => "memory_scope_work_group",
            Scope::SubGroup => "memory_scope_sub_group",
        }
    }
}

/// Counts outcomes: two bits for each register and location. Clears the locations.
pub const JUDGE: &str = r"
kernel void judge(global int *mem, global int *out, global uint *bins, uint n, uint stride, uint ybase, uint ya, uint yb,
                  uint local_ones) {
    local uint h[4096];
    for (uint k = get_local_id(0); k < 4096; k += get_local_size(0)) h[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint i = get_global_id(0);
    uint index = 0;
    for (uint r = 0; r < 4; r++) index |= (uint)(out[r * n + i] & 3) << (2 * r);
    uint x = i * stride, y = ybase + ((i * ya + yb) & (n - 1)) * stride;
    index |= (uint)((local_ones & 1 ? out[4 * n + i] : mem[x]) & 3) << 8;
    index |= (uint)((local_ones & 2 ? out[5 * n + i] : mem[y]) & 3) << 10;
    mem[x] = 0;
    mem[y] = 0;
    atomic_inc(&h[index]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_id(0); k < 4096; k += get_local_size(0)) if (h[k]) atomic_add(&bins[k], h[k]);
}
";

/// Words of memory that busy work-groups use: a power of two.
pub const SCRATCH: usize = 1 << 16;

/// The parameters of `run`, in both styles.
const PARAMETERS: &str = "global int *mem, global int *out, global uint *scratch, uint n, uint4 a, uint4 b, uint mask, \
uint stride,\n         uint ybase, uint ya, uint yb, uint busy, uint work, uint lines, uint pause, uint seed";

/// The kernel `run` of a test, for work-groups of a size (a power of two).
#[must_use]
pub fn kernel(items: &[Vec<Item>], site: Site, group_size: usize) -> String {
    let threads = items.len();
    let local = site.is_local(Location::X) || site.is_local(Location::Y);
    let (place, turn, mask) = match site.scope {
        Scope::SubGroup => (
            "get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id()",
            "get_sub_group_local_id()",
            "get_max_sub_group_size() - 1",
        ),
        Scope::WorkGroup => ("get_local_id(0)", "get_local_id(0) >> 5", "LS - 1"),
        _ => ("get_local_id(0)", "own", "mask"),
    };
    let mut text = head(group_size);
    if local {
        text += "    local atomic_int near[2 * LS];\n    uint at = get_local_id(0);\n    \
                 atomic_init(&near[at], 0);\n    atomic_init(&near[LS + at], 0);\n    \
                 barrier(CLK_LOCAL_MEM_FENCE);\n";
    }
    // Every fourth work-group is busy, as far as there are such.
    text += "    uint group = get_group_id(0), lcg = seed ^ (uint)get_global_id(0) * 2654435761u;\n\
        \x20   if ((group & 3) == 3 && (group >> 2) < busy) {\n\
        \x20       for (uint k = 0; k < work; k++) {\n\
        \x20           lcg = lcg * 1664525u + 1013904223u;\n\
        \x20           uint line = (lcg >> 16 & lines) * 64;\n\
        \x20           if (k & 1) atomic_store_explicit(&s[line], lcg, memory_order_relaxed, memory_scope_device);\n\
        \x20           else lcg += atomic_load_explicit(&s[line], memory_order_relaxed, memory_scope_device);\n\
        \x20       }\n\
        \x20       return;\n\
        \x20   }\n";
    let _ = write!(
        text,
        "    uint own = group - min((group + 1) >> 2, busy);\n    uint w = own * LS + {place};\n    \
         uint among = {mask};\n    for (uint k = 0; k < {threads}; k++) {{\n        \
         uint role = (k + ({turn})) % {threads};\n        lcg = lcg * 1664525u + 1013904223u;\n        \
         for (uint d = lcg >> 16 & pause; d > 0; d--) {{\n            \
         lcg += atomic_load_explicit(&s[lcg >> 16], memory_order_relaxed, memory_scope_device);\n        }}\n"
    );
    for (t, items) in items.iter().enumerate() {
        let instance = format!("(w & ~among) | ((w * a.s{t} + b.s{t}) & among)");
        text += &role(t, items, site, &instance);
    }
    text += "    }\n";
    if local {
        text += "    barrier(CLK_LOCAL_MEM_FENCE);\n";
        for (row, offset, location) in [(4, "at", Location::X), (5, "LS + at", Location::Y)] {
            if site.is_local(location) {
                let _ = writeln!(
                    text,
                    "    out[{row} * n + own * LS + at] = atomic_load_explicit(&near[{offset}], memory_order_relaxed, \
                     memory_scope_work_group);"
                );
            }
        }
    }
    text + "}\n"
}

/// How often a work-item looks for the others before an instance: they may not run at once.
const LOOKS: usize = 150;

/// The same for a processor with few threads, which run work-groups one after another: each role is a work-group of one
/// work-item, which plays it in all instances, and waits a little for the others before each.
#[must_use]
pub fn aligned_kernel(items: &[Vec<Item>], site: Site) -> String {
    let threads = items.len();
    let mut text = head(1);
    // Every launch counts on from `seed`.
    let _ = write!(
        text,
        "    uint role = get_group_id(0);\n    for (uint k = 0; k < n; k++) {{\n        uint here = seed + k + 1;\n        \
         atomic_store_explicit(&s[role * 64], here, memory_order_relaxed, memory_scope_device);\n        \
         for (uint look = 0; look < {LOOKS}; look++) {{\n            uint late = 0;\n"
    );
    for t in 0..threads {
        let _ = writeln!(
            text,
            "            late |= (atomic_load_explicit(&s[{t} * 64], memory_order_relaxed, memory_scope_device) - here) >> 31;"
        );
    }
    text += "            if (late == 0) break;\n        }\n";
    for (t, items) in items.iter().enumerate() {
        text += &role(t, items, site, "(k * a.s0 + b.s0) & (n - 1)");
    }
    text + "    }\n}\n"
}

/// The beginning of the kernel.
fn head(group_size: usize) -> String {
    format!(
        "#define LS {group_size}\n\
         #define ACCESS(p) ((volatile global atomic_int *)(p))\n\
         kernel __attribute__((reqd_work_group_size(LS, 1, 1)))\n\
         void run({PARAMETERS}) {{\n\
         \x20   volatile global atomic_uint *s = (volatile global atomic_uint *)scratch;\n"
    )
}

/// The code of a role in an instance.
fn role(number: usize, items: &[Item], site: Site, instance: &str) -> String {
    let mut text = format!("        if (role == {number}) {{\n            uint i = {instance};\n");
    for location in [Location::X, Location::Y] {
        let _ = writeln!(text, "            {};", pointer(site, location));
    }
    for (act, order) in items {
        let _ = writeln!(text, "            {}", statement(*act, *order, site));
    }
    for (act, _) in items {
        if let Act::Load(_, r) | Act::Add(_, _, r) | Act::ReadIf(_, r, _) = act {
            let _ = writeln!(text, "            out[{r} * n + i] = r{r};");
        }
    }
    text + "        }\n"
}

/// The variable that holds a location's address.
fn pointer(site: Site, location: Location) -> &'static str {
    match (site.is_local(location), location) {
        (false, Location::X) => "volatile global atomic_int *x = ACCESS(mem + i * stride)",
        (false, Location::Y) => {
            "volatile global atomic_int *y = ACCESS(mem + ybase + ((i * ya + yb) & (n - 1)) * stride)"
        }
        (true, Location::X) => "volatile local atomic_int *x = &near[i & (LS - 1)]",
        (true, Location::Y) => "volatile local atomic_int *y = &near[LS + (i & (LS - 1))]",
    }
}

fn statement(act: Act, order: Order, site: Site) -> String {
    let scope = site.scope_name();
    let name = |location| if location == Location::X { "x" } else { "y" };
    let plain = |location| {
        let space = if site.is_local(location) { "local" } else { "global" };
        format!("*({space} int *){}", name(location))
    };
    let order_of = |middle: &'static str| match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::AcqRel => middle,
        Order::SeqCst => "memory_order_seq_cst",
    };
    let (acquire, release) = (order_of("memory_order_acquire"), order_of("memory_order_release"));
    let both = order_of("memory_order_acq_rel");
    match act {
        Act::Store(at, v) => format!("atomic_store_explicit({}, {v}, {release}, {scope});", name(at)),
        Act::Load(at, r) => format!("int r{r} = atomic_load_explicit({}, {acquire}, {scope});", name(at)),
        Act::Add(at, v, r) => {
            format!("int r{r} = atomic_fetch_add_explicit({}, {v}, {both}, {scope});", name(at))
        }
        Act::Exchange(at, v) => format!("atomic_exchange_explicit({}, {v}, {both}, {scope});", name(at)),
        Act::Write(at, v) => format!("{} = {v};", plain(at)),
        Act::ReadIf(at, r, c) => format!("int r{r} = 1; if (r{c} == 1) r{r} = {};", plain(at)),
        Act::Fence if order == Order::Relaxed => String::new(),
        Act::Fence => {
            format!("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, {both}, {scope});")
        }
    }
}

//! Copies that a work-group makes together (§6.15.12): plain, strided, of lines and of planes, to local memory and back.

use super::items::DATA;
use super::report::{Family, Report, family};
use super::run::{Bench, Claims, Job, Jobs};
use super::shapes::ITEMS;
use super::values::{ALL, Random, Vt, WIDTHS, element, pack};
use crate::opencl::{Arg, Place, Result};

const SECTION: &str = "copies";
/// Elements that each work-group copies.
const COUNT: usize = 30;

/// A way there and back: statements with `from` and `to`, the work-group's own COUNT elements in global memory, and `l`, `m`, local memory
/// of as many. Data that is copied to `l` goes to `m` with neighbours exchanged. Which element comes to which place.
struct Way {
    name: &'static str,
    needs: &'static str,
    there: &'static str,
    back: &'static str,
    /// The place in `from` of element n of `l`; the place in `to` of element n of `m`.
    places: [fn(usize) -> Option<usize>; 2],
}

const PLAIN: fn(usize) -> Option<usize> = Some;

/// Element n of five lines of six is in a line of a larger whole.
fn line(n: usize) -> Option<usize> {
    // Three lines of seven, the first two elements of each left out.
    (n < 15).then(|| n / 5 * 7 + n % 5 + 2)
}

fn plane(n: usize) -> Option<usize> {
    // Two planes of two lines of five, which are 14 elements apart.
    (n < 12).then(|| n / 6 * 14 + n % 6 / 3 * 5 + n % 3 + 1)
}

const WAYS: [Way; 5] = [
    Way {
        name: "async_work_group_copy",
        needs: "",
        there: "e = async_work_group_copy(l, from, COUNT, 0);",
        back: "e = async_work_group_copy(to, m, COUNT, 0);",
        places: [PLAIN, PLAIN],
    },
    Way {
        name: "async_work_group_strided_copy",
        needs: "",
        there: "e = async_work_group_strided_copy(l, from, COUNT / 3, 3, 0);",
        back: "e = async_work_group_strided_copy(to, m, COUNT / 2, 2, 0);",
        places: [|n| (n < COUNT / 3).then_some(n * 3), |n| (n < COUNT / 2).then_some(n * 2)],
    },
    Way {
        name: "async_work_group_copy_2D2D",
        needs: "cl_khr_extended_async_copies",
        there: "e = async_work_group_copy_2D2D(l, 0, from, 2, sizeof(T), 5, 3, 7, 5, 0);",
        back: "e = async_work_group_copy_2D2D(to, 2, m, 0, sizeof(T), 5, 3, 5, 7, 0);",
        places: [line, line],
    },
    Way {
        name: "async_work_group_copy_3D3D",
        needs: "cl_khr_extended_async_copies",
        there: "e = async_work_group_copy_3D3D(l, 0, from, 1, sizeof(T), 3, 2, 2, 5, 14, 3, 6, 0);",
        back: "e = async_work_group_copy_3D3D(to, 1, m, 0, sizeof(T), 3, 2, 2, 3, 6, 5, 14, 0);",
        places: [plane, plane],
    },
    Way {
        name: "async_work_group_copy_fence",
        needs: "cl_khr_async_work_group_copy_fence",
        there: "async_work_group_copy(l, from, COUNT, 0); async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE); \
                e = async_work_group_copy(l, from, COUNT, 0); async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
        back: "e = async_work_group_copy(to, m, COUNT, 0);",
        places: [PLAIN, PLAIN],
    },
];

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    for ty in claims.types(&ALL) {
        for width in WIDTHS {
            let ways: Vec<&'static Way> =
                WAYS.iter().filter(|w| jobs.claimed(claims, w.needs, &family(SECTION, w.name))).collect();
            let vt = Vt::new(ty, width);
            let families: Vec<Family> = ways.iter().map(|w| family(SECTION, w.name)).collect();
            let work =
                move |bench: &Bench, turn: usize, report: &mut Report| run(bench, turn, report, vt, &ways);
            jobs.list.push(Job { families, cost: 8 * width, work: Box::new(work) });
        }
    }
}

fn source(vt: Vt, ways: &[&Way]) -> String {
    let mut text = format!(
        "#define COUNT {COUNT}\ntypedef {} T;\nkernel void k(global const T *in, global T *out) {{\n  local T l[COUNT], m[COUNT];\n  \
         const uint groups = get_num_groups(0) * get_num_groups(1) * get_num_groups(2);\n  const uint group = (get_group_id(2) * \
         get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);\n  const uint size = get_local_size(0) * \
         get_local_size(1) * get_local_size(2);\n  const uint lid = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * \
         get_local_size(0) + get_local_id(0);\n  const global T *from = in + group % 8 * COUNT;\n  global T *to = out + group * COUNT;\n  \
         event_t e;\n  prefetch(from, COUNT);\n",
        vt.name()
    );
    for way in ways {
        text += &format!(
            "  for (uint k = lid; k < COUNT; k += size) l[k] = (T)(7);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  {}\n  wait_group_events(1, &e);\n  \
             for (uint k = lid; k < COUNT; k += size) m[k] = l[k ^ 1];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  {}\n  \
             wait_group_events(1, &e);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  to += groups * COUNT;\n",
            way.there, way.back
        );
    }
    text + "}\n"
}

fn run(bench: &Bench, turn: usize, report: &mut Report, vt: Vt, ways: &[&Way]) -> Result<()> {
    let session = &bench.session;
    let kernel = session.kernel(&bench.source(&source(vt, ways)), "k", bench.options)?;
    let mut random = Random(turn as u64);
    let values: Vec<u64> =
        (0..DATA.min(8 * COUNT) * vt.width).map(|_| random.next() & vt.ty.mask()).collect();
    let input = session.buffer_with(&pack(vt, &values))?;
    let seven = if vt.ty.float() { vt.ty.float_bits(7.0) } else { 7 };
    for shape in bench.shapes(&ITEMS, turn) {
        let groups = shape.groups();
        let size = ways.len() * groups * COUNT * vt.size();
        let out = session.buffer(size, Place::Device)?;
        out.fill(&[0xa5], 0, size)?;
        kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&out)])?;
        kernel.launch(shape.global(), Some(shape.local()))?;
        let mut found = vec![0; size];
        out.read(0, &mut found)?;
        let class = shape.class(bench.claims.sub_group);
        for (w, way) in ways.iter().enumerate() {
            for group in 0..groups {
                let mut local = vec![None; COUNT];
                let mut expected = vec![None; COUNT];
                (0..COUNT).for_each(|n| local[n] = way.places[0](n));
                for n in 0..COUNT {
                    if let Some(to) = way.places[1](n) {
                        expected[to] = Some(local[n ^ 1]);
                    }
                }
                for (n, expected) in expected.into_iter().enumerate() {
                    for lane in 0..vt.width {
                        let at = ((w * groups + group) * COUNT + n) * vt.places() + lane;
                        let found = element(vt.ty, &found, at);
                        let expected = match expected {
                            None => 0xa5a5_a5a5_a5a5_a5a5 & vt.ty.mask(),
                            Some(None) => seven,
                            Some(Some(from)) => values[(group % 8 * COUNT + from) * vt.width + lane],
                        };
                        report.add(&family(SECTION, way.name), vt.ty, class, found == expected, || {
                            format!(
                                "{} {found:#x}, not {expected:#x}, in element {n}, lane {lane} of work-group {group} of {:?} by {:?}",
                                vt.name(), shape.global(), shape.local()
                            )
                        });
                    }
                }
            }
        }
    }
    Ok(())
}

//! Work-group functions (§6.15.17) and cl_khr_work_group_uniform_arithmetic.

use super::groups::{Scope, case, combines, jobs as group_jobs, logicals, votes};
use super::report::family;
use super::run::{Claims, Jobs};
use super::values::{Ty, Vt};

const TYPES: [Ty; 7] = [Ty::Int, Ty::UInt, Ty::Long, Ty::ULong, Ty::Float, Ty::Half, Ty::Double];
const SECTION: &str = "work-groups";

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    for ty in claims.types(&TYPES) {
        let vt = Vt::new(ty, 1);
        let mut cases = combines(SECTION, "work_group", &["add", "min", "max"], ty);
        // The first item of the last line, the last of the first one; ids that every work-group has.
        let broadcasts = [
            "work_group_broadcast(v, get_local_size(0) - 1, get_local_size(1) / 2, get_local_size(2) - 1)",
            "work_group_broadcast(v, get_local_size(0) / 2, get_local_size(1) - 1)",
            "work_group_broadcast(v, get_local_size(0) - 1)",
        ];
        let broadcast = family(SECTION, "work_group_broadcast");
        for (n, text) in broadcasts.into_iter().enumerate() {
            cases.push(case(broadcast.clone(), text, vt, move |g| {
                let [x, y, z] = g.sizes;
                let at = match n {
                    0 => ((z - 1) * y + y / 2) * x + x - 1,
                    // Of a work-group with more dimensions these are not defined.
                    1 if z == 1 => (y - 1) * x + x / 2,
                    2 if z * y == 1 => x - 1,
                    _ => return None,
                };
                g.at(at)
            }));
        }
        if ty == Ty::Int {
            cases.extend(votes(SECTION, "work_group"));
        }
        cases.retain(|c| jobs.claimed(claims, "work-group functions", &c.family));
        group_jobs(vt, Scope::Work, cases, &mut jobs.list);
        let mut cases = combines(SECTION, "work_group", &["mul", "and", "or", "xor"], ty);
        if ty == Ty::Int {
            cases.extend(logicals(SECTION, "work_group"));
        }
        cases.retain(|c| jobs.claimed(claims, "cl_khr_work_group_uniform_arithmetic", &c.family));
        group_jobs(vt, Scope::Work, cases, &mut jobs.list);
    }
}

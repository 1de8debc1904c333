//! Programs that explode where each call is a copy of the function.

use crate::program::{Program, buffer, from_i32s, spec};
use pumice_cli::compare::Tolerance;

const TABLE: [i32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

/// A work-item of `large/call_tree.cl`: its words of `out`, its word of local memory, and its private arrays one after another.
struct Item {
    out: [i32; 16],
    local: i32,
    private: Vec<[i32; 4]>,
}

impl Item {
    fn new(at: usize) -> Self {
        Item { out: [0; 16], local: at as i32, private: vec![[1, 2, 3, 4]] }
    }

    /// `levelK`; pointers are the index in `out` and the private array's number.
    fn level(&mut self, k: i32, g: usize, p: usize, n: i32) -> i32 {
        let at = (n & 3) as usize;
        if k == 0 {
            self.private[p][at] = self.private[p][at].wrapping_add(TABLE[(n & 7) as usize]);
            self.local ^= n;
            self.out[g + at] = self.out[g + at].wrapping_add(self.private[p][(n >> 1 & 3) as usize]);
            return n.wrapping_mul(3).wrapping_add(self.local);
        }
        let own = self.private.len();
        self.private.push([n, k, n.wrapping_add(1), 5]);
        let mut r = n;
        let below = |r: i32, j: i32| n.wrapping_mul(5).wrapping_add(k + j + (r & 3));
        if n & 1 != 0 {
            r = r.wrapping_add(self.level(k - 1, g, p, below(r, 0)));
        } else {
            self.private[p][0] ^= r;
        }
        if n & 2 != 0 {
            r = r.wrapping_add(self.level(k - 1, g, own, below(r, 1)));
        }
        if n & 4 != 0 {
            if r == 12_345_678 {
                return r;
            }
            r = r.wrapping_add(self.level(
                k - 1,
                g + (k & 1) as usize,
                if n & 16 != 0 { own } else { p },
                below(r, 2),
            ));
        }
        if n & 8 != 0 {
            r = r.wrapping_add(self.level(k - 1, g, p, below(r, 3)));
        } else {
            self.private[p][3] ^= r;
        }
        let array = self.private[own];
        self.out[g + 4 + at] = self.out[g + 4 + at].wrapping_add(array[1]).wrapping_add(array[at]);
        self.private.truncate(own);
        r.wrapping_add(array[2])
    }

    fn finish(mut self, r: i32) -> [i32; 16] {
        let p = self.private[0];
        let digits = [1, 10, 100, 1000].iter().zip(p).map(|(d, p)| p.wrapping_mul(*d));
        self.out[12] = r;
        self.out[13] = digits.fold(0, i32::wrapping_add);
        self.out[14] = self.local;
        self.out
    }
}

/// Inputs for which not many calls are made.
const INPUTS: [i32; 4] = [1, 10, 5, 24];

#[test]
fn a_tree_of_calls() {
    let expected: Vec<i32> = (0..4)
        .flat_map(|at| {
            let mut item = Item::new(at);
            let r = item.level(12, 0, 0, INPUTS[at]);
            item.finish(r)
        })
        .collect();
    Program {
        file: "large/call_tree.cl",
        kernel: "tree",
        global: &[4],
        local: Some(&[4]),
        args: vec![("in", buffer(&from_i32s("int", &INPUTS))), ("out", spec("int[64]:const=0"))],
        expect: vec![("out", from_i32s("int", &expected), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

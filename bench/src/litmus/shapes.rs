//! The tests: what each work-item does, and the outcome that an order forbids. Names are those of the literature.

/// How strong the orders of a test are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// memory_order_relaxed.
    Relaxed,
    /// memory_order_acquire for loads, release for stores, acq_rel for what does both.
    AcqRel,
    /// memory_order_seq_cst.
    SeqCst,
}

impl Order {
    /// The next weaker one.
    #[must_use]
    pub fn weaker(self) -> Order {
        match self {
            Order::SeqCst => Order::AcqRel,
            _ => Order::Relaxed,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["relaxed", "acq_rel", "seq_cst"][self as usize]
    }
}

/// One of the two locations of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// The first.
    X,
    /// The second.
    Y,
}

use Location::{X, Y};

/// An act of a work-item. Registers are numbered through all work-items, at most four; values are 0 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// An atomic store.
    Store(Location, u32),
    /// An atomic load into a register.
    Load(Location, usize),
    /// An atomic addition, with what was found in a register.
    Add(Location, u32, usize),
    /// An atomic exchange whose result is not looked at.
    Exchange(Location, u32),
    /// A store that is not atomic.
    Write(Location, u32),
    /// A load that is not atomic, of what another register's 1 says to be there; 1 where it does not.
    ReadIf(Location, usize, usize),
    /// A fence.
    Fence,
}

use Act::{Add, Exchange, Fence, Load, ReadIf, Store, Write};

/// An act and its order.
pub type Item = (Act, Order);

/// The final state of a run: the registers, and the last values of the locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The registers; 0 where unused.
    pub registers: [u32; 4],
    /// X at the end.
    pub x: u32,
    /// Y at the end.
    pub y: u32,
}

/// How the order is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By the atomic loads and stores.
    Accesses,
    /// By fences between relaxed ones.
    Fences,
    /// By read-modify-writes in place of loads and stores.
    Updates,
}

impl Way {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Way::Accesses => "accesses",
            Way::Fences => "fences",
            Way::Updates => "updates",
        }
    }
}

/// A test.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// The acts of each work-item; an order here is the act's own, whatever the test's is.
    pub threads: &'static [&'static [(Act, Option<Order>)]],
    /// The outcome that is looked for.
    pub forbidden: fn(&Outcome) -> bool,
    /// The weakest order that forbids it.
    pub least: Order,
    /// The ways that do.
    pub ways: &'static [Way],
}

const fn s(location: Location, value: u32) -> (Act, Option<Order>) {
    (Store(location, value), None)
}

const fn l(location: Location, register: usize) -> (Act, Option<Order>) {
    (Load(location, register), None)
}

const ALL: &[Way] = &[Way::Accesses, Way::Fences, Way::Updates];
const NO_FENCES: &[Way] = &[Way::Accesses, Way::Updates];
const PLAIN: &[Way] = &[Way::Accesses];

/// The tests. Fences do not forbid all that accesses do: a fence orders what its own work-item does, so that IRIW and RWC, with
/// work-items of one act, are not forbidden by them (OpenCL API, "Memory Ordering Rules", the rules of fences).
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "MP",
        threads: &[&[s(X, 1), s(Y, 1)], &[l(Y, 0), l(X, 1)]],
        forbidden: |o| o.registers[0] == 1 && o.registers[1] == 0,
        least: Order::AcqRel,
        ways: ALL,
    },
    Shape {
        name: "MP of data",
        threads: &[&[(Write(X, 1), None), s(Y, 1)], &[l(Y, 0), (ReadIf(X, 1, 0), None)]],
        forbidden: |o| o.registers[0] == 1 && o.registers[1] == 0,
        least: Order::AcqRel,
        ways: &[Way::Accesses, Way::Fences],
    },
    Shape {
        name: "LB",
        threads: &[&[l(X, 0), s(Y, 1)], &[l(Y, 1), s(X, 1)]],
        forbidden: |o| o.registers[0] == 1 && o.registers[1] == 1,
        least: Order::AcqRel,
        ways: ALL,
    },
    Shape {
        name: "S",
        threads: &[&[s(X, 2), s(Y, 1)], &[l(Y, 0), s(X, 1)]],
        forbidden: |o| o.registers[0] == 1 && o.x == 2,
        least: Order::AcqRel,
        ways: ALL,
    },
    Shape {
        name: "WRC",
        threads: &[&[s(X, 1)], &[l(X, 0), s(Y, 1)], &[l(Y, 1), l(X, 2)]],
        forbidden: |o| o.registers == [1, 1, 0, 0],
        least: Order::AcqRel,
        ways: ALL,
    },
    Shape {
        name: "SB",
        threads: &[&[s(X, 1), l(Y, 0)], &[s(Y, 1), l(X, 1)]],
        forbidden: |o| o.registers[0] == 0 && o.registers[1] == 0,
        least: Order::SeqCst,
        ways: ALL,
    },
    Shape {
        name: "R",
        threads: &[&[s(X, 1), s(Y, 1)], &[s(Y, 2), l(X, 0)]],
        forbidden: |o| o.registers[0] == 0 && o.y == 2,
        least: Order::SeqCst,
        ways: ALL,
    },
    Shape {
        name: "2+2W",
        threads: &[&[s(X, 1), s(Y, 2)], &[s(Y, 1), s(X, 2)]],
        forbidden: |o| o.x == 1 && o.y == 1,
        least: Order::SeqCst,
        ways: ALL,
    },
    Shape {
        name: "RWC",
        threads: &[&[s(X, 1)], &[l(X, 0), l(Y, 1)], &[s(Y, 1), l(X, 2)]],
        forbidden: |o| o.registers == [1, 0, 0, 0],
        least: Order::SeqCst,
        ways: NO_FENCES,
    },
    Shape {
        name: "IRIW",
        threads: &[&[s(X, 1)], &[s(Y, 1)], &[l(X, 0), l(Y, 1)], &[l(Y, 2), l(X, 3)]],
        forbidden: |o| o.registers == [1, 0, 1, 0],
        least: Order::SeqCst,
        ways: NO_FENCES,
    },
    Shape {
        // A release among sequentially consistent operations.
        name: "Z6.U",
        threads: &[
            &[s(X, 1), (Store(Y, 1), Some(Order::AcqRel))],
            &[(Add(Y, 0, 0), None)],
            &[s(Y, 3), l(X, 1)],
        ],
        forbidden: |o| o.registers[0] == 1 && o.registers[1] == 0 && o.y == 3,
        least: Order::SeqCst,
        ways: PLAIN,
    },
    Shape {
        name: "CoRR",
        threads: &[&[s(X, 1)], &[l(X, 0), l(X, 1)]],
        forbidden: |o| o.registers[0] == 1 && o.registers[1] == 0,
        least: Order::Relaxed,
        ways: NO_FENCES,
    },
    Shape {
        name: "CoWW",
        threads: &[&[s(X, 1), s(X, 2)], &[l(X, 0), l(X, 1)]],
        forbidden: |o| o.x != 2 || o.registers[0] > o.registers[1],
        least: Order::Relaxed,
        ways: NO_FENCES,
    },
    Shape {
        name: "CoRW",
        threads: &[&[l(X, 0), s(X, 1)], &[s(X, 2)]],
        forbidden: |o| o.registers[0] == 1 || o.registers[0] == 2 && o.x == 2,
        least: Order::Relaxed,
        ways: NO_FENCES,
    },
    Shape {
        name: "CoWR",
        threads: &[&[s(X, 1), l(X, 0)], &[s(X, 2)]],
        forbidden: |o| o.registers[0] == 0 || o.registers[0] == 2 && o.x == 1,
        least: Order::Relaxed,
        ways: NO_FENCES,
    },
    Shape {
        name: "CoAdd",
        threads: &[&[(Add(X, 1, 0), None)], &[(Add(X, 1, 1), None)]],
        forbidden: |o| o.x != 2 || o.registers[0] == o.registers[1],
        least: Order::Relaxed,
        ways: PLAIN,
    },
];

impl Shape {
    /// The acts of its work-items for a way to ask for the order.
    #[must_use]
    pub fn items(&self, way: Way, order: Order) -> Vec<Vec<Item>> {
        let of_thread = |thread: &&[(Act, Option<Order>)]| {
            let mut items = Vec::new();
            for (i, (act, own)) in thread.iter().enumerate() {
                if way == Way::Fences && i > 0 {
                    items.push((Fence, order));
                }
                let act = match *act {
                    Load(at, register) if way == Way::Updates => Add(at, 0, register),
                    Store(at, value) if way == Way::Updates => Exchange(at, value),
                    other => other,
                };
                let usual = if way == Way::Fences { Order::Relaxed } else { order };
                items.push((act, own.unwrap_or(usual)));
            }
            items
        };
        self.threads.iter().map(of_thread).collect()
    }

    /// Returns whether it has a second location.
    #[must_use]
    pub fn has_y(&self) -> bool {
        self.threads.iter().flat_map(|t| t.iter()).any(|(act, _)| location(*act) == Some(Y))
    }
}

/// The location of an act.
#[must_use]
pub fn location(act: Act) -> Option<Location> {
    match act {
        Store(at, _) | Load(at, _) | Add(at, ..) | Exchange(at, _) | Write(at, _) | ReadIf(at, ..) => {
            Some(at)
        }
        Fence => None,
    }
}

/// The same with every order of one work-item, or of all, one step weaker.
#[must_use]
pub fn weakened(items: &[Vec<Item>], thread: Option<usize>) -> Vec<Vec<Item>> {
    let step = |(act, order): &Item| (*act, order.weaker());
    let of_thread = |(i, items): (usize, &Vec<Item>)| {
        if thread.is_none_or(|t| t == i) { items.iter().map(step).collect() } else { items.clone() }
    };
    items.iter().enumerate().map(of_thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every outcome that some interleaving of the work-items has.
    fn interleavings(threads: &[Vec<Item>]) -> BTreeSet<Outcome> {
        fn go(threads: &[Vec<Item>], at: &mut [usize], state: Outcome, found: &mut BTreeSet<Outcome>) {
            let mut ended = true;
            for t in 0..threads.len() {
                let Some((act, _)) = threads[t].get(at[t]) else { continue };
                ended = false;
                let mut next = state;
                let mut access = |at, change: &dyn Fn(u32) -> u32| {
                    let place = if at == X { &mut next.x } else { &mut next.y };
                    let old = *place;
                    *place = change(old);
                    old
                };
                match *act {
                    Store(l, v) | Exchange(l, v) | Write(l, v) => {
                        access(l, &|_| v);
                    }
                    Load(l, r) => next.registers[r] = access(l, &|old| old),
                    Add(l, v, r) => next.registers[r] = access(l, &|old| old + v),
                    ReadIf(l, r, c) => {
                        let found = access(l, &|old| old);
                        next.registers[r] = if state.registers[c] == 1 { found } else { 1 };
                    }
                    Fence => {}
                }
                at[t] += 1;
                go(threads, at, next, found);
                at[t] -= 1;
            }
            if ended {
                found.insert(state);
            }
        }
        let mut found = BTreeSet::new();
        let start = Outcome { registers: [0; 4], x: 0, y: 0 };
        go(threads, &mut vec![0; threads.len()], start, &mut found);
        found
    }

    #[test]
    fn no_interleaving_has_what_is_forbidden() {
        for shape in SHAPES {
            for way in shape.ways {
                let outcomes = interleavings(&shape.items(*way, shape.least));
                assert!(outcomes.len() > 1, "{}", shape.name);
                assert!(!outcomes.iter().any(shape.forbidden), "{} by {}", shape.name, way.name());
                assert!(outcomes.iter().all(|o| o.x < 4 && o.y < 4 && o.registers.iter().all(|r| *r < 4)));
            }
        }
    }

    /// A forbidden outcome is one that another order of a work-item's own acts would give: a test that no machine can fail says nothing.
    #[test]
    fn what_is_forbidden_comes_with_acts_out_of_order() {
        for shape in SHAPES.iter().filter(|s| s.name != "CoAdd" && s.name != "Z6.U") {
            let items = shape.items(Way::Accesses, shape.least);
            let turned = |t: usize| {
                let mut items = items.clone();
                items[t].reverse();
                items
            };
            let any = (0..items.len()).any(|t| interleavings(&turned(t)).iter().any(shape.forbidden));
            assert!(any, "{}", shape.name);
        }
    }

    #[test]
    fn weaker_orders() {
        let sb = SHAPES.iter().find(|s| s.name == "SB").expect("there");
        let items = sb.items(Way::Fences, Order::SeqCst);
        assert_eq!(items[0][1], (Fence, Order::SeqCst));
        let weak = weakened(&items, Some(1));
        assert_eq!(weak[0], items[0]);
        assert_eq!(weak[1][1], (Fence, Order::AcqRel));
    }
}

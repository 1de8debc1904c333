//! Launches: the sizes of ranges and work-groups, of every class.

use super::report::Class;

/// A range and a work-group's size.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub dims: usize,
    global: [usize; 3],
    local: [usize; 3],
}

const fn one(groups: usize, size: usize) -> Shape {
    Shape { dims: 1, global: [groups * size, 1, 1], local: [size, 1, 1] }
}

const fn two(x: usize, y: usize) -> Shape {
    Shape { dims: 2, global: [2 * x, y, 1], local: [x, y, 1] }
}

const fn three(x: usize, y: usize, z: usize) -> Shape {
    Shape { dims: 3, global: [x, 2 * y, z], local: [x, y, z] }
}

const fn cut(dims: usize, global: [usize; 3], local: [usize; 3]) -> Shape {
    Shape { dims, global, local }
}

/// Shapes for functions to which the number of members matters: partial sub-groups, of any size, in every class.
pub const GROUPS: [Shape; 24] = [
    one(2, 64),
    one(2, 33),
    two(7, 9),
    three(3, 5, 7),
    cut(1, [75, 1, 1], [32, 1, 1]),
    one(2, 32),
    one(3, 7),
    two(5, 3),
    three(2, 3, 17),
    cut(2, [19, 7, 1], [8, 4, 1]),
    one(2, 128),
    one(2, 63),
    two(16, 3),
    three(5, 3, 2),
    cut(3, [7, 5, 9], [4, 2, 4]),
    one(5, 1),
    one(2, 31),
    two(33, 2),
    three(4, 4, 4),
    cut(1, [127, 1, 1], [63, 1, 1]),
    one(2, 100),
    one(2, 129),
    two(1, 37),
    three(1, 1, 61),
];

/// Shapes for functions of single work-items.
pub const ITEMS: [Shape; 9] = [
    one(8, 64),
    one(5, 63),
    two(7, 9),
    three(3, 5, 7),
    cut(2, [19, 7, 1], [8, 4, 1]),
    one(7, 31),
    two(11, 3),
    three(2, 3, 17),
    cut(3, [7, 5, 9], [4, 2, 4]),
];

impl Shape {
    pub fn global(&self) -> &[usize] {
        &self.global[..self.dims]
    }

    pub fn local(&self) -> &[usize] {
        &self.local[..self.dims]
    }

    /// The same with so many more work-groups in the first dimension.
    pub fn larger(mut self, groups: usize) -> Shape {
        self.global[0] += groups * self.local[0];
        self
    }

    pub fn items(&self) -> usize {
        self.global.iter().product()
    }

    /// Work-items of a whole work-group.
    pub fn size(&self) -> usize {
        self.local.iter().product()
    }

    pub fn groups(&self) -> usize {
        (0..3).map(|d| self.global[d].div_ceil(self.local[d])).product()
    }

    pub fn is_cut(&self) -> bool {
        (0..3).any(|d| !self.global[d].is_multiple_of(self.local[d]))
    }

    /// The class, on a device with sub-groups of so many.
    pub fn class(&self, max: usize) -> Class {
        match self.dims {
            _ if self.is_cut() => Class::Cut,
            1 if self.size().is_multiple_of(max.max(1)) => Class::Full,
            1 => Class::Partial,
            2 => Class::Two,
            _ => Class::Three,
        }
    }

    /// For the work-item with a linear global id, the work-group's number, and the linear id in it.
    pub fn place(&self, item: usize) -> (usize, usize) {
        let (g, l) = (self.global, self.local);
        let id = [item % g[0], item / g[0] % g[1], item / g[0] / g[1]];
        let count = [0, 1].map(|d| g[d].div_ceil(l[d]));
        let group = [0, 1, 2].map(|d| id[d] / l[d]);
        let size = [0, 1].map(|d| l[d].min(g[d] - group[d] * l[d]));
        let at = [0, 1, 2].map(|d| id[d] % l[d]);
        ((group[2] * count[1] + group[1]) * count[0] + group[0], (at[2] * size[1] + at[1]) * size[0] + at[0])
    }

    /// The size of the work-group in which some items are, in each dimension.
    pub fn sizes(&self, members: &[usize]) -> [usize; 3] {
        let (g, l) = (self.global, self.local);
        let item = members.first().copied().unwrap_or(0);
        let id = [item % g[0], item / g[0] % g[1], item / g[0] / g[1]];
        [0, 1, 2].map(|d| l[d].min(g[d] - id[d] / l[d] * l[d]))
    }

    /// The work-groups: of each its members' linear global ids, by their linear ids.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); self.groups()];
        for item in 0..self.items() {
            let (group, at) = self.place(item);
            groups[group].push((at, item));
        }
        groups
            .into_iter()
            .map(|mut g| {
                g.sort_unstable();
                g.into_iter().map(|(_, item)| item).collect()
            })
            .collect()
    }
}

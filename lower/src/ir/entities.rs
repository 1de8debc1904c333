//! Typed handles and the maps they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

macro_rules! entity {
    ($(#[$doc:meta] $name:ident $prefix:literal),* $(,)?) => {
        $(
            #[$doc]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, concat!($prefix, "{}"), self.0)
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(self, f)
                }
            }

            impl Entity for $name {
                fn new(index: usize) -> Self {
                    $name(u32::try_from(index).expect("fewer than 2^32 entities"))
                }
                fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

/// A handle that indexes an [`EntityMap`].
pub trait Entity: Copy {
    /// The handle of a position.
    fn new(index: usize) -> Self;
    /// Its position.
    fn index(self) -> usize;
}

// A macro, because five newtypes must have the same traits.
entity! {
    /// An SSA value.
    Value "v",
    /// An instruction.
    Inst "inst",
    /// A basic block.
    Block "b",
    /// A variable in private memory.
    Slot "s",
    /// A function of the module.
    Func "f",
    /// A global variable of the module.
    GlobalVar "g",
}

/// A type of the module's table of opaque types. Few, so that types of values stay small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opaque(pub u8);

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Entity for Opaque {
    fn new(index: usize) -> Self {
        Opaque(u8::try_from(index).expect("at most 256 opaque types"))
    }
    fn index(self) -> usize {
        self.0.into()
    }
}

/// A growing list indexed by a handle.
#[derive(Clone)]
pub struct EntityMap<K, V> {
    list: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> EntityMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        EntityMap { list: Vec::new(), key: PhantomData }
    }

    /// Adds an entry and gives its handle.
    pub fn push(&mut self, value: V) -> K {
        self.list.push(value);
        K::new(self.list.len() - 1)
    }

    /// Takes back the last entries, down to so many.
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
    }

    /// Makes room for so many more entries.
    pub fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The entry, if the handle is one of this map's.
    pub fn get(&self, key: K) -> Option<&V> {
        self.list.get(key.index())
    }

    /// All handles in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.list.len()).map(K::new)
    }

    /// Handles and entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.list.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }

    /// Handles and entries in order, these to change.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> {
        self.list.iter_mut().enumerate().map(|(i, v)| (K::new(i), v))
    }

    /// Entries in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.list.iter()
    }

    /// Entries in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.list.iter_mut()
    }
}

impl<K: Entity, V> Default for EntityMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for EntityMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

impl<K: Entity, V> Index<K> for EntityMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.list[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for EntityMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.list[key.index()]
    }
}

//! The interpreter's memory: objects of bytes, pointers that know their object, and who touched what.
//!
//! A pointer is an object and an offset, never a number. Bytes know whether they hold data; a pointer in memory is kept
//! beside the bytes that it is in. A read of another work-item's write without a barrier between is a race, and a race, like
//! every other access that OpenCL C does not define, is a [`Reject`]: the program is none to compare.

use std::collections::BTreeMap;

/// Why a program means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reject(pub &'static str);

pub(crate) type R<T> = Result<T, Reject>;

/// A pointer that is not null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ptr {
    pub object: u32,
    pub offset: i64,
}

/// The contents of a part of an object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blob {
    bytes: Vec<u8>,
    data: Vec<bool>,
    pointers: Vec<(u32, Option<Ptr>)>,
}

impl Blob {
    /// Forgets the other bytes.
    pub(crate) fn keep(&mut self, members: &[bool]) {
        for (data, member) in self.data.iter_mut().zip(members) {
            *data &= member;
        }
    }
}

/// Which work-item, and after which barriers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Who {
    /// From 1.
    pub item: u32,
    /// From 1.
    pub group: u32,
    pub local_epoch: u32,
    pub global_epoch: u32,
}

/// Stands for several work-items or groups.
const MANY: u32 = u32::MAX;

/// How memory is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// By an atomic operation of a class whose members commute.
    Atomic(u8),
}

/// The last uses of a byte of shared memory.
#[derive(Debug, Clone, Copy, Default)]
struct Track {
    written: (u32, u32, u32),
    read: (u32, u32, u32),
    atomic: (u32, u32, u32),
    /// For the atomic operations.
    class: u8,
}

/// Sharing of an object between work-items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shared {
    No,
    Local,
    Global,
    ReadOnly,
}

#[derive(Debug)]
struct Object {
    bytes: Vec<u8>,
    data: Vec<bool>,
    pointers: BTreeMap<u32, Option<Ptr>>,
    align: u32,
    alive: bool,
    shared: Shared,
    tracks: Vec<Track>,
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    objects: Vec<Object>,
    pub who: Who,
    pub pointer_bytes: u32,
}

impl Memory {
    pub(crate) fn new(pointer_bytes: u32) -> Memory {
        Memory { pointer_bytes, ..Memory::default() }
    }

    /// An object without contents.
    pub(crate) fn make(&mut self, size: u32, align: u32, shared: Shared) -> u32 {
        let size = size as usize;
        let tracked = matches!(shared, Shared::Local | Shared::Global);
        self.objects.push(Object {
            bytes: vec![0; size],
            data: vec![false; size],
            pointers: BTreeMap::new(),
            align,
            alive: true,
            shared,
            tracks: vec![Track::default(); if tracked { size } else { 0 }],
        });
        self.objects.len() as u32 - 1
    }

    pub(crate) fn fill(&mut self, object: u32, bytes: &[u8]) {
        let object = &mut self.objects[object as usize];
        object.bytes.copy_from_slice(bytes);
        object.data.fill(true);
    }

    pub(crate) fn read_only(&mut self, object: u32) {
        self.objects[object as usize].shared = Shared::ReadOnly;
    }

    pub(crate) fn kill(&mut self, object: u32) {
        let object = &mut self.objects[object as usize];
        object.alive = false;
        object.bytes = Vec::new();
        object.data = Vec::new();
        object.pointers.clear();
    }

    /// A launch has ended: everything is ordered before what follows.
    pub(crate) fn launch_ends(&mut self) {
        for object in &mut self.objects {
            object.tracks.fill(Track::default());
        }
    }

    /// The bytes, and which of them hold data.
    pub(crate) fn contents(&self, object: u32) -> (Vec<u8>, Vec<bool>) {
        let object = &self.objects[object as usize];
        (object.bytes.clone(), object.data.clone())
    }

    pub(crate) fn check_alive(&self, p: Ptr) -> R<()> {
        let object = &self.objects[p.object as usize];
        if !object.alive {
            return Err(Reject("a pointer to a variable that has ended"));
        }
        Ok(())
    }

    pub(crate) fn shared(&self, p: Ptr) -> Shared {
        self.objects[p.object as usize].shared
    }

    pub(crate) fn size(&self, object: u32) -> i64 {
        self.objects[object as usize].bytes.len() as i64
    }

    /// Pointers are aligned for what they are used as.
    pub(crate) fn check_align(&self, p: Ptr, align: u32) -> R<()> {
        let object = &self.objects[p.object as usize];
        if !object.align.is_multiple_of(align) || p.offset % i64::from(align) != 0 {
            return Err(Reject("a misaligned pointer"));
        }
        Ok(())
    }

    pub(crate) fn add(&self, p: Ptr, bytes: i64) -> R<Ptr> {
        let offset = p.offset + bytes;
        if offset < 0 || offset > self.size(p.object) {
            return Err(Reject("a pointer beyond its object"));
        }
        self.check_alive(p)?;
        Ok(Ptr { object: p.object, offset })
    }

    fn touch(&mut self, p: Ptr, size: u32, touch: Touch) -> R<std::ops::Range<usize>> {
        self.check_alive(p)?;
        let object = &mut self.objects[p.object as usize];
        if p.offset < 0 || p.offset + i64::from(size) > object.bytes.len() as i64 {
            return Err(Reject("an access beyond its object"));
        }
        if object.shared == Shared::ReadOnly && touch != Touch::Read {
            return Err(Reject("a write to constant memory"));
        }
        let range = p.offset as usize..p.offset as usize + size as usize;
        let who = self.who;
        let epoch = if object.shared == Shared::Local { who.local_epoch } else { who.global_epoch };
        let me = (who.item, who.group, epoch);
        if !object.tracks.is_empty() {
            for track in &mut object.tracks[range.clone()] {
                track.touch(me, touch)?;
            }
        }
        Ok(range)
    }

    pub(crate) fn read(&mut self, p: Ptr, size: u32) -> R<u64> {
        let range = self.touch(p, size, Touch::Read)?;
        self.bits(p, range)
    }

    fn bits(&self, p: Ptr, range: std::ops::Range<usize>) -> R<u64> {
        let object = &self.objects[p.object as usize];
        if object.data[range.clone()].contains(&false) {
            return Err(Reject("a read of bytes that hold no data"));
        }
        let mut bytes = [0; 8];
        bytes[..range.len()].copy_from_slice(&object.bytes[range]);
        Ok(u64::from_le_bytes(bytes))
    }

    pub(crate) fn write(&mut self, p: Ptr, size: u32, bits: u64) -> R<()> {
        let range = self.touch(p, size, Touch::Write)?;
        self.forget_pointers(p.object, &range);
        let object = &mut self.objects[p.object as usize];
        object.bytes[range.clone()].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
        object.data[range].fill(true);
        Ok(())
    }

    /// Bytes that a store may leave as anything: padding.
    pub(crate) fn spoil(&mut self, p: Ptr, size: u32) -> R<()> {
        let range = self.touch(p, size, Touch::Write)?;
        self.forget_pointers(p.object, &range);
        self.objects[p.object as usize].data[range].fill(false);
        Ok(())
    }

    pub(crate) fn atomic(&mut self, p: Ptr, size: u32, class: u8, f: impl FnOnce(u64) -> u64) -> R<()> {
        let range = self.touch(p, size, Touch::Atomic(class))?;
        let new = f(self.bits(p, range.clone())?);
        let object = &mut self.objects[p.object as usize];
        object.bytes[range].copy_from_slice(&new.to_le_bytes()[..size as usize]);
        Ok(())
    }

    pub(crate) fn read_pointer(&mut self, p: Ptr) -> R<Option<Ptr>> {
        self.touch(p, self.pointer_bytes, Touch::Read)?;
        let object = &self.objects[p.object as usize];
        object.pointers.get(&(p.offset as u32)).copied().ok_or(Reject("a read of a pointer that is none"))
    }

    pub(crate) fn write_pointer(&mut self, p: Ptr, value: Option<Ptr>) -> R<()> {
        self.spoil(p, self.pointer_bytes)?;
        self.objects[p.object as usize].pointers.insert(p.offset as u32, value);
        Ok(())
    }

    fn forget_pointers(&mut self, object: u32, range: &std::ops::Range<usize>) {
        let from = (range.start as u32).saturating_sub(self.pointer_bytes - 1);
        let pointers = &mut self.objects[object as usize].pointers;
        if pointers.is_empty() {
            return;
        }
        let inside: Vec<u32> = pointers.range(from..range.end as u32).map(|e| *e.0).collect();
        for at in inside {
            pointers.remove(&at);
        }
    }

    pub(crate) fn read_blob(&mut self, p: Ptr, size: u32) -> R<Blob> {
        let range = self.touch(p, size, Touch::Read)?;
        let object = &self.objects[p.object as usize];
        let (from, to) = (range.start as u32, range.end as u32);
        Ok(Blob {
            bytes: object.bytes[range.clone()].to_vec(),
            data: object.data[range].to_vec(),
            pointers: object.pointers.range(from..to).map(|(at, value)| (at - from, *value)).collect(),
        })
    }

    pub(crate) fn write_blob(&mut self, p: Ptr, blob: &Blob) -> R<()> {
        let range = self.touch(p, blob.bytes.len() as u32, Touch::Write)?;
        self.forget_pointers(p.object, &range);
        let object = &mut self.objects[p.object as usize];
        object.bytes[range.clone()].copy_from_slice(&blob.bytes);
        object.data[range.clone()].copy_from_slice(&blob.data);
        object.pointers.extend(blob.pointers.iter().map(|(at, value)| (at + range.start as u32, *value)));
        Ok(())
    }

    /// Returns whether two pointers are equal; not known for one that ends an object and one into another.
    pub(crate) fn equal(&self, a: Option<Ptr>, b: Option<Ptr>) -> R<bool> {
        for p in [a, b].into_iter().flatten() {
            self.check_alive(p)?;
        }
        let (Some(a), Some(b)) = (a, b) else { return Ok(a == b) };
        let ends = |p: Ptr| p.offset == self.size(p.object);
        if a.object != b.object && (ends(a) || ends(b)) {
            return Err(Reject("a comparison with the end of another object"));
        }
        Ok(a == b)
    }
}

/// One of those that touched a byte before: whether it was not this one, and no barrier stands between.
fn unordered((item, group, epoch): (u32, u32, u32), me: (u32, u32, u32)) -> bool {
    group != 0 && (group != me.1 || (epoch == me.2 && item != me.0))
}

fn merged(old: (u32, u32, u32), me: (u32, u32, u32)) -> (u32, u32, u32) {
    match old {
        (_, 0, _) => me,
        (_, group, _) if group != me.1 => (MANY, MANY, me.2),
        (item, _, epoch) if epoch == me.2 && item != me.0 => (MANY, me.1, me.2),
        _ => me,
    }
}

impl Track {
    fn touch(&mut self, me: (u32, u32, u32), touch: Touch) -> R<()> {
        let other_class = !matches!(touch, Touch::Atomic(class) if class == self.class);
        if unordered(self.written, me)
            || (touch != Touch::Read && unordered(self.read, me))
            || (other_class && unordered(self.atomic, me))
        {
            return Err(Reject("a race"));
        }
        match touch {
            Touch::Read => self.read = merged(self.read, me),
            Touch::Write => self.written = me,
            Touch::Atomic(class) if class == self.class => self.atomic = merged(self.atomic, me),
            Touch::Atomic(class) => (self.atomic, self.class) = (me, class),
        }
        Ok(())
    }
}

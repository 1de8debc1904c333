//! The disk cache: bytes by the hash of what they were made from.
//!
//! Each entry is a file that is written under another name and renamed. A reader in this or another process sees all of it or none.
//! A program never waits for the disk. The entry carries a checksum, so a file that a power cut or a bad disk damaged counts as
//! absent. Entries are removed when all together exceed the limit, least recently used first. The folder and its files must belong to
//! the user, or are not used ([`vk_runtime::files`]).
//!
//! The file: `PUMICECE`, SHA-256 of the payload, the payload.

use std::fs::{File, FileTimes};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use vk_runtime::files::Folder;

const MAGIC: &[u8; 8] = b"PUMICECE";
const HEADER: usize = 8 + 32;
/// Together, the entries may take so many bytes.
pub const LIMIT: u64 = 256 << 20;
/// An entry with more bytes is not read.
const ENTRY_LIMIT: u64 = 64 << 20;
/// An entry's time of use is noted again after so long.
const TOUCH: Duration = Duration::from_secs(3600);
/// Unfinished files of other processes are removed after so long.
const STALE: Duration = Duration::from_secs(3600);

/// The folder of compiled programs in the cache's folder, and that of pipelines.
const PROGRAMS: &str = "programs";
const PIPELINES: &str = "pipelines";

/// The cache of compiled programs; `None` when caches are off or the folder is not to be believed.
pub fn programs() -> Option<Cache> {
    folder(PROGRAMS).map(|folder| Cache::new(folder, LIMIT))
}

/// The folder of pipelines; `None` when caches are off or the folder is not trusted.
pub fn pipelines() -> Option<Folder> {
    folder(PIPELINES)
}

fn folder(name: &str) -> Option<Folder> {
    let made = Folder::make(&crate::settings::cache_dir()?).and_then(|cache| cache.inner(name));
    made.inspect_err(|e| log::warn!("no cache: {e}")).ok()
}

/// A part of the cache as it is: for `pumice cache`.
#[derive(Debug)]
pub struct Part {
    /// Its purpose.
    pub name: &'static str,
    /// How many files it has, and their bytes.
    pub files: usize,
    /// See there.
    pub bytes: u64,
    /// How many bytes it may have.
    pub limit: u64,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mib, limit) = (self.bytes as f64 / f64::from(1 << 20), self.limit >> 20);
        write!(f, "{:<10} {:>6} files {mib:>8.1} MiB of {limit} MiB", self.name, self.files)
    }
}

/// The parts of a cache's folder as they are; nothing is made.
///
/// # Errors
/// A folder is not to be believed. That there is none is no error.
pub fn parts(directory: &std::path::Path) -> std::io::Result<Vec<Part>> {
    let part = |(name, limit)| {
        let files = existing(directory, name)?.map(|f| f.files()).unwrap_or_default();
        Ok(Part { name, files: files.len(), bytes: files.iter().map(|f| f.1).sum(), limit })
    };
    [(PROGRAMS, LIMIT), (PIPELINES, vk_runtime::PIPELINE_CACHE_LIMIT)].into_iter().map(part).collect()
}

/// Removes what a cache's folder holds; how many files that were.
///
/// # Errors
/// A folder is not to be believed.
pub fn clear(directory: &std::path::Path) -> std::io::Result<usize> {
    let mut removed = 0;
    for name in [PROGRAMS, PIPELINES] {
        let Some(folder) = existing(directory, name)? else { continue };
        removed += folder.files().iter().filter(|(file, ..)| folder.remove(file)).count();
    }
    Ok(removed)
}

/// A part's folder, if it is there.
fn existing(directory: &std::path::Path, name: &str) -> std::io::Result<Option<Folder>> {
    let there = |path: &std::path::Path| match Folder::open(path) {
        Ok(folder) => Ok(Some(folder)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    };
    match there(directory)? {
        Some(_) => there(&directory.join(name)),
        None => Ok(None),
    }
}

/// A SHA-256.
pub type Hash = [u8; 32];

/// The hash of several pieces, told apart.
pub fn hash<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Hash {
    let mut state = Sha256::new();
    for piece in pieces {
        state.update((piece.len() as u64).to_le_bytes());
        state.update(piece);
    }
    state.finalize().into()
}

/// A directory of entries. Any number of threads and processes may use it at once.
#[derive(Debug)]
pub struct Cache {
    folder: Folder,
    limit: u64,
    /// Bytes written since the directory was last tidied; starts so that the first write does it.
    written: AtomicU64,
}

impl Cache {
    /// A cache in a folder.
    pub fn new(folder: Folder, limit: u64) -> Self {
        Cache { folder, limit, written: AtomicU64::new(limit) }
    }

    /// The bytes that were put under a key. Anything wrong with the file is as if it were not there.
    pub fn get(&self, key: &Hash) -> Option<Vec<u8>> {
        let name = name(key);
        let mut bytes = match self.folder.read(&name, ENTRY_LIMIT) {
            Ok(bytes) => bytes,
            Err(e) => {
                if e.kind() != std::io::ErrorKind::NotFound {
                    log::warn!("cache: {e}");
                }
                return None;
            }
        };
        let whole = bytes.len() >= HEADER
            && bytes.starts_with(MAGIC)
            && bytes.get(8..HEADER) == Some(&hash([bytes.get(HEADER..)?])[..]);
        if !whole {
            log::warn!("cache entry '{}' is damaged and removed", self.path(&name).display());
            self.folder.remove(&name);
            return None;
        }
        if let Ok((file, _)) = self.folder.open_file(&name, ENTRY_LIMIT) {
            note_use(&file);
        }
        Some(bytes.split_off(HEADER))
    }

    /// Puts bytes under a key. A cache that cannot be written is no error: the next process does the work again.
    pub fn put(&self, key: &Hash, bytes: &[u8]) {
        let name = name(key);
        let size = (HEADER + bytes.len()) as u64;
        if size > ENTRY_LIMIT {
            return;
        }
        match self.folder.write(&name, &[MAGIC, &hash([bytes]), bytes]) {
            Ok(()) => {
                let written = self.written.fetch_add(size, Ordering::Relaxed) + size;
                if written > self.limit / 8 {
                    self.written.store(0, Ordering::Relaxed);
                    self.tidy();
                }
            }
            Err(e) => log::info!("cache entry '{}' was not written: {e}", self.path(&name).display()),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Removes what was not used for longest, until a quarter of the limit is free.
    fn tidy(&self) {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for (name, size, used) in self.folder.files() {
            if name.ends_with(".tmp") {
                if now.duration_since(used).is_ok_and(|age| age > STALE) {
                    self.folder.remove(&name);
                }
                continue;
            }
            entries.push((used, size, name));
        }
        let mut total: u64 = entries.iter().map(|e| e.1).sum();
        if total <= self.limit {
            return;
        }
        entries.sort();
        for (_, size, name) in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            if self.folder.remove(&name) {
                total -= size;
            }
        }
    }
}

/// The name of a key's file.
fn name(key: &Hash) -> String {
    key.iter().map(|b| format!("{b:02x}")).collect()
}

/// Notes that an entry was used, unless that was noted a short time ago.
fn note_use(file: &File) {
    let now = SystemTime::now();
    let old = file.metadata().and_then(|m| m.modified()).ok();
    if old.and_then(|t| now.duration_since(t).ok()).is_none_or(|age| age > TOUCH) {
        let _ = file.set_times(FileTimes::new().set_modified(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};

    fn made(path: &std::path::Path, limit: u64) -> Cache {
        Cache::new(Folder::make(path).expect("a folder"), limit)
    }

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pumice-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn entries_come_back_and_damage_is_noticed() {
        let path = directory("damage");
        let cache = made(&path, LIMIT);
        let key = hash([b"key".as_slice()]);
        assert_ne!(key, hash([b"ke".as_slice(), b"y"]), "pieces are told apart");
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"value");
        assert_eq!(cache.get(&key).as_deref(), Some(b"value".as_slice()));
        let file = cache.path(&name(&key));
        let good = fs::read(&file).expect("written");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&file, &bad).expect("write");
            assert_eq!(cache.get(&key), None, "changed at {at}");
            assert!(!file.exists());
            fs::write(&file, &good[..at]).expect("write");
            assert_eq!(cache.get(&key), None, "cut at {at}");
        }
        cache.put(&key, b"");
        assert_eq!(cache.get(&key).as_deref(), Some(b"".as_slice()));
        fs::remove_dir_all(path).expect("remove");
    }

    #[test]
    fn the_oldest_entries_go() {
        let path = directory("limit");
        let cache = made(&path, 16 << 10);
        let key = |n: u32| hash([n.to_le_bytes().as_slice()]);
        for n in 0..40 {
            cache.put(&key(n), &[7; 1 << 10]);
            let file = OpenOptions::new().append(true).open(cache.path(&name(&key(n))));
            if let Ok(file) = file {
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(n));
                file.set_times(FileTimes::new().set_modified(time)).expect("times");
            }
        }
        let left = (0..40).filter(|n| cache.get(&key(*n)).is_some()).count();
        assert!((8..=20).contains(&left), "{left} entries are left");
        assert!(cache.get(&key(39)).is_some(), "the newest stays");
        fs::remove_dir_all(path).expect("remove");
    }

    #[test]
    fn the_cache_is_shown_and_cleared() {
        let path = directory("clear");
        assert_eq!(clear(&path).expect("nothing there"), 0);
        assert!(!path.exists(), "nothing is made");
        let inner = path.join(PROGRAMS);
        made(&path, LIMIT);
        let cache = made(&inner, LIMIT);
        cache.put(&hash([b"a".as_slice()]), &[1; 60]);
        cache.put(&hash([b"b".as_slice()]), &[2; 40]);
        let parts = parts(&path).expect("the user's own");
        assert_eq!((parts[0].name, parts[0].files, parts[0].bytes), (PROGRAMS, 2, 100 + 2 * HEADER as u64));
        assert_eq!((parts[1].name, parts[1].files), (PIPELINES, 0));
        assert_eq!(clear(&path).expect("cleared"), 2);
        assert_eq!(cache.get(&hash([b"a".as_slice()])), None);
        fs::remove_dir_all(path).expect("remove");
    }

    #[test]
    fn many_writers_at_once() {
        let path = directory("threads");
        let key = hash([b"same".as_slice()]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = made(&path, LIMIT);
                    for _ in 0..20 {
                        cache.put(&key, &[1; 5000]);
                        assert_eq!(cache.get(&key), Some(vec![1; 5000]));
                    }
                });
            }
        });
        let files = fs::read_dir(&path).expect("directory").count();
        assert_eq!(files, 1, "no unfinished file is left");
        fs::remove_dir_all(path).expect("remove");
    }
}

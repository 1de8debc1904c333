//! The disk cache: bytes by the hash of what they were made from.
//!
//! Each entry is a file, written under another name, synced and renamed: a reader in this or another process sees all
//! of it or none. It carries a checksum, so that whatever a power cut or a bad disk leaves is as good as absent. Entries
//! are removed, those that were not used for longest first, when they take more than the limit together.
//!
//! The file: `PUMICECE`, SHA-256 of the payload, the payload.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"PUMICECE";
const HEADER: usize = 8 + 32;
/// Together, the entries may take so many bytes.
pub const LIMIT: u64 = 256 << 20;
/// An entry's time of use is noted again after so long.
const TOUCH: Duration = Duration::from_secs(3600);
/// Unfinished files of other processes are removed after so long.
const STALE: Duration = Duration::from_secs(3600);

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
    directory: PathBuf,
    limit: u64,
    /// Bytes written since the directory was last tidied; starts so that the first write does it.
    written: AtomicU64,
    /// Makes names of unfinished files differ.
    serial: AtomicU64,
}

impl Cache {
    /// A cache in a directory, which is made when something is first put there.
    pub fn new(directory: PathBuf, limit: u64) -> Self {
        Cache { directory, limit, written: AtomicU64::new(limit), serial: AtomicU64::new(0) }
    }

    /// What was put under a key. Anything wrong with the file is as if it were not there.
    pub fn get(&self, key: &Hash) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let whole = bytes.len() >= HEADER
            && bytes.starts_with(MAGIC)
            && bytes.get(8..HEADER) == Some(&hash([bytes.get(HEADER..)?])[..]);
        if !whole {
            log::warn!("cache entry '{}' is damaged and removed", path.display());
            let _ = fs::remove_file(&path);
            return None;
        }
        note_use(&path, &file);
        Some(bytes.split_off(HEADER))
    }

    /// Puts bytes under a key. A cache that cannot be written is no error: the next process does the work again.
    pub fn put(&self, key: &Hash, bytes: &[u8]) {
        let path = self.path(key);
        match self.write(&path, bytes) {
            Ok(()) => {
                let size = (HEADER + bytes.len()) as u64;
                let written = self.written.fetch_add(size, Ordering::Relaxed) + size;
                if written > self.limit / 8 {
                    self.written.store(0, Ordering::Relaxed);
                    self.tidy();
                }
            }
            Err(e) => log::info!("cache entry '{}' was not written: {e}", path.display()),
        }
    }

    fn path(&self, key: &Hash) -> PathBuf {
        let name: String = key.iter().map(|b| format!("{b:02x}")).collect();
        self.directory.join(name)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        // Unlike that of any other process, object, call, or process that had this number before.
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let (process, object) = (std::process::id(), std::ptr::from_ref(self).addr());
        let temporary = self.directory.join(format!("{process}-{object:x}-{serial}-{time:x}.tmp"));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        let done = (|| {
            file.write_all(MAGIC)?;
            file.write_all(&hash([bytes]))?;
            file.write_all(bytes)?;
            file.sync_data()?;
            fs::rename(&temporary, path)
        })();
        if done.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        done
    }

    /// Removes what was not used for longest, until a quarter of the limit is free.
    fn tidy(&self) {
        let Ok(directory) = fs::read_dir(&self.directory) else { return };
        let now = SystemTime::now();
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in directory.filter_map(Result::ok) {
            let Ok(meta) = entry.metadata() else { continue };
            let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if !meta.is_file() {
                continue;
            }
            if entry.path().extension().is_some_and(|e| e == "tmp") {
                if now.duration_since(used).is_ok_and(|age| age > STALE) {
                    let _ = fs::remove_file(entry.path());
                }
                continue;
            }
            entries.push((used, meta.len(), entry.path()));
        }
        let mut total: u64 = entries.iter().map(|e| e.1).sum();
        if total <= self.limit {
            return;
        }
        entries.sort();
        for (_, size, path) in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            if fs::remove_file(&path).is_ok() {
                total -= size;
            }
        }
    }
}

/// Notes that an entry was used, unless that was noted a short time ago.
fn note_use(path: &Path, file: &File) {
    let now = SystemTime::now();
    let old = file.metadata().and_then(|m| m.modified()).ok();
    if old.and_then(|t| now.duration_since(t).ok()).is_none_or(|age| age > TOUCH)
        && let Ok(file) = OpenOptions::new().append(true).open(path)
    {
        let _ = file.set_times(FileTimes::new().set_modified(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pumice-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn entries_come_back_and_damage_is_noticed() {
        let path = directory("damage");
        let cache = Cache::new(path.clone(), LIMIT);
        let key = hash([b"key".as_slice()]);
        assert_ne!(key, hash([b"ke".as_slice(), b"y"]), "pieces are told apart");
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"value");
        assert_eq!(cache.get(&key).as_deref(), Some(b"value".as_slice()));
        let file = cache.path(&key);
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
        let cache = Cache::new(path.clone(), 16 << 10);
        let key = |n: u32| hash([n.to_le_bytes().as_slice()]);
        for n in 0..40 {
            cache.put(&key(n), &[7; 1 << 10]);
            let file = OpenOptions::new().append(true).open(cache.path(&key(n)));
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
    fn many_writers_at_once() {
        let path = directory("threads");
        let key = hash([b"same".as_slice()]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = Cache::new(path.clone(), LIMIT);
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

//! Folders of files that are believed: caches, whose contents reach the driver.
//!
//! A folder is used only if it is a folder and no link, and belongs to the user whom the process works for; it is made with, or
//! brought to, mode 0700. Its files are read only if they are regular, no links, that user's own, writable by no other,
//! and of a size that makes sense; a FIFO is not waited for. A written file appears whole or not at all, with mode 0600.
//!
//! Windows: a folder is made within the user's profile by default, which other users cannot write. Owners and access control lists are not looked
//! at; links are not followed.
//!
//! A process that runs with more rights than who started it ([`is_privileged`]) believes no path of the environment.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The file that is locked.
const LOCK: &str = "lock";

/// Returns whether the process has more rights than who started it: its environment is somebody else's.
#[must_use]
pub fn is_privileged() -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: reads a number that the kernel gave the process.
        (unsafe { libc::getauxval(libc::AT_SECURE) }) != 0
    }
    #[cfg(all(unix, not(target_os = "linux")))]
    {
        // SAFETY: these read numbers of the process.
        unsafe { libc::getuid() != libc::geteuid() || libc::getgid() != libc::getegid() }
    }
    #[cfg(not(unix))]
    {
        false
    }
}

/// A folder that is believed.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at a path; made, with those above it, where it is not there.
    ///
    /// # Errors
    /// It cannot be made, or is not to be believed; the message says why.
    pub fn make(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            let mut maker = fs::DirBuilder::new();
            maker.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
            maker.create(path)?;
        }
        Self::open(path)
    }

    /// The folder at a path.
    ///
    /// # Errors
    /// It is not there, or is not to be believed; the message says why.
    pub fn open(path: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            let folder = open_as(path, libc::O_DIRECTORY)?;
            let meta = folder.metadata()?;
            if meta.uid() != user() {
                return Err(distrust(path, "belongs to another user"));
            }
            if meta.mode() & 0o077 != 0 {
                folder.set_permissions(fs::Permissions::from_mode(0o700))?;
                if folder.metadata()?.mode() & 0o022 != 0 {
                    return Err(distrust(path, "can be written by others"));
                }
            }
        }
        Ok(Folder { path: path.to_owned() })
    }

    /// A folder in it, made where it is not there.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    pub fn inner(&self, name: &str) -> io::Result<Self> {
        Self::make(&self.path.join(name))
    }

    /// Returns where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for reading; gives its size too.
    ///
    /// # Errors
    /// It is not there, is larger than `limit`, or is not to be believed.
    pub fn open_file(&self, name: &str, limit: u64) -> io::Result<(File, u64)> {
        let path = self.path.join(name);
        #[cfg(unix)]
        let file = open_as(&path, 0)?;
        #[cfg(windows)]
        let file = windows::open(&path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(distrust(&path, "is no regular file"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            if meta.uid() != user() {
                return Err(distrust(&path, "belongs to another user"));
            }
            if meta.mode() & 0o022 != 0 {
                return Err(distrust(&path, "can be written by others"));
            }
        }
        if meta.len() > limit {
            return Err(distrust(&path, "is too large"));
        }
        Ok((file, meta.len()))
    }

    /// Returns what a file holds.
    ///
    /// # Errors
    /// As [`open_file`](Self::open_file), and those of reading.
    pub fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let (file, size) = self.open_file(name, limit)?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        // It may grow meanwhile.
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Puts a file there, in place of what has this name: a reader in this or another process sees all of it or none. Nothing waits for
    /// the disk, so after a power cut the file may be empty or damaged. Readers check a hash of what they read.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, pieces: &[&[u8]]) -> io::Result<()> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        // Unlike that of any other process, call, or process that had this number before.
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let temporary = self.path.join(format!("{}-{serial}-{time:x}.tmp", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&temporary)?;
        let done = pieces
            .iter()
            .try_for_each(|piece| file.write_all(piece))
            .and_then(|()| fs::rename(&temporary, self.path.join(name)));
        if done.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        done
    }

    /// Its regular files but the lock: name, size, time of the last change.
    #[must_use]
    pub fn files(&self) -> Vec<(String, u64, SystemTime)> {
        let Ok(entries) = fs::read_dir(&self.path) else { return Vec::new() };
        let file = |entry: fs::DirEntry| {
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            let name = entry.file_name().into_string().ok().filter(|name| name != LOCK)?;
            Some((name, meta.len(), meta.modified().unwrap_or(SystemTime::UNIX_EPOCH)))
        };
        entries.filter_map(Result::ok).filter_map(file).collect()
    }

    /// Removes a file; whether it is gone.
    pub fn remove(&self, name: &str) -> bool {
        fs::remove_file(self.path.join(name)).is_ok()
    }

    /// Holds the folder's lock, which other processes respect, until what it gives is dropped. `None` when another holds it.
    #[must_use]
    pub fn lock(&self) -> Option<File> {
        let path = self.path.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::fd::AsRawFd;
            use std::os::unix::fs::OpenOptionsExt;
            let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
            let file = options.mode(0o600).custom_flags(flags).open(path).ok()?;
            // SAFETY: an open file.
            (unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0).then_some(file)
        }
        #[cfg(windows)]
        {
            options.open(path).ok().filter(windows::lock)
        }
    }
}

/// A file of settings: regular, or a link to one, the user's own or the system's, and not writable by everybody.
///
/// # Errors
/// It is not there, is larger than `limit`, or is not to be believed; and those of reading.
pub fn read_settings(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A FIFO is not waited for.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY,
    );
    let file = options.open(path)?;
    let meta = file.metadata()?;
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    if !meta.is_file() {
        return refuse("it is no regular file");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if meta.uid() != user() && meta.uid() != 0 {
            return refuse("it belongs to another user");
        }
        // Many users have a group of their own, whose members may write.
        if meta.mode() & 0o002 != 0 {
            return refuse("it can be written by others");
        }
    }
    if meta.len() > limit {
        return refuse("it is too large");
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The user whom the process works for.
#[cfg(unix)]
fn user() -> u32 {
    // SAFETY: reads a number of the process.
    unsafe { libc::geteuid() }
}

/// Opens for reading what is no link, without waiting.
#[cfg(unix)]
fn open_as(path: &Path, flags: libc::c_int) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = flags | libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Files of Windows.
#[cfg(windows)]
mod windows {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::windows::fs::OpenOptionsExt;
    use std::os::windows::io::AsRawHandle;
    use std::path::Path;

    use windows_sys::Win32::Storage::FileSystem::{
        FILE_FLAG_OPEN_REPARSE_POINT, LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
    };
    use windows_sys::Win32::System::IO::OVERLAPPED;

    /// Opens for reading. A link is opened itself, and is no regular file.
    pub(super) fn open(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
    }

    /// Locks all of a file until it is closed; false when another has the lock.
    pub(super) fn lock(file: &File) -> bool {
        let mut at = OVERLAPPED::default();
        let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
        // SAFETY: an open file, which was not opened for overlapped operations: the call ends before it returns. The place is valid.
        unsafe { LockFileEx(file.as_raw_handle(), flags, 0, u32::MAX, u32::MAX, &raw mut at) != 0 }
    }
}

fn distrust(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("'{}' {why}", path.display()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    /// A place that is removed at the end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("pumice-files-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir(&path).expect("made");
            Place(path)
        }
        fn at(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("there").mode() & 0o777
    }

    fn chown(path: &Path, user: u32) -> bool {
        std::os::unix::fs::lchown(path, Some(user), None).is_ok()
    }

    #[test]
    fn what_is_made_is_the_users_own() {
        let place = Place::new("made");
        let folder = Folder::make(&place.at("a/b")).expect("made").inner("c").expect("made");
        folder.write("f", &[b"one", b"two"]).expect("written");
        assert_eq!(folder.read("f", 6).expect("read"), b"onetwo");
        assert_eq!(
            (mode(&place.at("a")), mode(&place.at("a/b/c")), mode(&place.at("a/b/c/f"))),
            (0o700, 0o700, 0o600)
        );
        assert_eq!(folder.files().len(), 1, "nothing unfinished");
        let lock = folder.lock().expect("free");
        assert!(folder.lock().is_none(), "held");
        drop(lock);
        assert!(folder.lock().is_some(), "free again");
        // A folder of before is brought to the mode.
        fs::set_permissions(place.at("a"), fs::Permissions::from_mode(0o777)).expect("changed");
        Folder::make(&place.at("a")).expect("the user's own");
        assert_eq!(mode(&place.at("a")), 0o700);
    }

    #[test]
    fn what_others_may_have_put_there_is_not_read() {
        let place = Place::new("others");
        let folder = Folder::make(&place.at("f")).expect("made");
        folder.write("good", &[b"12345678"]).expect("written");
        assert!(folder.read("good", 7).is_err(), "too large");
        fs::set_permissions(place.at("f/good"), fs::Permissions::from_mode(0o620)).expect("changed");
        assert!(folder.read("good", 8).is_err(), "others may write");
        fs::write(place.at("target"), b"x").expect("written");
        symlink(place.at("target"), place.at("f/link")).expect("linked");
        assert!(folder.read("link", 8).is_err(), "a link");
        assert!(folder.read("missing", 8).is_err());
        fs::create_dir(place.at("f/folder")).expect("made");
        assert!(folder.read("folder", 8).is_err(), "a folder");
        let fifo = std::ffi::CString::new(place.at("f/fifo").to_str().expect("UTF-8")).expect("no NUL");
        // SAFETY: a path.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        assert!(folder.read("fifo", 8).is_err(), "a FIFO, at once");
        // A link in the place of what is written is replaced, not followed.
        folder.write("link", &[b"new"]).expect("written");
        assert_eq!(fs::read(place.at("target")).expect("read"), b"x");
        assert_eq!(folder.read("link", 8).expect("a file now"), b"new");
    }

    #[test]
    fn files_of_settings() {
        let place = Place::new("settings");
        let path = place.at("f.toml");
        fs::write(&path, b"12345678").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(read_settings(&path, 8).expect("read"), b"12345678");
        symlink(&path, place.at("link")).expect("linked");
        assert_eq!(read_settings(&place.at("link"), 8).expect("read"), b"12345678");
        assert!(read_settings(&path, 7).is_err(), "too large");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o646)).expect("changed");
        assert!(read_settings(&path, 8).is_err(), "others may write");
        assert!(read_settings(&place.0, 8).is_err(), "a folder");
        let missing = read_settings(&place.at("missing"), 8).expect_err("nothing there");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let fifo = std::ffi::CString::new(place.at("fifo").to_str().expect("UTF-8")).expect("no NUL");
        // SAFETY: a path.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        assert!(read_settings(&place.at("fifo"), 8).is_err(), "a FIFO, at once");
    }

    #[test]
    fn other_folders_are_not_used() {
        let place = Place::new("folders");
        fs::create_dir(place.at("real")).expect("made");
        symlink(place.at("real"), place.at("link")).expect("linked");
        assert!(Folder::make(&place.at("link")).is_err(), "a link");
        fs::write(place.at("file"), b"").expect("written");
        assert!(Folder::make(&place.at("file")).is_err(), "a file");
        let folder = Folder::make(&place.at("real")).expect("made");
        folder.write("f", &[b"x"]).expect("written");
        if user() != 0 {
            println!("SKIP: only root can give files to another user");
            return;
        }
        assert!(chown(&place.at("real/f"), 12345));
        assert!(folder.read("f", 8).is_err(), "another's file");
        assert!(chown(&place.at("real"), 12345));
        assert!(Folder::make(&place.at("real")).is_err(), "another's folder");
    }
}

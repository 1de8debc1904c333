//! Memory of another process, which is gone when it is used.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use crate::cl::release;
use crate::peer::Peer;
use crate::{Both, bytes_of, descriptors, device_info, words_of};

const COUNT: usize = 4096;
/// The variable that makes this program the other process: the socket that it sends its descriptor by.
const SOCKET: &str = "PUMICE_TEST_PEER_SOCKET";

/// A message of one byte with a descriptor.
fn send(socket: &UnixStream, descriptor: BorrowedFd<'_>) {
    let mut byte = [1u8];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut control = [0u64; 8];
    // SAFETY: the header's places are valid; the control message has room for a descriptor.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(4) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor.as_raw_fd());
        assert_eq!(libc::sendmsg(socket.as_raw_fd(), &raw const message, 0), 1);
    }
}

/// The descriptor of such a message.
fn receive(socket: &UnixStream) -> OwnedFd {
    let mut byte = [0u8];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut control = [0u64; 8];
    // SAFETY: as above; the descriptor is new.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        assert_eq!(libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC), 1);
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        assert!(!header.is_null() && (*header).cmsg_type == libc::SCM_RIGHTS);
        OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned())
    }
}

/// The other process: exports a buffer with contents, and dies without a word.
fn be_the_other(device: &[u8], socket: &str) -> ! {
    let peer = Peer::new(device).expect("Vulkan");
    let (buffer, shared) = peer.shared_buffer(COUNT as u64 * 4);
    peer.write(buffer, &bytes_of(&(0..COUNT as u32).collect::<Vec<_>>()));
    // SAFETY: the parent left it open for this process.
    let socket = unsafe { UnixStream::from_raw_fd(socket.parse().expect("a number")) };
    send(&socket, std::os::fd::AsFd::as_fd(&peer.export(&shared)));
    // SAFETY: ends the process, as a signal would.
    unsafe { libc::_exit(0) }
}

#[test]
fn memory_of_a_process_that_died() {
    let Some(both) = Both::new() else { return };
    if let Ok(socket) = std::env::var(SOCKET) {
        let device = device_info(both.cl.device, opencl_sys::CL_DEVICE_UUID).expect("a UUID");
        be_the_other(&device, &socket);
    }
    let round = || {
        let (here, there) = UnixStream::pair().expect("a pair");
        // SAFETY: an open descriptor, which the child is to inherit.
        assert_eq!(unsafe { libc::fcntl(there.as_raw_fd(), libc::F_SETFD, 0) }, 0);
        let exe = std::env::current_exe().expect("this executable");
        let mut other = std::process::Command::new(exe)
            .args(["--exact", "processes::memory_of_a_process_that_died"])
            .env(SOCKET, there.as_raw_fd().to_string())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("a process");
        drop(there);
        let descriptor = receive(&here);
        assert!(other.wait().expect("its end").success());
        let memory = both.import(descriptor, COUNT * 4);
        both.acquire(&[memory]);
        let wanted: Vec<u32> = (0..COUNT as u32).collect();
        assert_eq!(words_of(&both.cl.read(memory, 0, COUNT * 4)), wanted);
        both.cl.write(memory, 0, &[7; 4]);
        assert_eq!(both.cl.read(memory, 0, 4), [7; 4]);
        release(memory);
        both.cl.finish();
    };
    round();
    let before = descriptors();
    round();
    assert_eq!(descriptors(), before);
}

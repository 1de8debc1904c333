//! The commands of command queues.
//!
//! | module | what it is |
//! |---|---|
//! | [`command`] | the trait of all commands |
//! | [`request`] | what all clEnqueue* functions share, and how a command is enqueued |
//! | [`external_memory`] | memory that other APIs own in turns |
//! | [`gl`] | objects of OpenGL and EGL |
//! | [`launch`], [`launch_contents`] | kernels; facts about their buffers in the checking mode |
//! | [`native`] | functions of the application |
//! | [`semaphore`] | signals of semaphores, and waits for them |
//! | [`transfer`] | reads, writes, copies, fills, maps of buffers and images |
//! | [`svm_transfer`] | the commands of shared virtual memory |
//! | [`command_buffer`] | commands that are recorded once and enqueued again and again |

pub(crate) mod command;
pub(crate) mod command_buffer;
pub(crate) mod external_memory;
pub(crate) mod gl;
pub(crate) mod launch;
pub(crate) mod launch_contents;
pub(crate) mod native;
pub(crate) mod request;
pub(crate) mod semaphore;
pub(crate) mod svm_transfer;
pub(crate) mod transfer;

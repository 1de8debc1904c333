//! Semaphores within OpenCL (cl_khr_semaphore). What other APIs share is in the program `external`.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use pumice::entry::event::{clGetEventInfo, clReleaseEvent};
use pumice::entry::queue::{clFinish, clFlush};
use pumice::entry::semaphore::*;

use crate::common::*;

const BINARY: [u64; 3] = [CL_SEMAPHORE_TYPE_KHR as u64, CL_SEMAPHORE_TYPE_BINARY_KHR as u64, 0];

fn semaphore(setup: &Setup) -> Handle {
    let mut error = 1;
    // SAFETY: the list ends with a 0; the place is valid.
    let made = unsafe { clCreateSemaphoreWithPropertiesKHR(setup.context, BINARY.as_ptr(), &mut error) };
    assert_eq!(error, 0);
    made
}

fn signal(queue: Handle, semaphores: &[Handle], waits: &[Handle]) -> Handle {
    let (mut event, list) = (null_mut(), if waits.is_empty() { null() } else { waits.as_ptr() });
    // SAFETY: the lists have so many elements; the place is valid.
    let code = unsafe {
        let (count, waits) = (semaphores.len() as u32, waits.len() as u32);
        clEnqueueSignalSemaphoresKHR(queue, count, semaphores.as_ptr(), null(), waits, list, &mut event)
    };
    assert_eq!(code, 0);
    event
}

fn wait_for(queue: Handle, semaphores: &[Handle]) -> Handle {
    let mut event = null_mut();
    // SAFETY: as above.
    let code = unsafe {
        let count = semaphores.len() as u32;
        clEnqueueWaitSemaphoresKHR(queue, count, semaphores.as_ptr(), null(), 0, null(), &mut event)
    };
    assert_eq!(code, 0);
    event
}

fn info(semaphore: Handle, param: u32) -> u64 {
    let (mut value, mut size) = (0u64, 0);
    // SAFETY: room for what is asked for.
    let code = unsafe { clGetSemaphoreInfoKHR(semaphore, param, 8, (&raw mut value).cast(), &mut size) };
    assert_eq!(code, 0, "{param:#x}");
    assert!(size <= 8);
    value
}

fn give_back(semaphores: &[Handle]) {
    // SAFETY: handles that are given back once.
    semaphores.iter().for_each(|s| assert_eq!(unsafe { clReleaseSemaphoreKHR(*s) }, 0));
}

/// A command behind a wait runs after what is before the signal, in another queue, again and again with one semaphore.
#[test]
fn one_queue_waits_for_another() {
    let Some(setup) = setup() else { return };
    for properties in [IN_ORDER, OUT_OF_ORDER] {
        let (first, second) = (setup.queue(IN_ORDER), setup.queue(properties));
        let semaphore = semaphore(&setup);
        for _ in 0..20 {
            let gate = setup.user();
            let held = marker(first, &[gate]);
            let signalled = signal(first, &[semaphore], &[]);
            let waited = wait_for(second, &[semaphore]);
            assert_eq!(info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR), 0);
            assert!(status(waited) > CL_COMPLETE);
            assert_eq!(set(gate, CL_COMPLETE), 0);
            assert_eq!(wait(&[waited]), 0);
            assert_eq!((status(held), status(signalled)), (CL_COMPLETE, CL_COMPLETE));
            release(&[gate, held, signalled, waited], &[]);
        }
        give_back(&[semaphore]);
        release(&[], &[first, second]);
    }
}

/// A wait may be enqueued before the signal; its queue is flushed and goes on when the signal comes.
#[test]
fn a_wait_before_the_signal() {
    let Some(setup) = setup() else { return };
    let (first, second) = (setup.queue(IN_ORDER), setup.queue(OUT_OF_ORDER));
    let semaphores = [semaphore(&setup), semaphore(&setup)];
    let waited = wait_for(first, &semaphores);
    // SAFETY: a handle.
    assert_eq!(unsafe { clFlush(first) }, 0);
    let one = signal(second, &semaphores[..1], &[]);
    assert_eq!(wait(&[one]), 0);
    assert!(status(waited) > CL_COMPLETE, "the other one is missing");
    let gate = setup.user();
    let other = signal(second, &semaphores[1..], &[gate]);
    assert!(status(waited) > CL_COMPLETE);
    assert_eq!(set(gate, CL_COMPLETE), 0);
    assert_eq!(wait(&[waited]), 0);
    // The waits took the signals.
    assert!(semaphores.iter().all(|s| info(*s, CL_SEMAPHORE_PAYLOAD_KHR) == 0));
    release(&[waited, one, other, gate], &[first, second]);
    give_back(&semaphores);
}

/// A signal whose event failed passes the failure on, as events do.
#[test]
fn a_failure_passes_on() {
    let Some(setup) = setup() else { return };
    let queue = setup.queue(OUT_OF_ORDER);
    for before in [false, true] {
        let (semaphore, gate) = (semaphore(&setup), setup.user());
        let early = before.then(|| wait_for(queue, &[semaphore]));
        let signalled = signal(queue, &[semaphore], &[gate]);
        let waited = early.unwrap_or_else(|| wait_for(queue, &[semaphore]));
        assert_eq!(set(gate, -5), 0);
        assert_eq!(wait(&[waited]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert!(status(signalled) < 0 && status(waited) < 0);
        release(&[gate, signalled, waited], &[]);
        give_back(&[semaphore]);
    }
    // An event that has failed already refuses the command.
    let (semaphore, gate) = (semaphore(&setup), setup.user());
    assert_eq!(set(gate, -1), 0);
    // SAFETY: handles, lists of one.
    unsafe {
        let refused = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        let signal = clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, null(), 1, &gate, null_mut());
        let wait = clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, null(), 1, &gate, null_mut());
        assert_eq!((signal, wait), (refused, refused));
    }
    release(&[gate], &[]);
    give_back(&[semaphore]);
    // SAFETY: a handle.
    assert_eq!(unsafe { clFinish(queue) }, 0);
    release(&[], &[queue]);
}

/// What clGetSemaphoreInfoKHR and clGetEventInfo tell; references.
#[test]
fn what_semaphores_tell() {
    let Some(setup) = setup() else { return };
    let (queue, semaphore) = (setup.queue(IN_ORDER), semaphore(&setup));
    assert_eq!(info(semaphore, CL_SEMAPHORE_CONTEXT_KHR), setup.context.addr() as u64);
    assert_eq!(info(semaphore, CL_SEMAPHORE_TYPE_KHR), u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR));
    assert_eq!(info(semaphore, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), setup.device.addr() as u64);
    assert_eq!(info(semaphore, CL_SEMAPHORE_EXPORTABLE_KHR), 0);
    let mut given = [9u64; 4];
    let mut size = 0;
    // SAFETY: room for what is asked for; a handle.
    unsafe {
        let place = given.as_mut_ptr().cast();
        let param = CL_SEMAPHORE_PROPERTIES_KHR;
        assert_eq!(clGetSemaphoreInfoKHR(semaphore, param, 32, place, &mut size), 0);
        assert_eq!(given[..size / 8], BINARY);
        assert_eq!(clRetainSemaphoreKHR(semaphore), 0);
        assert_eq!(info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2);
        assert_eq!(clReleaseSemaphoreKHR(semaphore), 0);
    }
    let signalled = signal(queue, &[semaphore], &[]);
    assert_eq!(wait(&[signalled]), 0);
    assert_eq!(info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR), 1);
    let waited = wait_for(queue, &[semaphore]);
    assert_eq!(info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR), 0);
    for (event, wanted) in
        [(signalled, CL_COMMAND_SEMAPHORE_SIGNAL_KHR), (waited, CL_COMMAND_SEMAPHORE_WAIT_KHR)]
    {
        let mut found = 0u32;
        // SAFETY: a handle; room for an enumeration.
        unsafe {
            let place = (&raw mut found).cast();
            assert_eq!(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, place, null_mut()), 0);
            assert_eq!(clReleaseEvent(event), 0);
        }
        assert_eq!(found, wanted);
    }
    // A semaphore that commands use lives until they are complete.
    let gate = setup.user();
    let (held, waited) = (signal(queue, &[semaphore], &[gate]), wait_for(queue, &[semaphore]));
    give_back(&[semaphore]);
    assert_eq!(set(gate, CL_COMPLETE), 0);
    assert_eq!(wait(&[waited]), 0);
    release(&[gate, held, waited], &[queue]);
}

/// The same in test modes that move commands between streams and reorder them.
#[test]
fn the_same_in_test_modes() {
    crate::again::again_in(module_path!(), &["stage,streams=4", "stage,reorder"]);
}

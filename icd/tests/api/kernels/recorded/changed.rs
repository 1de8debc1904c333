//! Launches of command buffers that are changed (cl_khr_command_buffer_mutable_dispatch).

use super::*;

/// What is changed of a launch, in the structure's terms.
#[derive(Default)]
struct Change<'a> {
    command: Option<Handle>,
    args: Vec<cl::cl_mutable_dispatch_arg_khr>,
    work_dim: u32,
    offset: Option<&'a [usize]>,
    global: Option<&'a [usize]>,
    local: Option<&'a [usize]>,
}

fn arg<T>(index: u32, value: &T) -> cl::cl_mutable_dispatch_arg_khr {
    let value: *const T = value;
    cl::cl_mutable_dispatch_arg_khr { arg_index: index, arg_size: size_of::<T>(), arg_value: value.cast() }
}

fn change(buffer: &Owned, changes: &[Change<'_>]) -> Code {
    let pointer = |list: Option<&[usize]>| list.map_or(null(), <[usize]>::as_ptr);
    let configs: Vec<_> = changes
        .iter()
        .map(|c| cl::cl_mutable_dispatch_config_khr {
            command: c.command.unwrap_or(null_mut()),
            num_args: c.args.len() as u32,
            num_svm_args: 0,
            num_exec_infos: 0,
            work_dim: c.work_dim,
            arg_list: if c.args.is_empty() { null() } else { c.args.as_ptr() },
            arg_svm_list: null(),
            exec_info_list: null(),
            global_work_offset: pointer(c.offset),
            global_work_size: pointer(c.global),
            local_work_size: pointer(c.local),
        })
        .collect();
    let types = vec![cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let mut places: Vec<*const std::ffi::c_void> = configs.iter().map(|c| (&raw const *c).cast()).collect();
    // SAFETY: as many types and structures as are said.
    unsafe { clUpdateMutableCommandsKHR(buffer.0, configs.len() as u32, types.as_ptr(), places.as_mut_ptr()) }
}

/// A command buffer whose launches can be changed.
fn changeable(queue: &Owned) -> Recording {
    let flags = cl::CL_COMMAND_BUFFER_MUTABLE_KHR | cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let (mut error, list) = (1, [cl::CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0]);
    // SAFETY: one queue; the list is whole.
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue.0, list.as_ptr(), &mut error) };
    assert_eq!(error, 0);
    Recording { buffer: Owned(buffer, release) }
}

/// Records a launch that can be changed; its handle.
fn launch(
    r: &Recording,
    kernel: &Owned,
    properties: &[u64],
    global: usize,
    local: Option<usize>,
) -> Result<Handle, Code> {
    let (mut handle, none) = (null_mut(), null_mut());
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    let local = local.as_ref().map_or(null(), |l| &raw const *l);
    // SAFETY: one dimension.
    let code = unsafe {
        let (b, k) = (r.buffer.0, kernel.0);
        clCommandNDRangeKernelKHR(
            b,
            none,
            list,
            k,
            1,
            null(),
            &global,
            local,
            0,
            null(),
            null_mut(),
            &mut handle,
        )
    };
    if code == 0 { Ok(handle) } else { Err(code) }
}

fn about(command: Handle, param: u32) -> Result<Vec<u8>, Code> {
    // SAFETY: the place has the size that it is said to have.
    query(|n, v, s| unsafe { clGetMutableCommandInfoKHR(command, param, n, v, s) })
}

#[test]
fn launches_of_a_command_buffer_are_changed_between_enqueues() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let add = kernel(&program, "add").expect("a kernel");
    for properties in [0, OUT_OF_ORDER] {
        let own = queue(&s, properties);
        let (a, b) = (s.buffer(256), s.buffer(256));
        s.write(&a, &[0; 64]);
        s.write(&b, &[0; 64]);
        let recording = changeable(&own);
        assert_eq!((set(&add, 0, a.0), set(&add, 1, 1u32)), (0, 0));
        let mut commands = Vec::new();
        for _ in 0..6 {
            commands.push(launch(&recording, &add, &[], 64, Some(8)).expect("recorded"));
        }
        let buffer = recording.finalized();
        let mut event = enqueue(&buffer, None, &[]).expect("enqueued");
        // Nothing waits for what is under way: that is as it was.
        let (other, two, half) = (b.0, 2u32, [32usize]);
        let to_b = Change { command: Some(commands[3]), args: vec![arg(0, &other)], ..Change::default() };
        let by_two = Change { command: Some(commands[0]), args: vec![arg(1, &two)], ..Change::default() };
        let part = Change {
            command: Some(commands[0]),
            global: Some(&half),
            offset: Some(&half),
            ..Change::default()
        };
        assert_eq!(change(&buffer, &[to_b, by_two, part]), 0);
        for _ in 0..3 {
            event = enqueue(&buffer, None, &[event.0]).expect("enqueued");
        }
        wait(&event);
        let expected: Vec<u32> = (0..64).map(|i| if i < 32 { 6 + 3 * 4 } else { 6 + 3 * 6 }).collect();
        assert_eq!((s.read(&a, 64), s.read(&b, 64)), (expected, vec![3; 64]));
        assert_eq!(numbers(about(commands[0], cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR)), [32]);
        assert_eq!(numbers(about(commands[0], cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR)), [32]);
        assert_eq!(numbers(about(commands[0], cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR)), [8]);
        assert_eq!(numbers(about(commands[1], cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR)), [64]);
        assert_eq!(number(about(commands[0], cl::CL_MUTABLE_DISPATCH_KERNEL_KHR)), add.0.addr() as u64);
        assert_eq!(
            number(about(commands[0], cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR)),
            buffer.0.addr() as u64
        );
        assert_eq!(number(about(commands[0], cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR)), own.0.addr() as u64);
        let first = commands[0];
        drop(buffer);
        let gone = about(first, cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR);
        assert_eq!(gone.err(), Some(cl::CL_INVALID_MUTABLE_COMMAND_KHR), "it goes with its command buffer");
    }
}

#[test]
fn arguments_may_come_after_the_recording() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (add, a) = (kernel(&program, "add").expect("a kernel"), s.buffer(256));
    s.write(&a, &[0; 64]);
    let fields = [cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];
    assert_eq!(set(&add, 1, 4u32), 0);
    let recording = changeable(&s.queue);
    assert_eq!(launch(&recording, &add, &[], 64, None).err(), Some(cl::CL_INVALID_KERNEL_ARGS));
    let command = launch(&recording, &add, &fields, 64, None).expect("recorded");
    assert_eq!(numbers(about(command, cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR)), fields);
    let buffer = recording.finalized();
    assert_eq!(number(info(&buffer, cl::CL_COMMAND_BUFFER_STATE_KHR)), 2);
    assert_eq!(enqueue(&buffer, None, &[]).err(), Some(cl::CL_INVALID_OPERATION));
    let place = a.0;
    let given = Change { command: Some(command), args: vec![arg(0, &place)], ..Change::default() };
    assert_eq!(change(&buffer, &[given]), 0);
    assert_eq!(number(info(&buffer, cl::CL_COMMAND_BUFFER_STATE_KHR)), 1);
    wait(&enqueue(&buffer, None, &[]).expect("enqueued"));
    assert_eq!(s.read(&a, 64), [4; 64]);
}

#[test]
fn changes_are_refused_as_a_whole() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (add, a) = (kernel(&program, "add").expect("a kernel"), s.buffer(256));
    s.write(&a, &[0; 64]);
    assert_eq!((set(&add, 0, a.0), set(&add, 1, 1u32)), (0, 0));
    let fields = |bits| [cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, bits, 0];
    let recording = changeable(&s.queue);
    let all = launch(&recording, &add, &[], 64, Some(8)).expect("recorded");
    let sizes = fields(cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR);
    let only_size = launch(&recording, &add, &sizes, 64, Some(8)).expect("recorded");
    let asserts = [cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR, 1, 0];
    assert_eq!(launch(&recording, &add, &asserts, 64, None).err(), Some(cl::CL_INVALID_VALUE));
    for wrong in [[77, 1, 0], fields(1 << 20), [cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0]] {
        assert_eq!(launch(&recording, &add, &wrong, 64, None).err(), Some(cl::CL_INVALID_VALUE), "{wrong:?}");
    }
    let of = |command| Change { command: Some(command), ..Change::default() };
    assert_eq!(change(&recording.buffer, &[of(all)]), cl::CL_INVALID_OPERATION, "not finalized");
    let buffer = recording.finalized();
    let other = changeable(&s.queue);
    let elsewhere = launch(&other, &add, &[], 64, None).expect("recorded");
    let (five, odd, half) = (5u32, [60usize], [32usize]);
    let operation = cl::CL_INVALID_OPERATION;
    for (wrong, code) in [
        (of(elsewhere), cl::CL_INVALID_MUTABLE_COMMAND_KHR),
        (of(a.0), cl::CL_INVALID_MUTABLE_COMMAND_KHR),
        (Change { args: vec![arg(1, &five)], ..of(only_size) }, operation),
        (Change { offset: Some(&half), ..of(only_size) }, operation),
        (Change { local: Some(&half), ..of(only_size) }, operation),
        (Change { work_dim: 2, ..of(all) }, operation),
        (Change { global: Some(&odd), ..of(all) }, operation),
        (Change { args: vec![arg(7, &five)], ..of(all) }, cl::CL_INVALID_ARG_INDEX),
        (Change { args: vec![arg(1, &0u64)], ..of(all) }, cl::CL_INVALID_ARG_SIZE),
        (
            Change { local: Some(&[1 << 30]), global: Some(&[1 << 30]), ..of(all) },
            cl::CL_INVALID_WORK_ITEM_SIZE,
        ),
    ] {
        // The first of them would do.
        let right = Change { args: vec![arg(1, &five)], work_dim: 1, ..of(all) };
        assert_eq!(change(&buffer, &[right, wrong]), code);
    }
    wait(&enqueue(&buffer, None, &[]).expect("enqueued"));
    assert_eq!(s.read(&a, 64), [2; 64], "nothing was changed");
    let right = Change { global: Some(&half), work_dim: 1, ..of(only_size) };
    assert_eq!(change(&buffer, &[right]), 0);
    wait(&enqueue(&buffer, None, &[]).expect("enqueued"));
    let expected: Vec<u32> = (0..64).map(|i| if i < 32 { 4 } else { 3 }).collect();
    assert_eq!(s.read(&a, 64), expected);
}

// Device-side enqueue (OpenCL C §6.15.17): kernels write packets to memory, and the host launches what they ask for.
//
// `lower/src/enqueue` replaces the instructions of SPIR-V by calls of these functions. Each launch has a record: the address of the arena, and the
// event that owns what the launch enqueues. The arena belongs to one launch of the host and all that comes from it. `enqueue/layout.rs` has the
// same numbers.
//
// No function has a loop but those over wait lists and over STEPS packets: drivers that end long loops would need larger kernels.

// The words of the arena's header. The first four are the record of the host's launch.
#define NEXT 4          // where the next packet begins, in units of 16 bytes from the arena's start
#define END 5           // where packets end, in the same units
#define PACKETS 6       // the number of packets
#define INDEX 7         // the word where the list of packets begins
#define FREE_EVENTS 8   // the number of events that are free again
#define FREE_LIST 9     // the word where the list of them begins
#define EVENTS 10       // the word where the events begin
#define MAX_EVENTS 11
#define NEW_EVENTS 12   // the number of events that were used so far
#define BLOCKS 13       // the word where the blocks' properties begin
#define QUEUES 14       // the word where the queues begin
#define QUEUE_COUNT 15
#define DEFAULT_QUEUE 16 // the number of the default queue, or 0
#define UNIFORM 17       // work-groups have to divide NDRanges
#define SUB_GROUP_SIZE 18
#define FROM 19        // where the packets of the present generation begin, in units
#define FIRST 20       // where the first half of the packets' memory begins
#define HALF_UNITS 21  // the units of a half
#define BLOCK_COUNT 22 // the number of blocks, at most THREADS
#define HALT 23        // the host has to go on
#define GENERATIONS 24 // the number of generations that were launched without the host
#define KNOWN_NEW 25   // NEW_EVENTS and FREE_EVENTS when the host last looked: it alone gives events free
#define KNOWN_FREE 26

// A block's words. The host writes what it knows of those whose kernels need no host.
#define BLOCK_WORDS 12
#define BLOCK_KIND 2   // 0, ANY_SIZE or ONE_SIZE
#define BLOCK_HEADER 3 // the word where the header of its batch begins, with the list behind it
#define BLOCK_ROOM 4   // the length of the list
#define BLOCK_SIZE 5   // the work-group size
#define BLOCK_GROUPS 8 // the most work-groups along x
#define ANY_SIZE 1
#define ONE_SIZE 2

// The words of a batch's header.
#define BATCH_X 0
#define BATCH_Y 1
#define BATCH_Z 2
#define BATCH_COUNT 3
#define BATCH_WORDS 8
#define ROW 32768u

// The scheduler's work-group, and how many packets each of its work-items sorts.
#define THREADS 64
#define STEPS 2048

// A packet's words.
#define PACKET_ALIGN 0 // of the captures
#define PACKET_KIND 1
#define PACKET_OWNER 2
#define PACKET_EVENT 3
#define PACKET_BLOCK 4
#define PACKET_DIMENSIONS 5
#define PACKET_WAITS 6
#define PACKET_LOCALS 7
#define PACKET_CAPTURES 8
#define PACKET_QUEUE 9
#define PACKET_RANGE 10 // offset, global size and local size, each three numbers of two words
#define PACKET_LIST 28  // the events of the wait list, then the sizes of local arguments; the record and the captures are behind them

#define KERNEL 1
#define MARKER 2
#define PROFILE 3

// An event's words.
#define EVENT_WORDS 8
#define REFERENCES 0
#define STATUS 1
#define IS_USER 2
#define TIMES 4

#define QUEUED 3
#define UNITS(bytes) (((bytes) + 15) / 16)
#define RECORD_UNITS 1

static global uint *arena_of(global const uint *record) { return *(global uint *global const *)record; }

static global uint *event_at(global uint *arena, ulong event) { return arena + arena[EVENTS] + EVENT_WORDS * (uint)event; }

static bool is_event(global uint *arena, ulong event) {
    uint used = atomic_load_explicit((global atomic_uint *)(arena + NEW_EVENTS), memory_order_relaxed, memory_scope_device);
    if (event == 0 || event > min(used, arena[MAX_EVENTS])) return false;
    return atomic_load_explicit((global atomic_int *)event_at(arena, event), memory_order_relaxed, memory_scope_device) > 0;
}

// An event that nobody uses; 0 if there is none.
static uint new_event(global uint *arena, bool is_user) {
    global atomic_int *free = (global atomic_int *)(arena + FREE_EVENTS);
    int left = atomic_fetch_sub_explicit(free, 1, memory_order_relaxed, memory_scope_device);
    uint event;
    if (left > 0) {
        event = arena[arena[FREE_LIST] + left - 1];
    } else {
        atomic_fetch_add_explicit(free, 1, memory_order_relaxed, memory_scope_device);
        event = atomic_fetch_add_explicit((global atomic_uint *)(arena + NEW_EVENTS), 1u, memory_order_relaxed, memory_scope_device) + 1;
        if (event > arena[MAX_EVENTS]) return 0;
    }
    global uint *words = event_at(arena, event);
    words[STATUS] = QUEUED;
    words[IS_USER] = is_user;
    *(global ulong *)(words + TIMES) = 0;
    *(global ulong *)(words + TIMES + 2) = 0;
    atomic_store_explicit((global atomic_int *)words, 1, memory_order_relaxed, memory_scope_device);
    return event;
}

// Room for a packet; 0 if there is none.
static uint room(global uint *arena, uint units) {
    uint at = atomic_fetch_add_explicit((global atomic_uint *)(arena + NEXT), units, memory_order_relaxed, memory_scope_device);
    uint end = arena[END];
    return at < end && units <= end - at ? at : 0;
}

static void tell(global uint *arena, uint packet) {
    uint n = atomic_fetch_add_explicit((global atomic_uint *)(arena + PACKETS), 1u, memory_order_relaxed, memory_scope_device);
    arena[arena[INDEX] + n] = packet;
}

// The error of a wait list, or 0.
static int wait_list(global uint *arena, uint waits, const ulong *list) {
    if (waits > 0 && list == 0) return CLK_INVALID_EVENT_WAIT_LIST;
    for (uint i = 0; i < waits; i++)
        if (!is_event(arena, list[i])) return CLK_INVALID_EVENT_WAIT_LIST;
    return 0;
}

// A packet for a queue, with its event and its wait list. The result is its place, or a negative error.
static int packet(global const uint *record, ulong queue, uint kind, uint waits, const ulong *list, ulong *ret, uint locals, uint captures) {
    global uint *arena = arena_of(record);
    if (queue == 0 || queue > arena[QUEUE_COUNT]) return CLK_INVALID_QUEUE;
    int wrong = wait_list(arena, waits, list);
    if (wrong) return wrong;
    if (waits > arena[MAX_EVENTS]) return CLK_INVALID_EVENT_WAIT_LIST;
    uint units = UNITS(4 * (PACKET_LIST + waits + locals)) + (kind == KERNEL ? RECORD_UNITS : 0) + UNITS(captures);
    global atomic_uint *used = (global atomic_uint *)(arena + arena[QUEUES] + 4 * (uint)queue + 1);
    uint size = arena[arena[QUEUES] + 4 * (uint)queue];
    uint before = atomic_fetch_add_explicit(used, units, memory_order_relaxed, memory_scope_device);
    uint at = before < size && units <= size - before ? room(arena, units) : 0;
    uint event = 0;
    if (at != 0 && ret != 0) event = new_event(arena, false);
    if (at == 0 || (ret != 0 && event == 0)) {
        atomic_fetch_sub_explicit(used, units, memory_order_relaxed, memory_scope_device);
        return at == 0 ? CLK_DEVICE_QUEUE_FULL : CLK_EVENT_ALLOCATION_FAILURE;
    }
    global uint *words = arena + 4 * (size_t)at;
    words[PACKET_KIND] = kind;
    words[PACKET_OWNER] = record[2];
    words[PACKET_EVENT] = event;
    words[PACKET_WAITS] = waits;
    words[PACKET_LOCALS] = locals;
    words[PACKET_CAPTURES] = captures;
    words[PACKET_QUEUE] = (uint)queue;
    for (uint i = 0; i < waits; i++) words[PACKET_LIST + i] = (uint)list[i];
    // The place of the event may be one of the list.
    if (ret != 0) *ret = event;
    tell(arena, at);
    return (int)at;
}

static bool is_range(global const uint *arena, uint dimensions, ulong3 offset, ulong3 global_size, ulong3 local_size, uint block) {
    if (dimensions < 1 || dimensions > 3) return false;
    if (local_size.x == 0 && local_size.y == 0 && local_size.z == 0) return true;
    if (dimensions < 3) { local_size.z = 1; global_size.z = 1; }
    if (dimensions < 2) { local_size.y = 1; global_size.y = 1; }
    uint most = arena[arena[BLOCKS] + BLOCK_WORDS * block];
    if (local_size.x == 0 || local_size.y == 0 || local_size.z == 0) return false;
    if (local_size.x > most || local_size.y > most || local_size.z > most) return false;
    if (local_size.x * local_size.y * local_size.z > most) return false;
    if (!arena[UNIFORM]) return true;
    return global_size.x % local_size.x == 0 && global_size.y % local_size.y == 0 && global_size.z % local_size.z == 0;
}

// Enqueues a kernel, whose captures and local arguments the caller writes.
int pumice_enqueue_begin(global uint *record, ulong queue, uint flags, uint dimensions, ulong3 offset, ulong3 global_size, ulong3 local_size,
                         uint waits, const ulong *list, ulong *ret, uint block, uint locals, uint captures, uint align) {
    global uint *arena = arena_of(record);
    if (flags > CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP) return CLK_ENQUEUE_FAILURE;
    if (!is_range(arena, dimensions, offset, global_size, local_size, block)) return CLK_INVALID_NDRANGE;
    int at = packet(record, queue, KERNEL, waits, list, ret, locals, captures);
    if (at <= 0) return at;
    global uint *words = arena + 4 * (size_t)at;
    words[PACKET_ALIGN] = align;
    words[PACKET_BLOCK] = block;
    words[PACKET_DIMENSIONS] = dimensions;
    if (dimensions < 3) { offset.z = 0; global_size.z = 1; }
    if (dimensions < 2) { offset.y = 0; global_size.y = 1; }
    global uint *own = words + 4 * UNITS(4 * (PACKET_LIST + waits + locals));
    own[0] = record[0];
    own[1] = record[1];
    own[2] = words[PACKET_EVENT] != 0 ? words[PACKET_EVENT] : record[2];
    own[3] = 0;
    global ulong *range = (global ulong *)(words + PACKET_RANGE);
    range[0] = offset.x;
    range[1] = offset.y;
    range[2] = offset.z;
    range[3] = global_size.x;
    range[4] = global_size.y;
    range[5] = global_size.z;
    range[6] = local_size.x;
    range[7] = local_size.y;
    range[8] = local_size.z;
    return at;
}

// The place of a packet's captures.
global uchar *pumice_enqueue_captures(global uint *record, int at) {
    global uint *words = arena_of(record) + 4 * (size_t)at;
    return (global uchar *)words + 16 * (size_t)(UNITS(4 * (PACKET_LIST + words[PACKET_WAITS] + words[PACKET_LOCALS])) + RECORD_UNITS);
}

// Notes the size of a local argument. The size has a word: what is larger no device has.
void pumice_enqueue_local(global uint *record, int at, uint n, ulong size) {
    global uint *words = arena_of(record) + 4 * (size_t)at;
    words[PACKET_LIST + words[PACKET_WAITS] + n] = (uint)min(size, (ulong)UINT_MAX);
}

int pumice_enqueue_marker(global uint *record, ulong queue, uint waits, const ulong *list, ulong *ret) {
    int at = packet(record, queue, MARKER, waits, list, ret, 0, 0);
    return at > 0 ? CLK_SUCCESS : at;
}

ulong pumice_enqueue_default_queue(global uint *record) { return arena_of(record)[DEFAULT_QUEUE]; }

ulong pumice_enqueue_user_event(global uint *record) { return new_event(arena_of(record), true); }

bool pumice_enqueue_is_event(global uint *record, ulong event) { return is_event(arena_of(record), event); }

void pumice_enqueue_retain(global uint *record, ulong event) {
    global uint *arena = arena_of(record);
    if (is_event(arena, event))
        atomic_fetch_add_explicit((global atomic_int *)event_at(arena, event), 1, memory_order_relaxed, memory_scope_device);
}

void pumice_enqueue_release(global uint *record, ulong event) {
    global uint *arena = arena_of(record);
    if (is_event(arena, event))
        atomic_fetch_sub_explicit((global atomic_int *)event_at(arena, event), 1, memory_order_relaxed, memory_scope_device);
}

void pumice_enqueue_set_status(global uint *record, ulong event, int status) {
    global uint *arena = arena_of(record);
    if (!is_event(arena, event) || status > 0) return;
    global uint *words = event_at(arena, event);
    if (words[IS_USER])
        atomic_store_explicit((global atomic_int *)(words + STATUS), status, memory_order_relaxed, memory_scope_device);
}

// Gives the times of a command, now or when it is complete.
void pumice_enqueue_profile(global uint *record, ulong event, uint what, global uchar *to) {
    global uint *arena = arena_of(record);
    if (what != CLK_PROFILING_COMMAND_EXEC_TIME || !is_event(arena, event)) return;
    global uint *words = event_at(arena, event);
    if (words[IS_USER]) return;
    if (words[STATUS] == 0) {
        global ulong *times = (global ulong *)to;
        times[0] = *(global ulong *)(words + TIMES);
        times[1] = *(global ulong *)(words + TIMES + 2);
        return;
    }
    uint at = room(arena, UNITS(4 * PACKET_LIST));
    if (at == 0) return;
    global uint *told = arena + 4 * (size_t)at;
    told[PACKET_ALIGN] = 1;
    told[PACKET_KIND] = PROFILE;
    told[PACKET_OWNER] = record[2];
    told[PACKET_EVENT] = (uint)event;
    told[PACKET_WAITS] = 0;
    told[PACKET_LOCALS] = 0;
    told[PACKET_CAPTURES] = 0;
    told[PACKET_QUEUE] = 0;
    *(global ulong *)(told + PACKET_RANGE) = (ulong)to;
    tell(arena, at);
}

// Writes times that a kernel asked for: the host knows them when the command is complete. The record has the address behind it, and the times.
void pumice_enqueue_write_times(global uint *record) {
    global ulong *values = (global ulong *)(record + 4);
    global ulong *to = (global ulong *)values[0];
    to[0] = values[1];
    to[1] = values[2];
}

uint pumice_enqueue_work_group_size(global uint *record, uint block) {
    global uint *arena = arena_of(record);
    return arena[arena[BLOCKS] + BLOCK_WORDS * block];
}

uint pumice_enqueue_size_multiple(global uint *record, uint block) {
    global uint *arena = arena_of(record);
    return arena[arena[BLOCKS] + BLOCK_WORDS * block + 1];
}

// The sub-groups of a work-group. A range without a work-group size has the largest one, unless it is smaller itself.
uint pumice_enqueue_sub_groups(global uint *record, ulong3 global_size, ulong3 local_size, uint block) {
    global uint *arena = arena_of(record);
    ulong3 size = local_size.x == 0 ? global_size : local_size;
    ulong items = max(size.x, 1ul) * max(size.y, 1ul) * max(size.z, 1ul);
    items = min(items, (ulong)arena[arena[BLOCKS] + BLOCK_WORDS * block]);
    uint sub_group = arena[SUB_GROUP_SIZE];
    return ((uint)items + sub_group - 1) / sub_group;
}

uint pumice_enqueue_sub_group_size(global uint *record) { return arena_of(record)[SUB_GROUP_SIZE]; }

// Returns whether a dimension of an NDRange is short enough, and of whole work-groups where these have one size. `groups` is multiplied.
static bool dimension(global const uint *range, global const uint *block, uint d, ulong *groups) {
    uint size = block[BLOCK_SIZE + d], items = range[6 + 2 * d];
    ulong end = (ulong)range[2 * d] + items;
    if (range[2 * d + 1] != 0 || range[6 + 2 * d + 1] != 0 || end > 0x80000000ul) return false;
    *groups *= (items + size - 1) / size;
    if (block[BLOCK_KIND] == ANY_SIZE) return size > 1 || items <= 1 || d > 0;
    return items % size == 0;
}

// Returns whether a packet has the work-group size of its block's dispatches, or leaves it open.
static bool has_size(global const uint *words, global const uint *block) {
    global const uint *local_size = words + PACKET_RANGE + 12;
    uint dimensions = words[PACKET_DIMENSIONS];
    uint y = dimensions > 1 ? local_size[2] : 1, z = dimensions > 2 ? local_size[4] : 1;
    if (local_size[0] == 0) return true;
    return local_size[0] == block[BLOCK_SIZE] && y == block[BLOCK_SIZE + 1] && z == block[BLOCK_SIZE + 2];
}

// Puts a packet into its block's batch. False for one that needs the host.
static bool sort(global uint *arena, uint at) {
    if (at < arena[FROM] || at - arena[FROM] >= arena[HALF_UNITS]) return false;
    global uint *words = arena + 4 * (size_t)at;
    if (words[PACKET_KIND] != KERNEL || words[PACKET_OWNER] != 0 || words[PACKET_EVENT] != 0) return false;
    if (words[PACKET_WAITS] != 0 || words[PACKET_LOCALS] != 0 || words[PACKET_ALIGN] > 16) return false;
    uint number = words[PACKET_BLOCK];
    if (number >= arena[BLOCK_COUNT]) return false;
    global uint *block = arena + arena[BLOCKS] + BLOCK_WORDS * number;
    if (block[BLOCK_KIND] == 0 || (block[BLOCK_KIND] == ONE_SIZE && !has_size(words, block))) return false;
    global const uint *range = words + PACKET_RANGE;
    ulong groups = 1;
    if (!dimension(range, block, 0, &groups) || !dimension(range, block, 1, &groups) || groups > block[BLOCK_GROUPS]) return false;
    if (!dimension(range, block, 2, &groups) || groups > block[BLOCK_GROUPS]) return false;
    if (groups == 0) return true;
    global uint *batch = arena + block[BLOCK_HEADER];
    uint n = atomic_fetch_add_explicit((global atomic_uint *)(batch + BATCH_COUNT), 1u, memory_order_relaxed, memory_scope_device);
    if (n >= block[BLOCK_ROOM]) return false;
    batch[BATCH_WORDS + n] = at;
    atomic_fetch_max_explicit((global atomic_uint *)(batch + BATCH_X), (uint)groups, memory_order_relaxed, memory_scope_device);
    // The sum, until all are sorted.
    atomic_fetch_add_explicit((global atomic_uint *)(batch + BATCH_Y), (uint)groups, memory_order_relaxed, memory_scope_device);
    return true;
}

static void halt(global uint *arena) {
    atomic_fetch_or_explicit((global atomic_uint *)(arena + HALT), 1u, memory_order_relaxed, memory_scope_device);
}

// Writes the numbers of work-groups of the dispatches that launch a generation, from the packets that the last one wrote. If the host has to
// look at one of them, they are zeros, and the packets stay. One work-group runs it.
void pumice_enqueue_schedule(global uint *record) {
    global uint *arena = arena_of(record);
    uint thread = get_local_id(0);
    uint count = arena[PACKETS];
    global uint *batch = 0;
    if (thread < arena[BLOCK_COUNT]) {
        batch = arena + arena[arena[BLOCKS] + BLOCK_WORDS * thread + BLOCK_HEADER];
        batch[BATCH_X] = 0;
        batch[BATCH_Y] = 0;
        batch[BATCH_Z] = 0;
        batch[BATCH_COUNT] = 0;
    }
    bool stands = arena[HALT] != 0 || count == 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    bool events = arena[NEW_EVENTS] != arena[KNOWN_NEW] || arena[FREE_EVENTS] != arena[KNOWN_FREE];
    if (events || count > STEPS * THREADS) halt(arena);
    if (!stands) {
        global const uint *index = arena + arena[INDEX];
        for (uint i = 0; i < STEPS; i++) {
            uint n = i * THREADS + thread;
            if (n >= count) break;
            if (!sort(arena, index[n])) {
                halt(arena);
                break;
            }
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    // Each kernel has as many work-groups as the largest.
    if (batch != 0 && (ulong)batch[BATCH_X] * batch[BATCH_COUNT] > 4 * (ulong)batch[BATCH_Y] + 4096) halt(arena);
    barrier(CLK_GLOBAL_MEM_FENCE);
    bool launches = !stands && arena[HALT] == 0;
    if (batch != 0) {
        uint kernels = launches ? batch[BATCH_COUNT] : 0;
        if (kernels == 0) batch[BATCH_X] = 0;
        batch[BATCH_Y] = min(kernels, ROW);
        batch[BATCH_Z] = (kernels + ROW - 1) / ROW;
    }
    if (!launches) return;
    // The queues are empty again.
    if (thread < arena[QUEUE_COUNT]) arena[arena[QUEUES] + 4 * (thread + 1) + 1] = 0;
    if (thread == 0) {
        uint from = arena[FROM] == arena[FIRST] ? arena[FIRST] + arena[HALF_UNITS] : arena[FIRST];
        arena[FROM] = from;
        arena[NEXT] = from;
        arena[END] = from + arena[HALF_UNITS];
        arena[PACKETS] = 0;
        arena[GENERATIONS]++;
    }
}

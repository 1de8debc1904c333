// Pipes (OpenCL C §6.15.18): queues of packets in a buffer, for any number of readers and writers.
//
// `lower/src/pipes` replaces the instructions of pipes by calls of these functions. The host writes the header (`PipeLayout` there).
// A position counts packets and wraps around at WRAP, a multiple of the number of packets. Packet n of lap l has the state 2l while it
// is free, and 2l + 1 when it has been written. Positions are reserved by compare-exchange, and states are published with release.
//
// A reservation is its first position and its number of packets. None has the number 0.

#define PACKETS 0 // how many packets the pipe holds
#define SIZE 1    // the bytes of a packet
#define DATA 2    // the first byte of the packets
#define WRAP 3
#define READ 4    // the next position to read
#define WRITTEN 5 // the next position to write
#define STATES 16 // the first state

#define NONE 0xffffffffu

static uint later(global const uint *words, uint position, uint n) {
    uint left = words[WRAP] - position;
    return n < left ? position + n : n - left;
}

// The state of a packet that may be reserved: free for a writer, written for a reader.
static uint ready(global const uint *words, uint position, int word) {
    return 2 * (position / words[PACKETS]) + (word == READ);
}

static global atomic_uint *state(global uint *words, uint position) {
    return (global atomic_uint *)(words + STATES) + position % words[PACKETS];
}

// Reserves n packets in a row, and returns the first position.
static uint reserve(global uint *words, int word, uint n) {
    if (n == 0 || n > words[PACKETS]) return NONE;
    global atomic_uint *next = (global atomic_uint *)(words + word);
    uint position = atomic_load_explicit(next, memory_order_relaxed, memory_scope_device);
    for (;;) {
        uint k = 0, p = position;
        while (k < n && atomic_load_explicit(state(words, p), memory_order_acquire, memory_scope_device) == ready(words, p, word)) {
            p = later(words, p, 1);
            k++;
        }
        if (k == n) {
            if (atomic_compare_exchange_strong_explicit(next, &position, p, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
                return position;
        } else {
            // Another work-item may have taken the packets in between.
            uint now = atomic_load_explicit(next, memory_order_relaxed, memory_scope_device);
            if (now == position) return NONE;
            position = now;
        }
    }
}

static void commit(global uint *words, int word, uint position, uint n) {
    for (; n > 0; n--) {
        uint after = word == READ ? ready(words, later(words, position, words[PACKETS]), WRITTEN) : ready(words, position, READ);
        atomic_store_explicit(state(words, position), after, memory_order_release, memory_scope_device);
        position = later(words, position, 1);
    }
}

static uint2 reservation(global uint *words, int word, uint n) {
    uint position = reserve(words, word, n);
    return position == NONE ? (uint2)(0, 0) : (uint2)(position, n);
}

// The address of the packet at a position.
global uchar *pumice_pipe_packet(global uint *words, uint position) {
    return (global uchar *)words + words[DATA] + (size_t)(position % words[PACKETS]) * words[SIZE];
}

// The position of packet n of a reservation; NONE if it has fewer.
uint pumice_pipe_reserved(global uint *words, uint2 id, uint n) { return n < id.y ? later(words, id.x, n) : NONE; }

uint pumice_pipe_begin_read(global uint *words) { return reserve(words, READ, 1); }
uint pumice_pipe_begin_write(global uint *words) { return reserve(words, WRITTEN, 1); }
void pumice_pipe_end_read(global uint *words, uint position) { commit(words, READ, position, 1); }
void pumice_pipe_end_write(global uint *words, uint position) { commit(words, WRITTEN, position, 1); }

uint2 pumice_pipe_reserve_read(global uint *words, uint n) { return reservation(words, READ, n); }
uint2 pumice_pipe_reserve_write(global uint *words, uint n) { return reservation(words, WRITTEN, n); }
void pumice_pipe_commit_read(global uint *words, uint2 id) { commit(words, READ, id.x, id.y); }
void pumice_pipe_commit_write(global uint *words, uint2 id) { commit(words, WRITTEN, id.x, id.y); }

// Reservations of a group: the first member makes them and ends them, when all have come.
static uint2 group_reservation(global uint *words, int word, uint n) {
    uint2 id = (uint2)(0, 0);
    if (get_local_linear_id() == 0) id = reservation(words, word, n);
    return (uint2)(work_group_broadcast(id.x, 0, 0, 0), work_group_broadcast(id.y, 0, 0, 0));
}

static void group_commit(global uint *words, int word, uint2 id) {
    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_local_linear_id() == 0) commit(words, word, id.x, id.y);
}

uint2 pumice_pipe_group_reserve_read(global uint *words, uint n) { return group_reservation(words, READ, n); }
uint2 pumice_pipe_group_reserve_write(global uint *words, uint n) { return group_reservation(words, WRITTEN, n); }
void pumice_pipe_group_commit_read(global uint *words, uint2 id) { group_commit(words, READ, id); }
void pumice_pipe_group_commit_write(global uint *words, uint2 id) { group_commit(words, WRITTEN, id); }

static uint2 sub_group_reservation(global uint *words, int word, uint n) {
    uint2 id = (uint2)(0, 0);
    if (get_sub_group_local_id() == 0) id = reservation(words, word, n);
    return (uint2)(sub_group_broadcast(id.x, 0), sub_group_broadcast(id.y, 0));
}

static void sub_group_commit(global uint *words, int word, uint2 id) {
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_local_id() == 0) commit(words, word, id.x, id.y);
}

uint2 pumice_pipe_sub_group_reserve_read(global uint *words, uint n) { return sub_group_reservation(words, READ, n); }
uint2 pumice_pipe_sub_group_reserve_write(global uint *words, uint n) { return sub_group_reservation(words, WRITTEN, n); }
void pumice_pipe_sub_group_commit_read(global uint *words, uint2 id) { sub_group_commit(words, READ, id); }
void pumice_pipe_sub_group_commit_write(global uint *words, uint2 id) { sub_group_commit(words, WRITTEN, id); }

uint pumice_pipe_num_packets(global uint *words) {
    uint read = atomic_load_explicit((global atomic_uint *)(words + READ), memory_order_relaxed, memory_scope_device);
    uint written = atomic_load_explicit((global atomic_uint *)(words + WRITTEN), memory_order_relaxed, memory_scope_device);
    uint between = written >= read ? written - read : written + (words[WRAP] - read);
    // The two were not loaded at one time.
    return min(between, words[PACKETS]);
}

uint pumice_pipe_max_packets(global uint *words) { return words[PACKETS]; }

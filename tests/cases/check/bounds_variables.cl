// Variables: __local, private, program-scope; and __local arguments.
// run: --check --kernel loc --global 16 --local 8 --arg int[16] --arg local:32 --print out
// reports: 18 bounds: beyond the __local memory of argument 1 'tile'
// prints: out: 22 20 18 16 14 12 10 0 22 20 18 16 14 12 10 0
// run: --check --kernel var --global 8 --local 8 --arg int[8] --arg int:1 --print out
// reports: 24 bounds: a write of 4 bytes beyond the __local variable 'tile'
// prints: out: 0 0 1 2 3 4 5 6
// run: --check --kernel priv --global 2 --arg int[2] --arg int:6 --print out
// reports: 31 bounds: a write of 4 bytes beyond the private variable 'a'
// reports: 33 bounds: a read of 4 bytes beyond the private variable 'a'
// prints: out: 6 6
// run: --check --kernel constants --global 8 --arg int[8] --print out
// reports: 38 bounds: a read of 4 bytes beyond the program-scope variable 'table'
// prints: out: 1 2 3 4 5 0 0 0
kernel void loc(global int *out, local int *tile) {
    local int var[8];
    int l = get_local_id(0);
    tile[l] = l; var[l] = 3 * l; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = tile[l + 1] + var[7 - l];
}

kernel void var(global int *out, int n) {
    local int tile[8];
    int l = get_local_id(0);
    tile[l + n] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = l > 0 ? tile[l] : 0;
}

kernel void priv(global int *out, int n) {
    int a[4];
    for (int i = 0; i < n; i++) a[i] = i;
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    out[get_global_id(0)] = s;
}

constant int table[5] = {1, 2, 3, 4, 5};
kernel void constants(global int *out) { out[get_global_id(0)] = table[get_global_id(0)]; }

// Indices that the compiler knows, after loops were unrolled.
// run: --check --kernel known --global 1 --arg int[8]:range=5 --print out
// reports: 48 bounds: a write of 4 bytes beyond the private variable 'a'
// reports: 49 bounds: a read of 4 bytes beyond the private variable 'a'
// prints: out: 16 6 7 8 9 10 11 12
kernel void known(global int *out) {
    int a[4];

    for (int i = 0; i <= 4; i++) a[i] = i + out[i];
    out[0] = a[1] + a[2] + a[6];
}

// Variables of events have no size that an access could leave.
// run: --check --kernel events --global 4 --local 4 --arg int[4]:range --arg local:16 --print data
// prints: data: 3 2 1 0
kernel void events(global int *data, local int *part) {
    event_t event = async_work_group_copy(part, data, 1, 0);
    for (int i = 1; i < 4; i++) async_work_group_copy(part + i, data + i, 1, event);
    wait_group_events(1, &event);
    int i = get_local_id(0);
    data[3 - i] = part[i];
}

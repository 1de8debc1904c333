// Single elements of a large buffer, by 64-bit index.
kernel void put(global uint *large, global const ulong *places, global const uint *values) {
    size_t i = get_global_id(0);
    large[places[i]] = values[i];
}

kernel void take(global const uint *large, global const ulong *places, global uint *values) {
    size_t i = get_global_id(0);
    values[i] = large[places[i]];
}

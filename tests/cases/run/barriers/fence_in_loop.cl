// A fence orders the accesses of one work-item; work-items that leave a loop at different times pass different numbers of them (OpenCL C §6.15.8.2).
// run: --kernel sum --global 32 --local 32 --arg float[48]:const=1 --arg float[32]:const=0 --print out
// prints: out: 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: --kernel sum --global 20 --local 20 --arg float[48]:const=1 --arg float[20]:const=0 --print out
// prints: out: 3 3 3 3 3 3 3 3 2 2 2 2 2 2 2 2 2 2 2 2
// run: --kernel with_local --global 20 --local 20 --arg float[48]:const=1 --arg float[20]:const=0 --print out
// prints: out: 3 3 3 3 3 3 3 3 2 2 2 2 2 2 2 2 2 2 2 2
// run: --kernel all_of_local --global 20 --local 20 --arg float[48]:const=1 --arg float[20]:const=0 --print out
// prints: out: 3 3 3 3 3 3 3 3 2 2 2 2 2 2 2 2 2 2 2 2
// no-diagnostics
kernel void sum(global float *x, global float *out) {
    float energy = 0;
    for (uint i = get_global_id(0); i < 48; i += get_global_size(0)) {
        energy += x[i];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    out[get_global_id(0)] = energy;
}

// A variable of the kernel's own is there.
kernel void with_local(global float *x, global float *out) {
    local float part[20];
    uint l = get_local_id(0);
    part[l] = 0;
    for (uint i = get_global_id(0); i < 48; i += get_global_size(0)) {
        part[l] += x[i];
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[l];
}

// Nothing is left of the least local memory that a device has (OpenCL API §4.2, CL_DEVICE_LOCAL_MEM_SIZE).
kernel void all_of_local(global float *x, global float *out) {
    local float part[4096];
    uint l = get_local_id(0);
    for (uint i = l; i < 4096; i += get_local_size(0)) {
        part[i] = 0;
        read_mem_fence(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = get_global_id(0); i < 48; i += get_global_size(0)) {
        part[l + 19] += x[i];
        write_mem_fence(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = part[l + 19];
}

// A launch with nothing to do: what is measured is the launch. It may write, so that launches in a row need what any two dependent
// launches need.
__kernel void tiny(__global uint *out, uint value) {
    if (value == 0xffffffff)
        out[get_global_id(0)] = value;
}

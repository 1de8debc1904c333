// Independent mistakes of many kinds: each has one diagnostic where it is, none follows from another.
struct Particle { float4 position; float mass; };

float weight(struct Particle p) {
    return p.mas; //~ error[no-member]: 'struct Particle' has no member named 'mas'
}

kernel void step(global struct Particle *particles, global float *energy, int count) {
    int id = get_globl_id(0); //~ error[undeclared-function]: call of undeclared function 'get_globl_id'
    float3 speed = (float3)(1.0f, 2.0f); //~ error[vector-literal-count]: too few components for 'float3'
    if (id >= cuont) return; //~ error[undeclared-identifier]: use of undeclared identifier 'cuont'
    float total = 0.0f //~ error[expected-semicolon]: expected ';' after declaration, found 'for'
    for (int i = 0; i < count; i++) {
        total += particles[i].position; //~ error[invalid-operands]: invalid operands: 'float' and 'float4'
    }
    local float *shared = energy; //~ error[address-space]: initializing '__local float *' with '__global float *' changes the address space
    energy[id] = fma(total, 2.0f); //~ error[no-matching-builtin]: no overload of 'fma' takes (float, float)
    const int limit = 4;
    limit = 5; //~ error[const-write]: a const-qualified object cannot be written
    int *where = 3.0f; //~ error[incompatible-types]: initializing 'int *' with 'float': the types are incompatible
    break; //~ error[break-outside-loop]: 'break' outside of a loop or 'switch'
    energy.x = 1.0f; //~ error[member-of-pointer]: '__global float *' is a pointer: use '->' to reach a member
}

// A-8 rejected: local variables at the outermost scope of a kernel, without an initialiser: two distinct errors.
local int program_scope[4]; //~ error[program-scope-address-space]: program-scope variable 'program_scope' is in the __local address space; it must be in __constant
void helper(void) { local int x; } //~ error[not-in-kernel]: variable 'x' in the __local address space can only be declared in a
kernel void k(global int *out) {
    local int fine[4], also;
    local int initialised = 3; //~ error[local-initializer]: variable 'initialised' in the __local address space cannot be
    if (out) {
        local int nested; //~ error[not-outermost-scope]: variable 'nested' in the __local address space must be declared in
    }
    for (local int i; ;) break; //~ error[not-outermost-scope]: variable 'i' in the __local address space must be declared in the
    local struct { int a; } s = { 1 }; //~ error[local-initializer]: variable 's' in the __local address space cannot be initialised
}

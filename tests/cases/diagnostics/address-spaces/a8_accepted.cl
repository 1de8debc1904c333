// A-8 accepted: local variables of a kernel's outermost scope, any number and type.
// no-diagnostics
typedef struct { int a; float4 b; } S;
void use(local int *p, local S *s) { p[0] = s->a; }
kernel void k(global int *out, local int *argument) {
    local int one, many[4], grid[2][3];
    local S record;
    local float4 vectors[8];
    const local int *p = many;
    local int *local shared;
    one = 1;
    shared = &grid[1][2];
    many[3] = one;
    record.b = vectors[7];
    use(argument, &record);
    out[0] = p[3] + *shared;
}

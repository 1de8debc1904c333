// C++ for OpenCL: casts, references and members whose address spaces do not fit (rules C-3 to C-5), and `restrict` (C-8).
// options: -cl-std=CLC++1.0
constant int fixed[2] = {1, 2};
struct Place {
    int value;
    int where() __local;
    int anywhere() const;
};
void take(global int &x);
void both(local int &x);
void both(global int &x);
kernel void k(global int *out, constant int *in) {
    local int shared;
    int mine = 0;
    float single = 1.0f;
    int *any = out;
    global int *numbers = addrspace_cast<global int *>(mine); //~ error[invalid-cast]: 'addrspace_cast' does not convert 'int' to '__global int *'
    local int *crossed = addrspace_cast<local int *>(out); //~ error[address-space]: changes the address space of the pointer from '__global' to '__local'
    int *never = addrspace_cast<int *>(in); //~ error[address-space]: changes the address space of the pointer from '__constant' to '__gener
    long wide = reinterpret_cast<long>(single); //~ error[invalid-cast]: 'reinterpret_cast' does not convert 'float' to 'long'
    float4 four = reinterpret_cast<float4>((float2)(1.0f, 2.0f)); //~ error[invalid-cast]: 'reinterpret_cast' does not convert 'float2' to 'float4'
    local int *reinterpreted = reinterpret_cast<local int *>(out); //~ error[invalid-cast]: 'reinterpret_cast' does not convert '__global int *' to '__local int *
    global int *plain = static_cast<global int *>(any); //~ error[invalid-cast]: 'static_cast' does not convert '__generic int *' to '__global int *'
    int *lost = const_cast<int *>(in); //~ error[invalid-cast]: 'const_cast' does not convert '__constant int *' to '__generic int *'
    int **nested = const_cast<int **>(&any); //~ error[invalid-cast]: 'const_cast' does not convert '__generic int **' to '__generic int *__
    global int **outer = const_cast<global int **>(&any); //~ error[invalid-cast]: 'const_cast' does not convert '__generic int **' to '__global int *__g
    take(mine); //~ error[no-matching-function]: no function 'take' takes (int)
    take(shared); //~ error[no-matching-function]: no function 'take' takes (__local int)
    both(mine); //~ error[no-matching-function]: no function 'both' takes (int)
    global int &bound = shared; //~ error[address-space]: changes the address space of the pointer from '__local' to '__global'
    int *implicit = in; //~ error[address-space]: changes the address space of the pointer from '__constant' to '__gener
    Place place;
    place.where(); //~ error[no-matching-function]: no function 'where' takes ()
    constant Place *far = (constant Place *)in;
    far->anywhere(); //~ error[no-matching-function]: no function 'anywhere' takes ()
    int *__restrict taken = any;
    int *restrict alone = any; //~ error[expected-semicolon]: expected ';' after declaration, found 'alone'
}

// What inline PTX refuses, by the name of what it is; another vendor's assembly is an unknown instruction.
asm("nop;"); //~ error[inline-assembly]: inline assembly stands in functions alone
void f(global uint *p, uint a, float x, ulong l, const uint c) {
    uint d;
    double y;
    asm("v_add_u32 %0, %1, %2" : "=v"(d) : "v"(a), "v"(a)); //~ error[inline-assembly]: constraint '=v' of 'asm' is unknown
    asm volatile("s_waitcnt vmcnt(0)"); //~ error[inline-assembly]: PTX instruction 's_waitcnt' is unknown or not supported
    asm volatile("v_nop"); //~ error[inline-assembly]: PTX instruction 'v_nop' is unknown or not supported
    asm("tex.2d.v4.f32.s32 {%0,%0,%0,%0}, [t, {%1,%1}];" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: PTX instruction 'tex' is unknown
    asm("add.u32 %0, %1, %2;\n\t"
        "frobnicate.u32 %0, %0;" //~ error[inline-assembly]: PTX instruction 'frobnicate' is unknown
        : "=r"(d) : "r"(a), "r"(a));
    asm("add.u8 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(a)); //~ error[inline-assembly]: 'add' does not take the type '.u8'
    asm("add.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(a)); //~ error[inline-assembly]: 'add' has no modifier '.hi'
    asm("add.u32 %0, %1;" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: has 2 operands; 3 expected
    asm("add.u32 %0, %1, %3;" : "=r"(d) : "r"(a), "r"(a)); //~ error[inline-assembly]: there is no operand '%3'
    asm("add.u32 %0, %[b], 1;" : "=r"(d) : [a] "r"(a)); //~ error[inline-assembly]: no operand is called 'b'
    asm("mov.u32 %0, %tid.x;" : "=r"(d)); //~ error[inline-assembly]: '%tid' is no operand; a register is written '%%tid'
    asm("mov.u32 %0, %%smid;" : "=r"(d)); //~ error[inline-assembly]: the special register '%smid' is of NVIDIA's devices alone
    asm("mov.u32 %0, t;" : "=r"(d)); //~ error[inline-assembly]: 't' is no register here
    asm("add.u32 %0, %1, 1;" : "=r"(d) : "l"(l)); //~ error[inline-assembly]: a register of type '.b64' is read as '.u32'
    asm("add.u32 %0, %1, 1;" : "=r"(d) : "r"(l)); //~ error[inline-assembly]: 'ulong' does not fit the register of 32 bits
    asm("add.u32 %0, %1, 1;" : "r"(d) : "r"(a)); //~ error[inline-assembly]: does not begin with '=' or '+'
    asm("add.u32 %0, %1, 1;" : "=r"(a + 1) : "r"(a)); //~ error[inline-assembly]: must be an object that can be assigned
    asm("add.u32 %0, %1, 1;" : "=r"(c) : "r"(a)); //~ error[inline-assembly]: must be an object that can be assigned
    asm("add.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "n"(a)); //~ error[not-constant]: wants an integer constant
    asm("add.u32 %0, %1, 1;" : "=r"(d) : "3"(a)); //~ error[inline-assembly]: ties to what is no output
    asm("lop3.b32 %0, %1, %1, %1, 0x1ff;" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: the table of 'lop3' has 8 bits
    asm("addc.u32 %0, %1, 0;" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: no instruction before it in this function sets the carry
    asm("{ add.u32 %0, %1, 1;" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: '}' is missing
    asm("add.u32 %0, %1, 1; }" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: '}' closes nothing
    asm("bra NOWHERE;"); //~ error[inline-assembly]: there is no label 'NOWHERE'
    asm(".local .u32 t; mov.u32 %0, t;" : "=r"(d)); //~ error[inline-assembly]: the directive '.local' is not supported
    asm("ld.shared.u32 %0, [%1];" : "=r"(d) : "l"(p)); //~ error[inline-assembly]: accesses another state space
    asm("mul.rz.f64 %0, %0, %0;" : "+d"(y)); //~ error[inline-assembly]: with another rounding than '.rn' is not supported
    asm("mov.u32 %0, 0x1g;" : "=r"(d)); //~ error[inline-assembly]: this is no constant
    asm("add.u32 %0, %1, 1 /* ;" : "=r"(d) : "r"(a)); //~ error[inline-assembly]: the comment does not end
    asm goto ("bra %l0;" : : : : out); //~ error[inline-assembly]: 'asm goto' is not supported
    asm("add.u32 %0, 1.5, 1;" : "=r"(d)); //~ error[inline-assembly]: a floating constant is no '.u32'
    d = ({ asm("L: add.u32 %0, %0, 1;" : "+r"(a)); a; }); //~ error[label-in-expression]: a label cannot stand in a statement expression
    asm(a); //~ error[expected-token]: expected the instructions of 'asm' as a string
    asm("add.u32 %0, %0, 1;" : "=r" d); //~ error[expected-token]: expected '(' after a constraint
}

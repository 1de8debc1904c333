// Types that do not exist, are incomplete or are misused (OpenCL C §6.1, §6.9; C99 §6.7.2).
struct Incomplete;
struct Incomplete object; //~ error[incomplete-type]: variable has incomplete type 'struct Incomplete'
//~^ error[program-scope-address-space]: program-scope variable 'object' has no address space (__private is not possible); here it must be in __constant
typedef struct { int a; int a; } Twice; //~ error[duplicate-member]: duplicate member 'a'
struct Flex { int n; int rest[]; }; 
struct Bits { int b : 3; }; //~ error[bit-field]: bit-fields are not supported in OpenCL C
int3 vec(int5 x); //~ error[unknown-type]: unknown type name 'int5'
unsigned float uf(void); //~ error[invalid-type-combination]: these type specifiers cannot be combined
long long ll(void); //~ warning[long-long]: OpenCL C has no type 'long long'; it is taken as 'long', which has 64
void *fp(void (*callback)(int)); //~ error[function-pointer]: OpenCL C has no pointers to functions
struct { void v; } s; //~ error[incomplete-type]: a member cannot have type 'void'
//~^ error[program-scope-address-space]: program-scope variable 's' has no address space (__private is not possible); here it must be in __constant
int a[-1]; //~ error[array-size]: array size -1 is negative
//~^ error[program-scope-address-space]: program-scope variable 'a' has no address space (__private is not possible); here it must be in __constant
enum E { A, B = 1.5 }; //~ error[non-constant-enumerator]: the value of an enumerator must be an integer constant expression
void f(int n) {
    int vla[n]; //~ error[variable-length-array]: variable length arrays are not supported in OpenCL C
    void v; //~ error[incomplete-type]: a variable cannot have type 'void'
    int f(); //~ error[conflicting-types]: conflicting types for 'f': 'int (void)' and before 'void (int)'
    half h;
    quad q; //~ error[unknown-type]: unknown type name 'quad'
    size_t z = sizeof(struct Incomplete); //~ error[incomplete-type]: the incomplete type 'struct Incomplete' has no size
    int (*g)(int) = f; //~ error[function-pointer]: OpenCL C has no pointers to functions
//~^ error[function-as-value]: 'f' is a function: OpenCL C has no pointers to functions
    signed unsigned int x; //~ error[invalid-type-combination]: cannot combine 'unsigned' with the previous type specifier
    int y; float y; //~ error[redefinition]: redefinition of 'y'
}

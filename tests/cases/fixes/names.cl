// Names one slip away from one that there is: of variables, functions, builtins, types, members, macros, keywords.
// fixed
#define LIMIT 16
struct pair { int first; int second; };
typedef struct pair pair_type;
int helper(int x) { return x + 1; }
kernel void k(global float *out, int count, struct pair p) {
    if (cuont > LIMTI) { //~ error[undeclared-identifier]: 'cuont'
                         //~^ error[undeclared-identifier]: 'LIMTI'
                         //~^^ fix: if (count > LIMIT) {
        out[0] = hepler(1); //~ error[undeclared-function]: 'hepler'
                            //~^ fix: out[0] = helper(1);
    }
    size_t i = get_gobal_id(0); //~ error[undeclared-function]: 'get_gobal_id'
                                //~^ fix: get_global_id(0)
    flaot4 v = (float4)(1.0f); //~ error[unknown-type]: 'flaot4'
                               //~^ fix: float4 v =
    out[i] = v.x + p.frist; //~ error[no-member]: 'frist'
                            //~^ fix: p.first;
    pair_type q = { .secnod = 1 }; //~ error[no-member]: 'secnod'
                                   //~^ fix: { .second = 1 }
    pair r = q; //~ error[unknown-type]: unknown type name 'pair'
                //~^ fix: struct pair r = q;
    barrier(CLK_LOCL_MEM_FENCE); //~ error[undeclared-identifier]: 'CLK_LOCL_MEM_FENCE'
                                 //~^ fix: barrier(CLK_LOCAL_MEM_FENCE);
    out[1] = r.second + M_PI_FF; //~ error[undeclared-identifier]: 'M_PI_FF'
                                 //~^ fix: + M_PI_F;
    retrun; //~ error[undeclared-identifier]: 'retrun'
            //~^ fix: return;
}

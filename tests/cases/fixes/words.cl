// Directives, pragmas and attributes one slip away from one that there is.
// fixed
#defien SIZE 4 //~ error[invalid-directive]: invalid preprocessing directive
               //~^ fix: #define SIZE 4
#pragma OPENCL EXTENSION cl_khr_pf64 : enable //~ warning[unknown-extension]: 'cl_khr_pf64'
                                              //~^ fix: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 enable //~ warning[unknown-pragma]: expected
                                            //~^ fix: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enabled //~ warning[unknown-pragma]: 'enabled'
                                               //~^ fix: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel __attribute__((reqd_work_group_sise(8, 1, 1))) void k(global int *p) { //~ warning[unknown-attribute]: 'reqd_work_group_sise'
                                                                              //~^ fix: reqd_work_group_size(8, 1, 1)
    p[0] = 1;
}

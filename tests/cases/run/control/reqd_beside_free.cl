// A kernel with reqd_work_group_size beside one without: each has its own size (OpenCL C §6.7.2).
// run: --kernel fixed --global 8 --arg int[8]:const=0 --print a
// prints: a: 4 4 4 4 4 4 4 4
// run: --kernel free --global 8 --local 2 --arg int[8]:const=0 --print a
// prints: a: 2 2 2 2 2 2 2 2
// run: --kernel hinted --global 8 --local 8 --arg int[8]:const=0 --print a
// prints: a: 8 8 8 8 8 8 8 8
// run: --kernel fixed --global 8 --local 2 --arg int[8]:const=0
// fails: 4
// no-diagnostics
kernel void __attribute__((reqd_work_group_size(4, 1, 1))) fixed(global int *a) { a[get_global_id(0)] = get_local_size(0); }

kernel void free(global int *a) { a[get_global_id(0)] = get_local_size(0); }

kernel void __attribute__((work_group_size_hint(4, 1, 1))) hinted(global int *a) { a[get_global_id(0)] = get_local_size(0); }

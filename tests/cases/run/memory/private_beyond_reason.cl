// Private memory has no limit that could be asked for; what would take all memory of the machine is refused before the driver sees it.
// run: --kernel k --global 4 --arg int[4]
// fails: 8000000000 bytes of private memory in each work-item
// no-diagnostics
kernel void k(global int *p) {
    int a[2000000000];
    a[p[0]] = 1;
    p[0] = a[p[1]];
}

// A null event or pointer is an argument like any other where functions are overloaded.
// no-diagnostics
void __attribute__((overloadable)) f(event_t e, local char *s) { wait_group_events(1, &e); }
void __attribute__((overloadable)) f(event_t e, local float *s) { wait_group_events(1, &e); }
void __attribute__((overloadable)) f(global int *p, local float *s) { p[0] = s[0]; }
kernel void k(global int *p, local char *a, local float *b) {
    event_t e = async_work_group_copy(a, (const global char *)p, 1, 0);
    f(e, a);
    f(0, a);
    f(p, b);
}
kernel void none(void) { wait_group_events(0, NULL); }

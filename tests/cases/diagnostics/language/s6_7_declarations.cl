// §6.7.6, §6.10, §6.11: where variables, events and static constants may be.
// options: -cl-std=CL2.0
// no-diagnostics
event_t start(local float *l, global float *g) { return async_work_group_copy(l, g, 4, (event_t)0); }

int table(int i) {
    static constant int values[3] = {1, 2, 3};
    if (i > 1) {
        static constant int other = 7;
        return other;
    }
    return values[i];
}

constant char *name(void) { return __FUNCTION__; }

kernel void k(global float *g, local float *l) {
    event_t events[2];
    events[0] = start(l, g);
    wait_group_events(1, events);
    g[0] = table((int)g[1]) + *name();
}

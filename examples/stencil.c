/* A stencil over all devices of a platform: heat that spreads in a plate, by the 5-point stencil.
 *
 *   cc -O2 -o stencil examples/stencil.c -lOpenCL -lm
 *   ./stencil                        4096 x 4096 points, 160 steps
 *   ./stencil 16384 16384 800 8      rows, columns, steps, and the depth of the halos
 *
 * The devices share the rows. Each has its part and, above and below it, a halo: as many of its neighbours' rows as steps are made between two
 * exchanges. At an exchange a device copies its outermost rows into a small buffer, and its neighbour copies them from there: OpenCL carries the small
 * buffer from device to device. Events order the two copies. Nothing waits on the host.
 *
 * The plate begins as a wave that the stencil only weakens, by a factor that is known. The program compares each point with it, and the points of all
 * devices together with those of one device alone. It prints the times, and the ratio: how much faster all devices are than the fastest one.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DEVICES = 16 };
static const float K = 0.2f;

static const char *SOURCE =
    "kernel void step(global const float *in, global float *out, int width, int begin, int first, int rows, float k) {\n"
    "    int x = get_global_id(0), y = begin + get_global_id(1), row = first + y;\n"
    "    size_t at = (size_t)y * width + x;\n"
    "    float here = in[at], left = x > 0 ? in[at - 1] : 0.0f, right = x + 1 < width ? in[at + 1] : 0.0f;\n"
    "    float sum = left + right + in[at - width] + in[at + width];\n"
    "    out[at] = row < 0 || row >= rows ? 0.0f : here + k * (sum - 4.0f * here);\n"
    "}\n";

static void check(const char *what, cl_int code) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(1);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

/* The plate, and the numbers of half waves in it. */
struct plate {
    int rows, columns, steps, depth;
    int waves[2];
};

static double wave(int at, int count, int waves) {
    return sin(3.14159265358979323846 * waves * (at + 1) / (count + 1));
}

/* The factor by which a step weakens the wave. */
static double weaker(const struct plate *p) {
    double a = sin(3.14159265358979323846 * p->waves[0] / (p->rows + 1) / 2);
    double b = sin(3.14159265358979323846 * p->waves[1] / (p->columns + 1) / 2);
    return 1 - 4 * (double)K * (a * a + b * b);
}

/* A device's part of the plate: its own rows, with a halo above and below. */
struct part {
    cl_command_queue queue;
    cl_kernel kernel;
    int first, rows;
    cl_mem grid[2]; /* before and after a step */
    cl_mem edge[2]; /* copies of its outermost rows, above and below, for the neighbours */
    cl_event out[2], in[2]; /* the copies to its edges, and those from the neighbours' */
};

static void forget(cl_event *event) {
    if (*event) clReleaseEvent(*event);
    *event = NULL;
}

static void make_part(struct part *part, const struct plate *p, cl_context context, cl_device_id device, cl_program program) {
    cl_int error;
    size_t row = (size_t)p->columns * sizeof(float), halo = p->depth * row, size = part->rows * row + 2 * halo;
    float zero = 0;
    part->queue = clCreateCommandQueue(context, device, 0, &error);
    check("clCreateCommandQueue", error);
    part->kernel = clCreateKernel(program, "step", &error);
    check("clCreateKernel", error);
    for (int n = 0; n < 2; n++) {
        part->grid[n] = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
        check("clCreateBuffer", error);
        part->edge[n] = clCreateBuffer(context, CL_MEM_READ_WRITE, halo, NULL, &error);
        check("clCreateBuffer", error);
        check("clEnqueueFillBuffer", clEnqueueFillBuffer(part->queue, part->grid[n], &zero, sizeof zero, 0, size, 0, NULL, NULL));
        part->out[n] = part->in[n] = NULL;
    }
    float *start = malloc(size), *columns = malloc(row);
    for (int x = 0; x < p->columns; x++) columns[x] = (float)wave(x, p->columns, p->waves[1]);
    for (int y = 0; y < part->rows + 2 * p->depth; y++) {
        int at = part->first + y - p->depth;
        float height = at < 0 || at >= p->rows ? 0.0f : (float)wave(at, p->rows, p->waves[0]);
        for (int x = 0; x < p->columns; x++) start[(size_t)y * p->columns + x] = height * columns[x];
    }
    check("clEnqueueWriteBuffer", clEnqueueWriteBuffer(part->queue, part->grid[0], CL_TRUE, 0, size, start, 0, NULL, NULL));
    free(start);
    free(columns);
}

static void free_part(struct part *part) {
    for (int n = 0; n < 2; n++) {
        forget(&part->out[n]);
        forget(&part->in[n]);
        clReleaseMemObject(part->grid[n]);
        clReleaseMemObject(part->edge[n]);
    }
    clReleaseKernel(part->kernel);
    clReleaseCommandQueue(part->queue);
}

/* As many steps as the halo is deep. Each leaves out one row more of the halo. Gives the number of the buffer with the result. */
static int steps_of(struct part *part, const struct plate *p, int from, int steps) {
    for (int n = 0; n < steps; n++, from = 1 - from) {
        int begin = n + 1, first = part->first - p->depth;
        size_t global[2] = {p->columns, part->rows + 2 * p->depth - 2 * begin};
        cl_kernel k = part->kernel;
        cl_int error = clSetKernelArg(k, 0, sizeof(cl_mem), &part->grid[from]) | clSetKernelArg(k, 1, sizeof(cl_mem), &part->grid[1 - from])
            | clSetKernelArg(k, 2, sizeof(int), &p->columns) | clSetKernelArg(k, 3, sizeof(int), &begin)
            | clSetKernelArg(k, 4, sizeof(int), &first) | clSetKernelArg(k, 5, sizeof(int), &p->rows) | clSetKernelArg(k, 6, sizeof(float), &K);
        check("clSetKernelArg", error);
        check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(part->queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    }
    return from;
}

/* Each part gets its neighbours' outermost rows. Side 0 is above, side 1 below. */
static void exchange(struct part *parts, int count, const struct plate *p, int from) {
    size_t row = (size_t)p->columns * sizeof(float), halo = p->depth * row;
    for (int n = 0; n < count; n++) {
        struct part *part = &parts[n];
        for (int side = 0; side < 2; side++) {
            int other = side ? n + 1 : n - 1;
            if (other < 0 || other >= count) continue;
            /* The neighbour has read what was there. */
            cl_event *read = &parts[other].in[1 - side];
            size_t at = side ? part->rows * row : halo;
            forget(&part->out[side]);
            check("clEnqueueCopyBuffer", clEnqueueCopyBuffer(part->queue, part->grid[from], part->edge[side], at, 0, halo,
                *read != NULL, *read ? read : NULL, &part->out[side]));
        }
        check("clFlush", clFlush(part->queue));
    }
    for (int n = 0; n < count; n++) {
        struct part *part = &parts[n];
        for (int side = 0; side < 2; side++) {
            int other = side ? n + 1 : n - 1;
            if (other < 0 || other >= count) continue;
            size_t at = side ? halo + part->rows * row : 0;
            forget(&part->in[side]);
            check("clEnqueueCopyBuffer", clEnqueueCopyBuffer(part->queue, parts[other].edge[1 - side], part->grid[from], 0, at, halo,
                1, &parts[other].out[1 - side], &part->in[side]));
        }
    }
}

/* Runs all steps on some devices. Gives the seconds; the plate is in `result`. */
static double run(const struct plate *p, cl_context context, cl_program program, const cl_device_id *devices, int count, float *result) {
    struct part parts[MAX_DEVICES];
    for (int n = 0; n < count; n++) {
        parts[n].first = (int)((long long)p->rows * n / count);
        parts[n].rows = (int)((long long)p->rows * (n + 1) / count) - parts[n].first;
        make_part(&parts[n], p, context, devices[n], program);
    }
    /* Kernels are compiled and memory is there when the clock starts: the last step's result is not used. */
    for (int n = 0; n < count; n++) {
        float zero = 0;
        size_t row = (size_t)p->columns * sizeof(float);
        steps_of(&parts[n], p, 0, 1);
        check("clEnqueueFillBuffer", clEnqueueFillBuffer(parts[n].queue, parts[n].grid[1], &zero, sizeof zero, 0,
            parts[n].rows * row + 2 * p->depth * row, 0, NULL, NULL));
    }
    exchange(parts, count, p, 0);
    for (int n = 0; n < count; n++) check("clFinish", clFinish(parts[n].queue));
    double start = seconds();
    int from = 0;
    for (int done = 0; done < p->steps; done += p->depth) {
        int steps = p->steps - done < p->depth ? p->steps - done : p->depth, to = from;
        for (int n = 0; n < count; n++) to = steps_of(&parts[n], p, from, steps);
        from = to;
        exchange(parts, count, p, from);
        for (int n = 0; n < count; n++) check("clFlush", clFlush(parts[n].queue));
    }
    for (int n = 0; n < count; n++) check("clFinish", clFinish(parts[n].queue));
    double time = seconds() - start;
    for (int n = 0; n < count; n++) {
        size_t row = (size_t)p->columns * sizeof(float);
        check("clEnqueueReadBuffer", clEnqueueReadBuffer(parts[n].queue, parts[n].grid[from], CL_TRUE, p->depth * row, parts[n].rows * row,
            result + (size_t)parts[n].first * p->columns, 0, NULL, NULL));
        free_part(&parts[n]);
    }
    return time;
}

/* The largest difference from the wave after all steps. */
static double difference(const struct plate *p, const float *result) {
    double most = 0, factor = pow(weaker(p), p->steps);
    double *columns = malloc(p->columns * sizeof(double));
    for (int x = 0; x < p->columns; x++) columns[x] = wave(x, p->columns, p->waves[1]);
    for (int y = 0; y < p->rows; y++) {
        double height = factor * wave(y, p->rows, p->waves[0]);
        for (int x = 0; x < p->columns; x++) {
            double apart = fabs(result[(size_t)y * p->columns + x] - height * columns[x]);
            if (!(apart <= most)) most = apart;
        }
    }
    free(columns);
    return most;
}

int main(int argc, char **argv) {
    int number[4] = {4096, 4096, 160, 8};
    for (int n = 0; n < 4 && n + 1 < argc; n++) number[n] = atoi(argv[n + 1]);
    struct plate p = {number[0], number[1], number[2], number[3], {0, 0}};
    /* Waves of some 30 points: a step weakens them by a hundredth, so that a row that is a step too old is seen. */
    p.waves[0] = p.rows / 15 + 1;
    p.waves[1] = p.columns / 17 + 1;

    cl_platform_id platform;
    cl_device_id devices[MAX_DEVICES];
    cl_uint found;
    cl_int error;
    check("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
    check("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &found));
    int count = found < MAX_DEVICES ? (int)found : MAX_DEVICES;
    if (p.depth < 1 || p.steps < 1 || p.columns < 1 || p.rows / count < p.depth) {
        fprintf(stderr, "each of the %d devices needs as many rows as the halo is deep\n", count);
        return 2;
    }
    cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &error);
    check("clCreateContext", error);
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &error);
    check("clCreateProgramWithSource", error);
    check("clBuildProgram", clBuildProgram(program, count, devices, "", NULL, NULL));

    size_t points = (size_t)p.rows * p.columns;
    float *alone = malloc(points * sizeof(float)), *together = malloc(points * sizeof(float));
    if (!alone || !together) check("malloc", CL_OUT_OF_HOST_MEMORY);
    printf("%d x %d points, %d steps, halos of %d rows, %d device%s\n", p.rows, p.columns, p.steps, p.depth, count, count == 1 ? "" : "s");
    double fastest = INFINITY, worst = 0;
    for (int n = 0; n < count; n++) {
        char name[256] = "";
        clGetDeviceInfo(devices[n], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        double time = run(&p, context, program, &devices[n], 1, alone), apart = difference(&p, alone);
        printf("%-40s %8.3f s  %8.1f million points a second, error %.1e\n", name, time, points * (double)p.steps / time * 1e-6, apart);
        if (time < fastest) fastest = time;
        if (!(apart <= worst)) worst = apart;
    }
    double time = run(&p, context, program, devices, count, together), apart = difference(&p, together), between = 0;
    for (size_t n = 0; n < points; n++) {
        double d = fabs(together[n] - alone[n]);
        if (!(d <= between)) between = d;
    }
    printf("%-40s %8.3f s  %8.1f million points a second, error %.1e\n", "all together", time, points * (double)p.steps / time * 1e-6, apart);
    printf("ratio %.2f, difference from one device %.1e\n", fastest / time, between);
    if (!(apart <= worst)) worst = apart;
    clReleaseProgram(program);
    clReleaseContext(context);
    free(alone);
    free(together);
    if (!(worst < 2e-4) || !(between < 1e-5)) {
        printf("the result is wrong\n");
        return 1;
    }
    printf("the result is right\n");
    return 0;
}

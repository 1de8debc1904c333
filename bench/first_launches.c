// Times the first launches of a stencil: at one size, and over 50 global sizes, both with a NULL local size.
//
//   cc -O2 -o first_launches bench/first_launches.c -ldl
//   PUMICE_CACHE_DIR= ./first_launches target/release/libpumice.so             # no cache
//   PUMICE_CACHE_DIR=$(mktemp -d) ./first_launches target/release/libpumice.so # cold; again with the same folder: warm
//   CUDA_CACHE_DISABLE=1 ./first_launches libnvidia-opencl.so.1
//
// The first argument is an installable client driver, the second one a part of the device's name, the third one a number of launches
// (2,000). No loader is needed. Each line has launch 1, the mean and the worst of launches 2 to 20, the mean of launches 21 to 50, and of so
// many more at the last size the median and the mean of the processor time, in microseconds. Each launch is waited for. Results are checked.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAUNCHES = 50, MOST = 2000 };

static const char *SOURCE =
    "kernel void stencil(global const float *a, global float *b, int w, int h) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  int l = max(x - 1, 0), r = min(x + 1, w - 1), u = max(y - 1, 0), d = min(y + 1, h - 1);\n"
    "  b[y * w + x] = 0.2f * (a[y * w + x] + a[y * w + l] + a[y * w + r] + a[u * w + x] + a[d * w + x]);\n"
    "}\n";

static const struct _cl_icd_dispatch *cl;

static double clock_us(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void check(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, code);
        exit(1);
    }
}

static cl_device_id find(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    void *(*address)(const char *) = dlsym(handle, "clGetExtensionFunctionAddress");
    cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) = dlsym(handle, "clIcdGetPlatformIDsKHR");
    if (!platforms && address) platforms = address("clIcdGetPlatformIDsKHR");
    if (!platforms) {
        fprintf(stderr, "%s is no OpenCL driver\n", library);
        exit(1);
    }
    cl_platform_id platform;
    check(platforms(1, &platform, NULL), "clIcdGetPlatformIDsKHR");
    // The first word of every object is its dispatch table (cl_khr_icd).
    cl = *(const struct _cl_icd_dispatch **)platform;
    cl_device_id devices[16];
    cl_uint count = 0;
    check(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count), "clGetDeviceIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char text[256] = "";
        cl->clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof text, text, NULL);
        if (strstr(text, name)) {
            printf("%s\n", text);
            return devices[i];
        }
    }
    fprintf(stderr, "no device '%s'\n", name);
    exit(1);
}

static double launch(cl_command_queue queue, cl_kernel kernel, cl_mem a, cl_mem b, int w, int h) {
    double start = clock_us(CLOCK_MONOTONIC);
    size_t global[2] = {w, h};
    cl->clSetKernelArg(kernel, 0, sizeof a, &a);
    cl->clSetKernelArg(kernel, 1, sizeof b, &b);
    cl->clSetKernelArg(kernel, 2, sizeof w, &w);
    cl->clSetKernelArg(kernel, 3, sizeof h, &h);
    check(cl->clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), "launch");
    check(cl->clFinish(queue), "clFinish");
    return clock_us(CLOCK_MONOTONIC) - start;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run(cl_device_id device, int many, int more) {
    cl_int code;
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = cl->clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    cl_program program = cl->clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
    check(cl->clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = cl->clCreateKernel(program, "stencil", &code);
    check(code, "clCreateKernel");
    size_t bytes = (size_t)MOST * MOST * 4;
    float *data = malloc(bytes);
    for (size_t i = 0; i < (size_t)MOST * MOST; i++) data[i] = 1.0f;
    cl_mem a = cl->clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, &code);
    check(code, "clCreateBuffer");
    cl_mem b = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    check(code, "clCreateBuffer");
    check(cl->clFinish(queue), "clFinish");
    double *steady = malloc(more * sizeof *steady);
    double first = 0, early = 0, worst = 0, late = 0;
    int w = 997, h = 613;
    for (int n = 0; n < LAUNCHES; n++) {
        if (many) w = 500 + 29 * n, h = 300 + 31 * n;
        double time = launch(queue, kernel, a, b, w, h);
        if (n == 0) first = time;
        else if (n < 20) early += time / 19, worst = time > worst ? time : worst;
        else late += time / 30;
        float back[2];
        size_t last = ((size_t)w * h - 1) * 4;
        check(cl->clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 4, &back[0], 0, NULL, NULL), "read");
        check(cl->clEnqueueReadBuffer(queue, b, CL_TRUE, last, 4, &back[1], 0, NULL, NULL), "read");
        if (!(back[0] > 0.999f && back[0] < 1.001f && back[1] > 0.999f && back[1] < 1.001f)) {
            printf("WRONG at %d by %d: %g %g\n", w, h, back[0], back[1]);
            exit(1);
        }
    }
    double start = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    for (int n = 0; n < more; n++) steady[n] = launch(queue, kernel, a, b, w, h);
    double cpu = (clock_us(CLOCK_PROCESS_CPUTIME_ID) - start) / more;
    qsort(steady, more, sizeof *steady, ascending);
    printf("%s launch 1: %.0f, 2 to 20: mean %.1f, worst %.0f, 21 to 50: mean %.1f, then %.1f us (cpu %.1f)\n",
           many ? "50 sizes" : "one size", first, early, worst, late, steady[more / 2], cpu);
    fflush(stdout);
    free(data), free(steady);
    cl->clReleaseMemObject(a), cl->clReleaseMemObject(b), cl->clReleaseKernel(kernel);
    cl->clReleaseProgram(program), cl->clReleaseCommandQueue(queue), cl->clReleaseContext(context);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s LIBRARY [PART OF THE DEVICE'S NAME [LAUNCHES]]\n", argv[0]);
        return 1;
    }
    cl_device_id device = find(argv[1], argc > 2 ? argv[2] : "");
    int more = argc > 3 ? atoi(argv[3]) : 2000;
    if (more < 1) more = 1;
    run(device, 0, more);
    run(device, 1, more);
    return 0;
}

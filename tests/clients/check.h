// What the client programs share: the device, error checks, comparisons with a reference.
#ifndef PUMICE_CLIENTS_CHECK_H
#define PUMICE_CLIENTS_CHECK_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        long status_ = (long)(call);                                                                                 \
        if (status_ != 0) {                                                                                          \
            fprintf(stderr, "%s:%d: %s: error %ld\n", __FILE__, __LINE__, #call, status_);                           \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} Setup;

// The first device of the first platform: the script that runs these programs leaves only Pumice to be found.
static Setup setup(void) {
    cl_platform_id platform;
    Setup s;
    cl_int error;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL));
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &error);
    CHECK(error);
    s.queue = clCreateCommandQueue(s.context, s.device, 0, &error);
    CHECK(error);
    return s;
}

static void teardown(Setup s) {
    CHECK(clFinish(s.queue));
    CHECK(clReleaseCommandQueue(s.queue));
    CHECK(clReleaseContext(s.context));
}

static cl_mem buffer_of(Setup s, const void *data, size_t bytes) {
    cl_int error;
    cl_mem buffer = clCreateBuffer(s.context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    CHECK(error);
    CHECK(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
    return buffer;
}

static void read_back(Setup s, cl_mem buffer, void *data, size_t bytes) {
    CHECK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
}

// Numbers in [-1, 1), the same in every run.
static float random_float(void) {
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1u << 23) - 1.0f;
}

static void fill_random(float *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = random_float();
}

// Counts and shows where `got` is further than `limit` from `want`. 0 means that all agree.
static int compare(const char *what, const float *got, const double *want, size_t count, double limit) {
    int bad = 0;
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        double distance = fabs((double)got[i] - want[i]);
        if (!(distance <= limit)) {
            if (bad++ < 4)
                fprintf(stderr, "%s: [%zu] is %g, wanted %g\n", what, i, (double)got[i], want[i]);
        } else if (distance > worst) {
            worst = distance;
        }
    }
    printf("%s: %zu values, worst difference %.2g, %d beyond %g\n", what, count, worst, bad, limit);
    return bad;
}

#endif

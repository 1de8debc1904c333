/* Adds two vectors on the first OpenCL device: the whole of a small OpenCL 1.2 program, linked to the stock OpenCL loader.
 *
 *     cc -o vector_add vector_add.c -lOpenCL        (Debian: apt install ocl-icd-opencl-dev)
 *     pumice icd install --user                     (or as root without --user)
 *     OCL_ICD_VENDORS=~/.local/share/OpenCL/vendors ./vector_add
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static const char *SOURCE =
    "kernel void add(global const float *a, global const float *b, global float *sum)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    sum[i] = a[i] + b[i];\n"
    "}\n";

/* Ends the program when a call failed. */
static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    exit(1);
}

static void print_build_log(cl_program program, cl_device_id device)
{
    size_t size = 0;
    check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size), "build log");
    char *log = malloc(size + 1);
    if (!log)
        return;
    check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL), "build log");
    log[size] = 0;
    fprintf(stderr, "%s\n", log);
    free(log);
}

int main(void)
{
    cl_int code;
    cl_platform_id platform;
    cl_device_id device;
    char platform_name[256], name[256], version[256];
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL), "platform name");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "device name");
    check(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL), "device version");
    printf("%s: %s, %s\n", platform_name, name, version);

    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");

    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
    check(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (code != CL_SUCCESS)
        print_build_log(program, device);
    check(code, "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    check(code, "clCreateKernel");

    static float a[N], b[N], sum[N];
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
    }
    cl_mem in_a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &code);
    check(code, "clCreateBuffer");
    cl_mem in_b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b, &code);
    check(code, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof sum, NULL, &code);
    check(code, "clCreateBuffer");

    check(clSetKernelArg(kernel, 0, sizeof in_a, &in_a), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof in_b, &in_b), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof out, &out), "clSetKernelArg");
    size_t global = N;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL), "clEnqueueReadBuffer");

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += sum[i] != 3.0f * (float)i;
    printf("%d sums, %d wrong\n", N, wrong);

    check(clReleaseMemObject(in_a), "clReleaseMemObject");
    check(clReleaseMemObject(in_b), "clReleaseMemObject");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return wrong != 0;
}

// Objects of OpenCL in static objects: their destructors run among the exit handlers. Linked to the library.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace {
[[noreturn]] void fail(const char *what, int code) {
    std::fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    _exit(91);
}

struct Holder {
    const char *name;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_mem buffer = nullptr;

    explicit Holder(const char *name) : name(name) {}

    void fill() {
        cl_platform_id platform;
        cl_device_id device;
        cl_int e = clGetPlatformIDs(1, &platform, nullptr);
        if (e != CL_SUCCESS) fail("clGetPlatformIDs", e);
        e = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
        if (e != CL_SUCCESS) fail("clGetDeviceIDs", e);
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &e);
        if (e != CL_SUCCESS) fail("clCreateContext", e);
        queue = clCreateCommandQueue(context, device, 0, &e);
        if (e != CL_SUCCESS) fail("clCreateCommandQueue", e);
        buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 20, nullptr, &e);
        if (e != CL_SUCCESS) fail("clCreateBuffer", e);
        int value = 7;
        e = clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, 1 << 20, 0, nullptr, nullptr);
        if (e != CL_SUCCESS) fail("clEnqueueFillBuffer", e);
    }

    ~Holder() {
        int value = 0;
        cl_int read = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 64, sizeof value, &value, 0, nullptr, nullptr);
        if (read == CL_SUCCESS ? value != 7 : read != CL_OUT_OF_RESOURCES) fail(name, read);
        cl_int codes[] = {clReleaseMemObject(buffer), clReleaseCommandQueue(queue), clReleaseContext(context)};
        for (cl_int code : codes)
            if (code != CL_SUCCESS) fail(name, code);
        std::string line = std::string(name) + (read == CL_SUCCESS ? " alive\n" : " late\n");
        if (write(1, line.data(), line.size()) < 0) _exit(92);
    }
};

// Its constructor ends before any driver is loaded: its destructor runs after ours.
Holder before_main("before");

// Made and filled in a constructor: its destructor runs before the handlers that were registered there.
struct Filled : Holder {
    Filled() : Holder("constructor") { fill(); }
};
Filled in_constructor;
} // namespace

int main() {
    before_main.fill();
    static Holder inside("inside");
    inside.fill();
    return 0;
}

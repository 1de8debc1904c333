/* Ways for a process to end, and children by fork. The first argument says which; the exit code is 0 when all went as it should. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Every function by its name: the library is either linked or opened by dlopen. */
#define FUNCTIONS(f)                                                                                                   \
    f(clGetPlatformIDs) f(clGetDeviceIDs) f(clGetDeviceInfo) f(clCreateContext) f(clCreateCommandQueue)                \
    f(clCreateProgramWithSource) f(clBuildProgram) f(clCreateKernel) f(clCreateBuffer) f(clSetKernelArg)               \
    f(clEnqueueNDRangeKernel) f(clEnqueueReadBuffer) f(clFinish) f(clFlush) f(clSetEventCallback) f(clReleaseEvent)    \
    f(clReleaseMemObject) f(clReleaseKernel) f(clReleaseProgram) f(clReleaseCommandQueue) f(clReleaseContext)          \
    f(clRetainContext) f(clWaitForEvents) f(clGetPlatformInfo) f(clSVMAlloc) f(clEnqueueWriteBuffer)     \
    f(clGetEventInfo)
#define DECLARE(name) static __typeof__(&name) p_##name;
FUNCTIONS(DECLARE)

static void *handle;

static void load(void) {
    handle = dlopen(getenv("PUMICE_TEST_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(90);
    }
#define LOAD(name) p_##name = (__typeof__(&name))dlsym(handle, #name);
    FUNCTIONS(LOAD)
}

static void fail(const char *what, int code) {
    fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    fflush(stderr);
    _exit(91);
}
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cl_int check_code = (call);                                                                                    \
        if (check_code != CL_SUCCESS) fail(#call, check_code);                                                         \
    } while (0)
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) fail("expected " #condition, 0);                                                             \
    } while (0)

static const char *source =
    "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n"
    "kernel void slow(global int *p) {\n"
    "    int a = get_global_id(0);\n"
    "    for (int i = 0; i < 60000; i++) a = a * 1664525 + i;\n"
    "    p[get_global_id(0) % 64] = a;\n"
    "}\n";

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel twice, slow;
static cl_mem buffer;
static cl_event large_is_done;
static pid_t first_process;

static void make(void) {
    cl_int e = p_clGetPlatformIDs(1, &platform, NULL);
    if (e != CL_SUCCESS) fail("clGetPlatformIDs", e);
    e = p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (e != CL_SUCCESS) fail("clGetDeviceIDs", e);
    context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    if (e != CL_SUCCESS) fail("clCreateContext", e);
    queue = p_clCreateCommandQueue(context, device, 0, &e);
    if (e != CL_SUCCESS) fail("clCreateCommandQueue", e);
    program = p_clCreateProgramWithSource(context, 1, &source, NULL, &e);
    if (e != CL_SUCCESS) fail("clCreateProgramWithSource", e);
    CHECK(p_clBuildProgram(program, 0, NULL, "", NULL, NULL));
    twice = p_clCreateKernel(program, "twice", &e);
    if (e != CL_SUCCESS) fail("clCreateKernel", e);
    slow = p_clCreateKernel(program, "slow", &e);
    if (e != CL_SUCCESS) fail("clCreateKernel", e);
    buffer = p_clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &e);
    if (e != CL_SUCCESS) fail("clCreateBuffer", e);
    CHECK(p_clSetKernelArg(twice, 0, sizeof buffer, &buffer));
    CHECK(p_clSetKernelArg(slow, 0, sizeof buffer, &buffer));
}

/* Everything works. */
static void compute(void) {
    int in[1024], out[1024];
    size_t size = 1024;
    for (int i = 0; i < 1024; i++) in[i] = i * 3 + 1;
    CHECK(p_clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
    CHECK(p_clEnqueueNDRangeKernel(queue, twice, 1, NULL, &size, NULL, 0, NULL, NULL));
    CHECK(p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++) EXPECT(out[i] == in[i] * 2);
}

static void enqueue_slow(size_t size, cl_event *event) {
    CHECK(p_clEnqueueNDRangeKernel(queue, slow, 1, NULL, &size, NULL, 0, NULL, event));
    CHECK(p_clFlush(queue));
}

/* Work that llvmpipe compiles when it executes it, for a while. */
static void enqueue_large(void) {
    enum { PARTS = 40 };
    static char text[PARTS * 100 + 200];
    const char *lines = text;
    size_t size = 64;
    cl_int e;
    int at = sprintf(text, "kernel void large(global int *p) { int a = p[get_global_id(0)]; float4 f = a;\n");
    for (int i = 0; i < PARTS; i++)
        at += sprintf(text + at, "if (a & %d) { f = f * f + %d; a += (int)f.x; } p[a & 63] += %d;\n", i + 1, i, i);
    sprintf(text + at, "p[get_global_id(0)] = a; }");
    cl_program own = p_clCreateProgramWithSource(context, 1, &lines, NULL, &e);
    if (e != CL_SUCCESS) fail("clCreateProgramWithSource", e);
    CHECK(p_clBuildProgram(own, 0, NULL, "", NULL, NULL));
    cl_kernel large = p_clCreateKernel(own, "large", &e);
    if (e != CL_SUCCESS) fail("clCreateKernel", e);
    CHECK(p_clSetKernelArg(large, 0, sizeof buffer, &buffer));
    CHECK(p_clEnqueueNDRangeKernel(queue, large, 1, NULL, &size, NULL, 0, NULL, &large_is_done));
    CHECK(p_clFlush(queue));
}

static void release(void) {
    CHECK(p_clReleaseMemObject(buffer));
    CHECK(p_clReleaseKernel(twice));
    CHECK(p_clReleaseKernel(slow));
    CHECK(p_clReleaseProgram(program));
    CHECK(p_clReleaseCommandQueue(queue));
    CHECK(p_clReleaseContext(context));
}

/* Nothing works, and everything says so. */
static void refused(void) {
    int data[4];
    size_t size = 4;
    cl_int e = 0;
    cl_uint count;
    char text[64];
    EXPECT(p_clGetPlatformIDs(1, &platform, NULL) == CL_OUT_OF_HOST_MEMORY);
    EXPECT(p_clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL) == CL_OUT_OF_HOST_MEMORY);
    EXPECT(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) == CL_OUT_OF_RESOURCES);
    EXPECT(p_clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL) == CL_OUT_OF_RESOURCES);
    EXPECT(p_clCreateContext(NULL, 1, &device, NULL, NULL, &e) == NULL && e == CL_OUT_OF_RESOURCES);
    EXPECT(p_clCreateBuffer(context, 0, 64, NULL, &e) == NULL && e == CL_OUT_OF_RESOURCES);
    EXPECT(p_clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0) == NULL);
    EXPECT(p_clEnqueueNDRangeKernel(queue, twice, 1, NULL, &size, NULL, 0, NULL, NULL) == CL_OUT_OF_RESOURCES);
    EXPECT(p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL) == CL_OUT_OF_RESOURCES);
    EXPECT(p_clFinish(queue) == CL_OUT_OF_RESOURCES);
    CHECK(p_clRetainContext(context));
    CHECK(p_clReleaseContext(context));
}

static void refused_then_released(void) {
    if (getpid() != first_process) return;
    refused();
    release();
    write(1, "late\n", 5);
}

static void works_then_released(void) {
    compute();
    release();
    write(1, "early\n", 6);
}

/* The handler that is called first finds that what was under way has ended: drivers compile in it. */
static void settled_then_released(void) {
    cl_int status = -1;
    CHECK(p_clGetEventInfo(large_is_done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EXPECT(status == CL_COMPLETE);
    CHECK(p_clReleaseEvent(large_is_done));
    release();
    write(1, "early\n", 6);
}

static int wait_for(pid_t child) {
    for (int i = 0; i < 20000; i++) {
        int status;
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
        EXPECT(done == 0);
        usleep(1000);
    }
    kill(child, SIGKILL);
    return -1;
}

static void *launch_forever(void *unused) {
    (void)unused;
    size_t size = 1024;
    for (;;) {
        if (p_clEnqueueNDRangeKernel(queue, twice, 1, NULL, &size, NULL, 0, NULL, NULL) != CL_SUCCESS) break;
        if (p_clFinish(queue) != CL_SUCCESS) break;
    }
    /* Told that it is over; the end of the process does not depend on this thread. */
    for (;;) pause();
    return NULL;
}

static void *build_forever(void *unused) {
    (void)unused;
    for (int i = 0;; i++) {
        char options[64];
        cl_int e;
        snprintf(options, sizeof options, "-DN=%d", i);
        cl_program p = p_clCreateProgramWithSource(context, 1, &source, NULL, &e);
        if (e != CL_SUCCESS || p_clBuildProgram(p, 0, NULL, options, NULL, NULL) != CL_SUCCESS) break;
        p_clReleaseProgram(p);
    }
    for (;;) pause();
    return NULL;
}

static void CL_CALLBACK exits(cl_event event, cl_int status, void *user) {
    (void)event, (void)status, (void)user;
    exit(7);
}

/* Launches of many work-group sizes. One pipeline serves them all, and each has its own made in the background (tune.often=1). */
static void wish_for_pipelines(void) {
    size_t size = 1009;
    CHECK(p_clEnqueueNDRangeKernel(queue, twice, 1, NULL, &size, NULL, 0, NULL, NULL));
    for (size_t local = 65; local <= 320; local++) {
        size = 1024 / local * local;
        CHECK(p_clEnqueueNDRangeKernel(queue, twice, 1, NULL, &size, &local, 0, NULL, NULL));
    }
}

static void *exits_with_work(void *unused) {
    (void)unused;
    enqueue_large();
    atexit(settled_then_released);
    exit(7);
}

static atomic_int handled;
static void on_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

/* How many threads of the library there are, all of which block this signal. */
static int own_threads(int signal) {
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[512], line[256], name[64] = "";
        unsigned long long blocked = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        while (fgets(line, sizeof line, file)) {
            sscanf(line, "Name: %63[^\n]", name);
            sscanf(line, "SigBlk: %llx", &blocked);
        }
        fclose(file);
        if (strncmp(name, "pumice", 6) != 0) continue;
        EXPECT(blocked >> (signal - 1) & 1);
        found++;
    }
    closedir(tasks);
    return found;
}

static void CL_CALLBACK counts(cl_event event, cl_int status, void *user) {
    (void)event, (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

static void says_handler(void) {
    printf("handler\n");
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
#define MODE(name) (strcmp(mode, name) == 0)
    first_process = getpid();
    alarm(120);
    if (MODE("works")) {
        load(), make(), compute(), release();
    } else if (MODE("handler before dlopen")) {
        atexit(refused_then_released);
        load(), make(), compute();
    } else if (MODE("handler before the platform")) {
        load();
        atexit(refused_then_released);
        make(), compute();
    } else if (MODE("handler before the device")) {
        load();
        EXPECT(p_clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
        atexit(refused_then_released);
        make(), compute();
    } else if (MODE("handler at the end")) {
        load(), make(), compute();
        atexit(works_then_released);
    } else if (MODE("nothing released")) {
        load(), make(), compute();
    } else if (MODE("work in flight")) {
        atexit(refused_then_released);
        load(), make();
        for (int i = 0; i < 4; i++) enqueue_slow(1 << 19, NULL);
    } else if (MODE("work in flight and _exit")) {
        load(), make();
        enqueue_slow(1 << 19, NULL);
        _exit(7);
    } else if (MODE("work that is compiled")) {
        load(), make();
        enqueue_large();
        atexit(settled_then_released);
    } else if (MODE("exit in a thread")) {
        pthread_t thread;
        load(), make();
        pthread_create(&thread, NULL, exits_with_work, NULL);
        for (;;) pause();
    } else if (MODE("exit in a callback")) {
        cl_event event;
        load(), make();
        enqueue_slow(1024, &event);
        CHECK(p_clSetEventCallback(event, CL_COMPLETE, exits, NULL));
        for (;;) pause();
    } else if (MODE("threads in calls")) {
        atexit(refused_then_released);
        load(), make();
        pthread_t thread;
        for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, launch_forever, NULL);
        usleep(100000);
    } else if (MODE("threads in the compiler")) {
        atexit(refused_then_released);
        load(), make();
        pthread_t thread;
        for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, build_forever, NULL);
        usleep(150000);
    } else if (MODE("pipelines in the background")) {
        load(), make(), wish_for_pipelines();
    } else if (MODE("include")) {
        /* argv[2] is the file; the exit code says whether it was read. */
        char text[1024];
        const char *lines = text;
        cl_int e;
        load(), make();
        snprintf(text, sizeof text, "#include \"%s\"\nkernel void k(global int *p) { p[0] = FOUND; }", argv[2]);
        cl_program p = p_clCreateProgramWithSource(context, 1, &lines, NULL, &e);
        if (e != CL_SUCCESS) fail("clCreateProgramWithSource", e);
        _exit(p_clBuildProgram(p, 0, NULL, "", NULL, NULL) == CL_SUCCESS ? 20 : 21);
    } else if (MODE("unloaded")) {
        static atomic_int called;
        cl_event event;
        load(), make();
        enqueue_slow(1 << 16, &event);
        CHECK(p_clSetEventCallback(event, CL_COMPLETE, counts, &called));
        EXPECT(dlclose(handle) == 0);
        while (!called) usleep(1000);
        usleep(400000);
        load(), compute(), release();
    } else if (MODE("fork before all")) {
        load();
        pid_t child = fork();
        make(), compute(), release();
        if (child == 0) exit(5);
        EXPECT(wait_for(child) == 5);
    } else if (MODE("fork") || MODE("fork and _exit")) {
        load(), make(), compute();
        enqueue_slow(1 << 16, NULL);
        for (int i = 0; i < 3; i++) {
            pid_t child = fork();
            if (child == 0) {
                refused(), release();
                if (MODE("fork")) exit(5);
                _exit(5);
            }
            EXPECT(wait_for(child) == 5);
            compute();
        }
        release();
    } else if (MODE("fork with output")) {
        /* The child's end calls the handlers that came after the device, and writes what stdio has. */
        load(), make(), compute();
        atexit(says_handler);
        pid_t child = fork();
        if (child == 0) {
            printf("child\n");
            exit(5);
        }
        EXPECT(wait_for(child) == 5);
        compute(), release();
    } else if (MODE("fork and exec")) {
        load(), make(), compute();
        pid_t child = fork();
        if (child == 0) {
            execl(argv[0], argv[0], "works", NULL);
            _exit(92);
        }
        compute();
        EXPECT(wait_for(child) == 0);
        compute(), release();
    } else if (MODE("fork beside threads")) {
        /* The driver has compiled: a child that comes into being while LLVM does waits for its lock at the end, whoever uses it. */
        load(), make(), compute();
        pthread_t thread;
        for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, launch_forever, NULL);
        pthread_create(&thread, NULL, build_forever, NULL);
        for (int i = 0; i < 20; i++) {
            pid_t child = fork();
            if (child == 0) {
                refused(), release();
                exit(5);
            }
            EXPECT(wait_for(child) == 5);
        }
    } else if (MODE("signals")) {
        static atomic_int called;
        load();
        signal(SIGUSR1, on_signal);
        make(), compute();
        cl_event event;
        enqueue_slow(1 << 14, &event);
        CHECK(p_clSetEventCallback(event, CL_COMPLETE, counts, &called));
        while (!called) usleep(1000);
        /* The callback's and the stream's own. */
        EXPECT(own_threads(SIGUSR1) >= 1);
        /* None but this thread could take it, and this one does not want it yet. */
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        kill(getpid(), SIGUSR1);
        usleep(20000);
        compute();
        EXPECT(handled == 0);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        EXPECT(handled == 1);
        compute(), release();
    } else {
        fprintf(stderr, "no mode '%s'\n", mode);
        return 93;
    }
    write(1, "end of main\n", 12);
    return 0;
}

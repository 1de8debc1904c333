/* Counts what a program asks of OpenCL: LD_PRELOAD it, and PUMICE_CTS_CALLS names the file that the number is written to at the end.
 *
 * scripts/cts and scripts/cts-device tell with it whether a sub-test that passes has asked anything of the device: programs, kernels,
 * commands, memory. Each of these functions takes integers and pointers only, at most 13 of them, and returns one; on the 64-bit ABIs of
 * Linux such a function can be called with 14 words, whatever its own number of parameters. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef long word;
typedef word function(word, word, word, word, word, word, word, word, word, word, word, word, word, word);
static atomic_long calls;

#define COUNT(name)                                                                                                            \
    word name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, word m, word n) { \
        static function *_Atomic next;                                                                                         \
        function *call = next;                                                                                                 \
        if (!call && !(call = next = (function *)dlsym(RTLD_NEXT, #name))) _exit(127);                                         \
        calls++;                                                                                                               \
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n);                                                                 \
    }

COUNT(clBuildProgram)
COUNT(clCompileProgram)
COUNT(clLinkProgram)
COUNT(clCreateBuffer)
COUNT(clCreateImage)
COUNT(clCreateKernel)
COUNT(clCreateKernelsInProgram)
COUNT(clSVMAlloc)
COUNT(clEnqueueNDRangeKernel)
COUNT(clEnqueueTask)
COUNT(clEnqueueReadBuffer)
COUNT(clEnqueueReadBufferRect)
COUNT(clEnqueueWriteBuffer)
COUNT(clEnqueueWriteBufferRect)
COUNT(clEnqueueCopyBuffer)
COUNT(clEnqueueCopyBufferRect)
COUNT(clEnqueueFillBuffer)
COUNT(clEnqueueReadImage)
COUNT(clEnqueueWriteImage)
COUNT(clEnqueueCopyImage)
COUNT(clEnqueueFillImage)
COUNT(clEnqueueMapBuffer)
COUNT(clEnqueueMapImage)
COUNT(clEnqueueSVMMap)
COUNT(clEnqueueSVMMemcpy)
COUNT(clEnqueueSVMMemFill)
COUNT(clEnqueueMarker)
COUNT(clEnqueueMarkerWithWaitList)
COUNT(clEnqueueBarrierWithWaitList)

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("PUMICE_CTS_CALLS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", (long)calls);
    fclose(file);
}

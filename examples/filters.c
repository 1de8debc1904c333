/* Pictures by kernels that read and write images: those of filters.cl and volume.cl, with the OpenCL 1.2 API and nothing else.
 *
 *     cc -o filters filters.c -lOpenCL        (Debian: apt install ocl-icd-opencl-dev)
 *     ./filters                               (./filters DIRECTORY where the .cl files are elsewhere)
 *
 * It makes a scene, its blur, its edges, its bilateral filter and an enlarged one, then a volume and a picture of it by rays, each
 * written to a file that most viewers show: scene.ppm, blur.ppm, sobel.pgm, bilateral.ppm, resize.ppm, cloud.ppm. The same pictures
 * are made by the commands in filters.cl and volume.cl.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

/* Ends the program when a call failed. */
static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    exit(1);
}

static void stop(const char *file, const char *why)
{
    fprintf(stderr, "%s: %s\n", file, why);
    exit(1);
}

static void open_device(void)
{
    cl_int code;
    cl_platform_id platform;
    cl_bool images = CL_FALSE;
    char name[256];
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "device name");
    check(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), "image support");
    printf("%s\n", name);
    if (!images)
        stop(name, "this device has no images");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
}

/* The program in a file, built. */
static cl_program build(const char *directory, const char *file)
{
    static char path[4096], source[65536], log[16384];
    const char *text = source;
    cl_int code;
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *in = fopen(path, "rb");
    if (!in)
        stop(path, "cannot be read");
    size_t length = fread(source, 1, sizeof source, in);
    fclose(in);
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &code);
    check(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (code != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(code, "clBuildProgram");
    return program;
}

/* An image of bytes that stand for 0 to 1: of one channel or four; flat where its depth is 1. */
static cl_mem image(cl_channel_order order, size_t width, size_t height, size_t depth)
{
    cl_int code;
    cl_image_format format = {order, CL_UNORM_INT8};
    cl_image_desc desc = {0};
    desc.image_type = depth > 1 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth > 1 ? depth : 0;
    cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    check(code, "clCreateImage");
    return made;
}

static cl_sampler sampler(cl_addressing_mode addressing)
{
    cl_int code;
    cl_sampler made = clCreateSampler(context, CL_TRUE, addressing, CL_FILTER_LINEAR, &code);
    check(code, "clCreateSampler");
    return made;
}

/* Runs a kernel with a work-item for each texel of `out`. `types` has a letter for each of its arguments, which follow: i an image,
 * s a sampler, f a float. */
static void run(cl_program program, const char *name, cl_mem out, const char *types, ...)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    check(code, "clCreateKernel");
    va_list arguments;
    va_start(arguments, types);
    for (cl_uint index = 0; types[index]; index++) {
        if (types[index] == 'i') {
            cl_mem value = va_arg(arguments, cl_mem);
            code = clSetKernelArg(kernel, index, sizeof value, &value);
        } else if (types[index] == 's') {
            cl_sampler value = va_arg(arguments, cl_sampler);
            code = clSetKernelArg(kernel, index, sizeof value, &value);
        } else {
            cl_float value = (cl_float)va_arg(arguments, double);
            code = clSetKernelArg(kernel, index, sizeof value, &value);
        }
        check(code, "clSetKernelArg");
    }
    va_end(arguments);

    size_t global[3];
    check(clGetImageInfo(out, CL_IMAGE_WIDTH, sizeof(size_t), &global[0], NULL), "clGetImageInfo");
    check(clGetImageInfo(out, CL_IMAGE_HEIGHT, sizeof(size_t), &global[1], NULL), "clGetImageInfo");
    check(clGetImageInfo(out, CL_IMAGE_DEPTH, sizeof(size_t), &global[2], NULL), "clGetImageInfo");
    cl_uint dimensions = global[2] > 1 ? 3 : 2;
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, NULL, 0, NULL, NULL), name);
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

/* Writes a flat image: grey as PGM; colours as PPM, which has no room for the fourth channel. */
static void save(cl_mem from, const char *file)
{
    size_t texel, region[3] = {0, 0, 1}, origin[3] = {0, 0, 0};
    check(clGetImageInfo(from, CL_IMAGE_ELEMENT_SIZE, sizeof texel, &texel, NULL), "clGetImageInfo");
    check(clGetImageInfo(from, CL_IMAGE_WIDTH, sizeof(size_t), &region[0], NULL), "clGetImageInfo");
    check(clGetImageInfo(from, CL_IMAGE_HEIGHT, sizeof(size_t), &region[1], NULL), "clGetImageInfo");
    size_t count = region[0] * region[1];
    unsigned char *texels = malloc(count * texel);
    FILE *out = fopen(file, "wb");
    if (!texels || !out)
        stop(file, "cannot be written");
    check(clEnqueueReadImage(queue, from, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL), "clEnqueueReadImage");
    fprintf(out, "P%c\n%zu %zu\n255\n", texel == 1 ? '5' : '6', region[0], region[1]);
    for (size_t i = 0; i < count; i++)
        fwrite(texels + i * texel, 1, texel == 1 ? 1 : 3, out);
    if (fclose(out) != 0)
        stop(file, "cannot be written");
    free(texels);
    printf("%s\n", file);
}

int main(int argc, char **argv)
{
    const char *directory = argc > 1 ? argv[1] : ".";
    open_device();

    cl_program filters = build(directory, "filters.cl");
    cl_mem scene = image(CL_RGBA, 256, 192, 1);
    run(filters, "scene", scene, "i", scene);
    save(scene, "scene.ppm");

    cl_mem blurred = image(CL_RGBA, 256, 192, 1);
    run(filters, "blur", blurred, "iif", scene, blurred, 3.0);
    save(blurred, "blur.ppm");

    cl_mem edges = image(CL_R, 256, 192, 1);
    run(filters, "sobel", edges, "ii", scene, edges);
    save(edges, "sobel.pgm");

    cl_mem smooth = image(CL_RGBA, 256, 192, 1);
    run(filters, "bilateral", smooth, "iiff", scene, smooth, 3.0, 0.2);
    save(smooth, "bilateral.ppm");

    cl_mem large = image(CL_RGBA, 384, 288, 1);
    cl_sampler to_edge = sampler(CL_ADDRESS_CLAMP_TO_EDGE);
    run(filters, "resize", large, "isi", scene, to_edge, large);
    save(large, "resize.ppm");

    cl_program rays = build(directory, "volume.cl");
    cl_mem volume = image(CL_R, 64, 64, 64), picture = image(CL_RGBA, 256, 256, 1);
    cl_sampler to_border = sampler(CL_ADDRESS_CLAMP);
    run(rays, "cloud", volume, "i", volume);
    run(rays, "cast", picture, "isfi", volume, to_border, 0.6, picture);
    save(picture, "cloud.ppm");

    cl_mem images[] = {scene, blurred, edges, smooth, large, volume, picture};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        check(clReleaseMemObject(images[i]), "clReleaseMemObject");
    check(clReleaseSampler(to_edge), "clReleaseSampler");
    check(clReleaseSampler(to_border), "clReleaseSampler");
    check(clReleaseProgram(filters), "clReleaseProgram");
    check(clReleaseProgram(rays), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}

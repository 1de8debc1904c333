/* Kernels of OpenCL C, compiled ahead of time by `pumice compile -o kernels.pum`, for applications that talk Vulkan themselves.
 * docs/how-to/aot.md is the manual. Include <vulkan/vulkan.h> before this file. No function makes Vulkan objects, all may be called by
 * several threads at once; but for pumice_vk_open and pumice_vk_close none changes a program.
 *
 * Functions that fail give NULL or -1, and write why into the message, if there is one. Functions that list things copy as many
 * as there is room for and give how many there are; with NULL for `out` they copy none. */
#ifndef PUMICE_VK_H
#define PUMICE_VK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PumiceVkProgram PumiceVkProgram;

typedef struct { char text[512]; } PumiceVkMessage;

/* Reads a bundle and takes from it what fits the device best. apiVersion is that of the instance's VkApplicationInfo. Nothing of
 * the bytes is used after the call. */
PumiceVkProgram *pumice_vk_open(const void *bytes, size_t size, PFN_vkGetInstanceProcAddr getInstanceProcAddr,
                                VkInstance instance, VkPhysicalDevice device, uint32_t apiVersion, PumiceVkMessage *message);
void pumice_vk_close(PumiceVkProgram *program);

/* The module, for VkShaderModuleCreateInfo; as long as the program is open. */
const uint32_t *pumice_vk_spirv(const PumiceVkProgram *program, size_t *bytes);

/* What a VkDevice must be made with: extensions, and features, for which `create` is called with a VkPhysicalDeviceFeatures2 for
 * VkDeviceCreateInfo::pNext. */
size_t pumice_vk_extensions(const PumiceVkProgram *program, const char **names, size_t room);
void pumice_vk_features(const PumiceVkProgram *program, void (*create)(const void *features2, void *user), void *user);

/* Kernels by number, from 0 on. A kernel's name is its entry point. */
int32_t pumice_vk_kernel(const PumiceVkProgram *program, const char *name);
const char *pumice_vk_kernel_name(const PumiceVkProgram *program, uint32_t kernel);

/* Where the argument block goes, the bytes that each launch hands over. */
enum {
    PUMICE_VK_BLOCK_NONE = 0,
    PUMICE_VK_BLOCK_PUSH_CONSTANTS = 1, /* from offset 0 */
    PUMICE_VK_BLOCK_BUFFER = 2,         /* a storage buffer with the binding blockBinding */
    PUMICE_VK_BLOCK_ADDRESS = 3         /* a buffer whose address is the only push constant, at offset 0 */
};

typedef struct {
    uint32_t arguments, descriptors;
    uint32_t pushConstantBytes; /* of VkPushConstantRange, from offset 0; 0: none */
    uint32_t blockPlace, blockBytes, blockBinding;
    uint32_t takesPrintfBuffer; /* see docs/how-to/aot.md */
    uint32_t localBytes;        /* of __local variables, without __local arguments */
    uint32_t requiredSize[3];   /* of work-groups; 0 where any will do */
} PumiceVkLayout;

int32_t pumice_vk_layout(const PumiceVkProgram *program, uint32_t kernel, PumiceVkLayout *out);

/* What a descriptor is of. */
enum {
    PUMICE_VK_ARGUMENT = 0, /* the buffer of argument `index` */
    PUMICE_VK_BLOCK = 1,
    PUMICE_VK_CONSTANTS = 2, /* the buffers of pumice_vk_data */
    PUMICE_VK_GLOBALS = 3,
    PUMICE_VK_PRINTF = 4,
    PUMICE_VK_IMAGE = 5,  /* a view of the image of argument `index` */
    PUMICE_VK_SAMPLER = 6, /* sampler `index` of the kernel */
    PUMICE_VK_WINDOW = 8   /* a buffer with many arguments in it: docs/how-to/aot.md */
};

/* One descriptor of set 0, with one element, for the compute stage. */
typedef struct { uint32_t binding, descriptorType, source, index; } PumiceVkDescriptor;

size_t pumice_vk_descriptors(const PumiceVkProgram *program, uint32_t kernel, PumiceVkDescriptor *out, size_t room);

/* What an argument is. */
enum { PUMICE_VK_BUFFER = 0, PUMICE_VK_VALUE = 1, PUMICE_VK_LOCAL = 2, PUMICE_VK_IMAGE_ARG = 3, PUMICE_VK_SAMPLER_ARG = 4 };

typedef struct {
    uint32_t kind;
    uint32_t bits;          /* of a sampler; of an image: channel order, channel data type << 16 (OpenCL's numbers) */
    uint64_t size;          /* bytes of a buffer, a value, local memory */
    uint64_t address;       /* of a buffer, where the kernel takes addresses; its place, where it has windows; else 0 */
    const void *bytes;      /* of a value */
    uint32_t imageSize[3];
    uint16_t imageLevels, imageSamples;
} PumiceVkArg;

int32_t pumice_vk_argument_kind(const PumiceVkProgram *program, uint32_t kernel, uint32_t argument);

/* An NDRange of one vkCmdDispatch. Work-groups divide it, unless the kernel returns beyond its end; what there is no dimension for is 1. */
typedef struct { uint32_t dimensions, global[3], offset[3], local[3]; } PumiceVkLaunch;

/* Addresses (places, where the kernel has windows) of what a program has besides its arguments; 0 where the kernel takes descriptors.
   windows: the places at which the buffers begin that are bound as windows, ascending; 0 for the rest. NULL: all 0. */
typedef struct { uint64_t constants, globals, printf, windows[4]; } PumiceVkAddresses;

/* Specialization constants of 32 bits: the work-group size, the sizes of __local arguments. A pipeline is for these. */
typedef struct { uint32_t id, value; } PumiceVkConstant;
ptrdiff_t pumice_vk_specialization(const PumiceVkProgram *program, uint32_t kernel, const PumiceVkLaunch *launch,
                                   const PumiceVkArg *args, size_t count, PumiceVkConstant *out, size_t room,
                                   PumiceVkMessage *message);

/* For vkCmdDispatch. */
int32_t pumice_vk_groups(const PumiceVkProgram *program, uint32_t kernel, const PumiceVkLaunch *launch, uint32_t out[3],
                         PumiceVkMessage *message);

/* The argument block's bytes. */
ptrdiff_t pumice_vk_block(const PumiceVkProgram *program, uint32_t kernel, const PumiceVkLaunch *launch, const PumiceVkArg *args,
                          size_t count, const PumiceVkAddresses *addresses, void *out, size_t room, PumiceVkMessage *message);

/* The first bytes of the program's constants (`globals` 0) or variables (1); none: 0. */
ptrdiff_t pumice_vk_data(const PumiceVkProgram *program, int32_t globals, const PumiceVkAddresses *addresses, void *out,
                         size_t room, PumiceVkMessage *message);

#ifdef __cplusplus
}
#endif
#endif

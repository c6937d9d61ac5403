/* The OpenCL back end on device 0: devices and what they may lack, memory, launches, programs and their cache, the self-test
 * against planted errors in the kernels' source. Exit code 77 when there is no device. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/work.h"
#include "test/direct.h"
#include "test/folder.h"
#include "test/opencl_device.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
/* Programs that a device that is a processor builds in seconds; the parity gate builds all. */
enum {
    SOME = 1u << VQX_PROGRAM_SELF_TEST | 1u << VQX_PROGRAM_SUM | 1u << VQX_PROGRAM_PACK | 1u << VQX_PROGRAM_SQUARE,
    SOME_COUNT = 4
};

static const vqx_format small = {.width = 16, .height = 16, .bits = 8};

/* ---- without the library, before anything has loaded it ------------------------------------------------------------------ */

static void no_library(void **state) {
    (void)state;
    vqx_device *device;
    vqx_opencl_library = "libOpenCL-none.so.1";
    assert_int_equal(cl->list(NULL, 0, &message), 0);
    says("libOpenCL-none.so.1: cannot open shared object file");
    message.text[0] = '\0';
    assert_int_equal(cl->open(&device, 0, true, false, &message), -ENODEV);
    says("libOpenCL-none.so.1: cannot open shared object file");
    assert_null(device);
    vqx_opencl_library = "libm.so.6";
    assert_int_equal(cl->list(NULL, 0, &message), 0);
    says("libm.so.6: it has no clBuildProgram");
    vqx_opencl_library = "libOpenCL.so.1";
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

static void lists(void **state) {
    (void)state;
    vqx_device_state device[64], one;
    vqx_device *opened;
    char what[64];
    const unsigned count = cl->list(device, 64, &message);
    assert_in_range(count, 1, 64);
    assert_int_equal(cl->list(NULL, 0, &message), count);
    assert_int_equal(cl->list(&one, 1, &message), count);
    assert_memory_equal(&one, device, sizeof(one));
    for (unsigned i = 0; i < count; i++) {
        const size_t length = strlen(device[i].name);
        assert_in_range(length, 1, sizeof(device[i].name) - 1);
        assert_true(device[i].name[0] != ' ' && device[i].name[length - 1] != ' ');
    }
    assert_string_equal(device[0].why, "");
    assert_string_equal(shared->name, device[0].name);
    assert_int_equal(cl->open(&opened, count, true, false, &message), -ENODEV);
    snprintf(what, sizeof(what), "there are only devices 0 to %u", count - 1);
    assert_string_equal(message.text, what);
}

static cl_device_info faked_info;
static const void *faked_value;
static size_t faked_size;

static cl_int fake_device_info(cl_device_id id, cl_device_info what, size_t size, void *value, size_t *needed) {
    if (what != faked_info)
        return real.GetDeviceInfo(id, what, size, value, needed);
    if (!faked_value)
        return CL_INVALID_VALUE;
    assert_true(size >= faked_size);
    memcpy(value, faked_value, faked_size);
    return CL_SUCCESS;
}

/* A device that lacks one thing. */
static void refuses(void **state) {
    (void)state;
    const cl_device_fp_config all = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST;
    const cl_device_fp_config divides = all & ~(cl_device_fp_config)CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
                              flushes = all & ~(cl_device_fp_config)CL_FP_DENORM,
                              cuts = all & ~(cl_device_fp_config)CL_FP_ROUND_TO_NEAREST;
    const cl_bool no = CL_FALSE;
    const cl_ulong local = 32767;
    const size_t lanes = 255, sizes[3] = {255, 4096, 4096};
    const struct {
        cl_device_info what;
        const void *value;
        size_t size;
        const char *why;
    } lacks[] = {
        {CL_DEVICE_VERSION, "OpenCL 1.1 old", 15, "its OpenCL is older than 1.2"},
        {CL_DEVICE_VERSION, "nonsense", 9, "its OpenCL is older than 1.2"},
        {CL_DEVICE_AVAILABLE, &no, sizeof(no), "not available"},
        {CL_DEVICE_COMPILER_AVAILABLE, &no, sizeof(no), "its driver has no compiler"},
        {CL_DEVICE_ENDIAN_LITTLE, &no, sizeof(no), "big endian"},
        {CL_DEVICE_PROFILE, "EMBEDDED_PROFILE", 17, "no 64-bit integers"},
        {CL_DEVICE_SINGLE_FP_CONFIG, &divides, sizeof(divides), "fp32 division and square root are not correctly rounded"},
        {CL_DEVICE_SINGLE_FP_CONFIG, &flushes, sizeof(flushes), "no subnormal fp32 numbers"},
        {CL_DEVICE_SINGLE_FP_CONFIG, &cuts, sizeof(cuts), "fp32 is not rounded to nearest"},
        {CL_DEVICE_SINGLE_FP_CONFIG, NULL, 0, "fp32 division and square root are not correctly rounded"},
        {CL_DEVICE_LOCAL_MEM_SIZE, &local, sizeof(local), "less than 32 KB of local memory"},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, &lanes, sizeof(lanes), "groups of less than 256 work items"},
        {CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof(sizes), "groups of less than 256 work items"},
    };
    vqx_cl.GetDeviceInfo = fake_device_info;
    for (size_t i = 0; i < LENGTH(lacks); i++) {
        vqx_device_state device;
        vqx_device *opened;
        faked_info = lacks[i].what;
        faked_value = lacks[i].value;
        faked_size = lacks[i].size;
        cl->list(&device, 1, &message);
        assert_string_equal(device.why, lacks[i].why);
        assert_int_equal(cl->open(&opened, 0, true, false, &message), -ENODEV);
        says(lacks[i].why);
        says(device.name);
    }
}

static void lacks_fp64(void **state) {
    (void)state;
    const cl_device_fp_config config[] = {0, CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST, CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST,
                                          CL_FP_INF_NAN | CL_FP_DENORM};
    vqx_cl.GetDeviceInfo = fake_device_info;
    faked_info = CL_DEVICE_DOUBLE_FP_CONFIG;
    faked_size = sizeof(config[0]);
    for (size_t i = 0; i < LENGTH(config); i++) {
        vqx_device *device;
        faked_value = &config[i];
        check(cl->open(&device, 0, true, false, &message));
        assert_false(device->fp64);
        cl->close(device);
    }
}

static void is_gpu(void **state) {
    (void)state;
    const cl_device_type type[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM};
    vqx_cl.GetDeviceInfo = fake_device_info;
    faked_info = CL_DEVICE_TYPE;
    faked_size = sizeof(type[0]);
    for (size_t i = 0; i < LENGTH(type); i++) {
        vqx_device_state device;
        faked_value = &type[i];
        cl->list(&device, 1, &message);
        assert_int_equal(device.gpu, i == 1 || i == 2);
    }
}

static void trims_names(void **state) {
    (void)state;
    vqx_device_state device;
    vqx_cl.GetDeviceInfo = fake_device_info;
    faked_info = CL_DEVICE_NAME;
    faked_value = "   Some  Device ";
    faked_size = 17;
    cl->list(&device, 1, &message);
    assert_string_equal(device.name, "Some  Device");
}

static cl_int platforms_none(cl_uint most, cl_platform_id *platform, cl_uint *count) {
    (void)most, (void)platform, (void)count;
    return -1001;
}
static cl_int devices_none(cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *device, cl_uint *count) {
    (void)platform, (void)type, (void)most, (void)device, (void)count;
    return CL_DEVICE_NOT_FOUND;
}

static void none(void **state) {
    (void)state;
    vqx_device *device;
    vqx_cl.GetPlatformIDs = platforms_none;
    assert_int_equal(cl->list(NULL, 0, &message), 0);
    assert_string_equal(message.text, "libOpenCL.so.1: no device, CL_PLATFORM_NOT_FOUND_KHR");
    assert_int_equal(cl->open(&device, 0, true, false, &message), -ENODEV);
    says("libOpenCL.so.1: no device");
    vqx_cl = real;
    vqx_cl.GetDeviceIDs = devices_none;
    assert_int_equal(cl->list(NULL, 0, &message), 0);
    assert_string_equal(message.text, "libOpenCL.so.1: no device");
}

/* Two platforms with the same device; the second one is not there at all. */
static int second;
static cl_int platforms_two(cl_uint most, cl_platform_id *platform, cl_uint *count) {
    cl_platform_id first[1];
    assert_true(most >= 2);
    assert_int_equal(real.GetPlatformIDs(1, first, NULL), CL_SUCCESS);
    platform[0] = (cl_platform_id)(void *)&second;
    platform[1] = first[0];
    *count = 2;
    return CL_SUCCESS;
}
static cl_int devices_of_first(cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *device, cl_uint *count) {
    cl_platform_id first;
    (void)platform, (void)most;
    assert_int_equal(real.GetPlatformIDs(1, &first, NULL), CL_SUCCESS);
    *count = 1;
    return real.GetDeviceIDs(first, type, 1, device, NULL);
}
static cl_int platform_info_two(cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *needed) {
    if (platform != (cl_platform_id)(void *)&second)
        return real.GetPlatformInfo(platform, what, size, value, needed);
    snprintf(value, size, "Second");
    return CL_SUCCESS;
}

static void same_names(void **state) {
    (void)state;
    vqx_device_state device[2];
    vqx_cl.GetPlatformIDs = platforms_two;
    vqx_cl.GetDeviceIDs = devices_of_first;
    vqx_cl.GetPlatformInfo = platform_info_two;
    assert_int_equal(cl->list(device, 2, &message), 2);
    const size_t length = strlen(shared->name);
    assert_memory_equal(device[0].name, shared->name, length);
    assert_string_equal(device[0].name + length, " (Second)");
    assert_memory_equal(device[1].name, shared->name, length);
    assert_memory_equal(device[1].name + length, " (", 2);
}

/* ---- memory and launches ------------------------------------------------------------------------------------------------- */

static void moves_bytes(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 3, 64, 4097, 1000003};
    vqx_queue *queue;
    check(cl->queue_open(&queue, shared, &message));
    for (size_t s = 0; s < LENGTH(sizes); s++) {
        const size_t size = sizes[s];
        vqx_buffer a, b;
        void *from, *to, *from_handle, *to_handle;
        uint64_t seed = s;
        check(cl->alloc(&a, shared, size, &message));
        check(cl->alloc(&b, shared, size, &message));
        check(cl->host_alloc(&from, &from_handle, shared, size, &message));
        check(cl->host_alloc(&to, &to_handle, shared, size, &message));
        assert_int_equal((uintptr_t)from % 64, 0);
        assert_int_equal((uintptr_t)to % 64, 0);
        uint8_t *plain = malloc(size); /* memory of no device will do, too */
        assert_non_null(plain);
        for (size_t i = 0; i < size; i++)
            ((uint8_t *)from)[i] = (uint8_t)(direct_random(&seed) >> 32);
        memset(to, 0, size);
        memset(plain, 0, size);
        check(cl->upload(queue, a, from, size, &message));
        check(cl->copy(queue, b, a, size, &message));
        check(cl->download(queue, to, b, size, &message));
        check(cl->download(queue, plain, a, size, &message));
        check(cl->wait(queue, &message));
        assert_memory_equal(to, from, size);
        assert_memory_equal(plain, from, size);
        free(plain);
        cl->free(shared, a);
        cl->free(shared, b);
        cl->host_free(shared, from, from_handle);
        cl->host_free(shared, to, to_handle);
    }
    cl->queue_close(queue);
}

/* Sums of random words in a slot of its own. */
static void check_sums(vqx_device *device, uint64_t seed) {
    enum { MOST = 5000, COLUMNS = 3, AT = 7 };
    static const uint32_t counts[] = {1, 2, 255, 256, 257, 1013, MOST - 5};
    uint64_t(*part)[COLUMNS] = malloc(MOST * sizeof(*part));
    vqx_work *work;
    assert_non_null(part);
    check(vqx_work_open(&work, device, &small, 1, &message));
    for (size_t i = 0; i < MOST * COLUMNS; i++)
        part[i / COLUMNS][i % COLUMNS] = direct_random(&seed);
    vqx_buffer parts = vqx_work_table(work, VQX_SCRATCH_TABLE, part, MOST * sizeof(*part));
    for (size_t c = 0; c < LENGTH(counts); c++) {
        uint64_t expected[COLUMNS] = {0};
        for (uint32_t i = 5; i < 5 + counts[c]; i++)
            for (int k = 0; k < COLUMNS; k++)
                expected[k] += part[i][k];
        vqx_run_sum_u64(work, COLUMNS, 1, parts, 5, counts[c], COLUMNS, work->result, AT);
        vqx_run_sum_u64(work, 0, 1, parts, 5, counts[c], COLUMNS, work->result, AT); /* no groups: nothing */
        vqx_run_sum_u64(work, 1, 0, parts, 5, counts[c], COLUMNS, work->result, AT);
        if (vqx_work_wait(work, AT + COLUMNS) < 0)
            fail_msg("%s", work->message.text);
        assert_memory_equal(work->words + AT, expected, sizeof(expected));
    }
    vqx_work_close(&work);
    free(part);
}

static cl_int launch_something(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                               const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait, cl_event *event) {
    assert_true(global[0] > 0 && global[1] > 0); /* OpenCL 1.2 does not take nothing */
    return real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait, event);
}

static void sums(void **state) {
    (void)state;
    vqx_cl.EnqueueNDRangeKernel = launch_something;
    check_sums(shared, 1);
}

static void *sums_thread(void *seed) {
    for (int i = 0; i < 10; i++)
        check_sums(shared, *(uint64_t *)seed + (unsigned)i);
    return NULL;
}

/* Each queue has its own arguments. */
static void sums_of_threads(void **state) {
    (void)state;
    pthread_t thread[3];
    uint64_t seed[3] = {100, 200, 300};
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, sums_thread, &seed[i]), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

static void measures(void **state) {
    (void)state;
    for (int profile = 0; profile < 2; profile++) {
        vqx_device *device;
        vqx_work *work;
        vqx_times times;
        uint64_t part[100] = {1};
        check(cl->open(&device, 0, true, profile, &message));
        check(vqx_work_open(&work, device, &small, 1, &message));
        for (int i = 0; i < 100; i++) {
            vqx_buffer buffer = vqx_work_scratch(work, 0, sizeof(part));
            check(cl->upload(work->queue, buffer, part, sizeof(part), &message));
            vqx_run_sum_u64(work, 1, 1, buffer, 0, 100, 1, work->result, 0);
        }
        assert_int_equal(vqx_work_wait(work, 1), 0);
        cl->times(work->queue, &times);
        assert_int_equal(times.bytes_up - work->before.bytes_up, 100 * sizeof(part));
        assert_int_equal(times.bytes_down, sizeof(uint64_t));
        assert_int_equal(times.upload > 0, profile);
        assert_int_equal(times.kernels > 0, profile);
        assert_int_equal(times.download > 0, profile);
        assert_true(times.upload + times.kernels + times.download < 10);
        vqx_run_sum_u64(work, 1, 1, work->scratch[0].buffer, 0, 100, 1, work->result, 0); /* is not waited for */
        vqx_work_close(&work);
        cl->close(device);
    }
}

/* Memory that was filled through another opening of the device, read where it is or packed. */
static void adopts(void **state) {
    (void)state;
    vqx_device *device;
    vqx_work *work;
    vqx_queue *queue;
    uint8_t picture[16][24], seen[16][16];
    uint64_t seed = 9;
    for (size_t i = 0; i < sizeof(picture); i++)
        picture[i / 24][i % 24] = (uint8_t)(direct_random(&seed) >> 32);
    check(cl->open(&device, 0, true, false, &message));
    check(cl->queue_open(&queue, device, &message));
    check(vqx_work_open(&work, shared, &small, 1, &message));
    for (int wide = 0; wide < 2; wide++) {
        const size_t stride = wide ? 24 : 16;
        vqx_buffer buffer;
        check(cl->alloc(&buffer, device, 16 * stride, &message));
        check(cl->upload(queue, buffer, picture, 16 * stride, &message));
        check(cl->wait(queue, &message));
        vqx_work_adopt(work, 1, 1, &(vqx_plane){.data = (const uint8_t *)buffer, .stride = (ptrdiff_t)stride});
        assert_int_equal(work->plane[1][0] == buffer, !wide);
        check(work->err < 0 ? work->err : cl->download(work->queue, seen, work->plane[1][0], sizeof(seen), &work->message));
        check(vqx_work_wait(work, 0));
        for (size_t y = 0; y < 16; y++)
            assert_memory_equal(seen[y], (const uint8_t *)picture + y * stride, 16);
        cl->free(device, buffer);
    }
    vqx_work_close(&work);
    cl->queue_close(queue);
    cl->close(device);
}

/* ---- programs ------------------------------------------------------------------------------------------------------------ */

/* Opens device 0, builds these programs, and says how many programs came from where. */
static void build(bool fp64, unsigned *from_source, unsigned *from_cache) {
    vqx_device *device;
    check(cl->open(&device, 0, fp64, false, &message));
    assert_int_equal(device->fp64, fp64 && shared->fp64);
    check(cl->prepare(device, SOME, &message));
    check(cl->prepare(device, SOME, &message));
    check_sums(device, 3);
    *from_source = ((vqx_opencl_device *)device)->from_source;
    *from_cache = ((vqx_opencl_device *)device)->from_cache;
    cl->close(device);
}

static void stores_programs(void **state) {
    (void)state;
    char own[FOLDER_SIZE], path[FOLDER_SIZE + 64];
    unsigned source, cache;
    assert_int_equal(folder_make(own), 0);
    setenv("VQX_CACHE_DIR", own, 1);
    for (int fp64 = 0; fp64 < 2; fp64++) {
        build(fp64, &source, &cache);
        assert_int_equal(source, SOME_COUNT);
        assert_int_equal(cache, 0);
        assert_int_equal(folder_files(own, path, sizeof(path)), SOME_COUNT * (fp64 + 1));
        build(fp64, &source, &cache);
        assert_int_equal(source, 0);
        assert_int_equal(cache, SOME_COUNT);
        if (!shared->fp64)
            break;
    }
    assert_int_equal(folder_remove(own), 0);
}

/* The self-test program alone, as open() builds it. */
static void open_counts(unsigned from_source, unsigned from_cache) {
    vqx_device *device;
    check(cl->open(&device, 0, true, false, &message));
    assert_int_equal(((vqx_opencl_device *)device)->from_source, from_source);
    assert_int_equal(((vqx_opencl_device *)device)->from_cache, from_cache);
    cl->close(device);
}

static void one_byte_changed(const char *path, long at) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_END);
    const int byte = getc(file);
    fseek(file, at, SEEK_END);
    putc(byte ^ 16, file);
    assert_int_equal(fclose(file), 0);
}

static cl_int load_refused(cl_program program, cl_uint devices, const cl_device_id *device, const char *options,
                           void(CL_CALLBACK *done)(cl_program, void *), void *cookie) {
    vqx_cl.BuildProgram = real.BuildProgram;
    (void)program, (void)devices, (void)device, (void)options, (void)done, (void)cookie;
    return CL_INVALID_BINARY;
}

static cl_int other_driver(cl_device_id id, cl_device_info what, size_t size, void *value, size_t *needed) {
    const cl_int status = real.GetDeviceInfo(id, what, size, value, needed);
    if (what == CL_DRIVER_VERSION)
        ((char *)value)[0] ^= 1;
    return status;
}

static void cache_is_harmless(void **state) {
    (void)state;
    char own[FOLDER_SIZE], path[FOLDER_SIZE + 64];
    assert_int_equal(folder_make(own), 0);
    setenv("VQX_CACHE_DIR", own, 1);
    open_counts(1, 0);
    open_counts(0, 1);
    assert_int_equal(folder_files(own, path, sizeof(path)), 1);
    one_byte_changed(path, -100); /* damaged: built again, and stored again */
    open_counts(1, 0);
    open_counts(0, 1);
    vqx_cl.BuildProgram = load_refused; /* the driver does not want what it made */
    open_counts(1, 0);
    vqx_cl.GetDeviceInfo = other_driver;
    open_counts(1, 0);
    open_counts(0, 1);
    vqx_cl.GetDeviceInfo = real.GetDeviceInfo;
    open_counts(0, 1);
    vqx_opencl_replace_source("#define VQX_ENTRY(name, count, local)",
                              "#define VQX_ENTRY(name, count, local) "); /* keeps away from it */
    open_counts(1, 0);
    vqx_opencl_replace_source(NULL, NULL);
    setenv("VQX_CACHE_DIR", "", 1);
    open_counts(1, 0);
    setenv("VQX_CACHE_DIR", "/proc/none", 1);
    open_counts(1, 0);
    assert_int_equal(folder_remove(own), 0);
}

static void replaces_source(void **state) {
    (void)state;
    assert_int_equal(vqx_opencl_replace_source("no such text", "other"), 0);
    assert_true(vqx_opencl_replace_source("VQX_FN", "other") > 1);
    open_counts(0, 1); /* nothing was changed */
}

/* Errors that the self-test is there for, planted in the source. */
static void sees_errors(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
        bool soft; /* in what stands for fp64 */
    } error[] = {
        {"#pragma OPENCL FP_CONTRACT OFF", "#pragma OPENCL FP_CONTRACT ON", "contracts a * b + c of fp32 numbers", false},
        {"r[1] = vqx_bits_f32(x * y + z)", "r[1] = vqx_bits_f32(fma(x, y, z))", "contracts a * b + c of fp32 numbers", false},
        {"vqx_bits_f32(x / y)", "vqx_bits_f32(x * (1 / y))", "fp32 division is not correctly rounded", false},
        {"return sqrt(x);", "return x * rsqrt(x);", "fp32 square root is not correctly rounded", false},
        {"step = cx.lanes / 2", "step = cx.lanes / 4", "the lanes of a group are added up wrongly", false},
        {"cx.gy = (u32)get_group_id(1)", "cx.gy = 0", "(self-test", false},
        {"m += 511 + (m >> 10 & 1)", "m += 512", "adds fp64 numbers inexactly", true},
        {"q << 8 | (r != 0)", "q << 8", "fp64 division is not correctly rounded", true},
    };
    for (size_t i = 0; i < LENGTH(error); i++) {
        vqx_device *device;
        assert_int_equal(vqx_opencl_replace_source(error[i].from, error[i].to), 1);
        const int err = cl->open(&device, 0, !error[i].soft, false, &message);
        if (err != -ENODEV || device)
            fail_msg("'%s' was not seen", error[i].to);
        says(error[i].says);
        says(shared->name);
    }
}

static void does_not_build(void **state) {
    (void)state;
    vqx_device *device;
    assert_int_equal(vqx_opencl_replace_source("u64 sum = 0;\n    VQX_EACH(cx, i, n)\n    sum +=", "u64 sum = nothing;\n sum +="),
                     1);
    assert_int_equal(cl->open(&device, 0, true, false, &message), -ENODEV);
    says(shared->name);
    says(": kernels SELF_TEST cannot be built: CL_BUILD_PROGRAM_FAILURE: ");
    says("nothing");
    says("kernel/sum.h");
    says("; ");
}

int main(void) {
    const struct CMUnitTest without[] = {cmocka_unit_test(no_library)};
    if (cmocka_run_group_tests(without, NULL, NULL) != 0)
        return 1;
    if (!opencl_is_there())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lists, opencl_restore),
        cmocka_unit_test_teardown(refuses, opencl_restore),
        cmocka_unit_test_teardown(lacks_fp64, opencl_restore),
        cmocka_unit_test_teardown(is_gpu, opencl_restore),
        cmocka_unit_test_teardown(trims_names, opencl_restore),
        cmocka_unit_test_teardown(none, opencl_restore),
        cmocka_unit_test_teardown(same_names, opencl_restore),
        cmocka_unit_test_teardown(moves_bytes, opencl_restore),
        cmocka_unit_test_teardown(sums, opencl_restore),
        cmocka_unit_test_teardown(sums_of_threads, opencl_restore),
        cmocka_unit_test_teardown(adopts, opencl_restore),
        cmocka_unit_test_teardown(measures, opencl_restore),
        cmocka_unit_test_teardown(stores_programs, opencl_restore),
        cmocka_unit_test_teardown(cache_is_harmless, opencl_restore),
        cmocka_unit_test_teardown(replaces_source, opencl_restore),
        cmocka_unit_test_teardown(sees_errors, opencl_restore),
        cmocka_unit_test_teardown(does_not_build, opencl_restore),
    };
    return cmocka_run_group_tests(tests, opencl_setup, opencl_cleanup);
}

/* SYCL: a device is a context of one device, a queue is an in-order queue; memory is USM. The plug-in that device/sycl.c loads. No
 * exception leaves it. */
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "device/sycl.h"
#include "dialect/entry_sycl.hpp"

namespace {

/* of kernels; those of the library are out of reach */
#define SPEC(name, lanes, local) {#name, sizeof(vqx_arguments_##name)},
constexpr struct {
    const char *name;
    size_t bytes; /* of a set of arguments */
} spec[] = {VQX_KERNELS(SPEC)};

constexpr size_t most_lanes = 256, most_memory = 32 << 10; /* of a group: doc/dialect.md */
constexpr size_t alignment = 64;

struct sycl_device : vqx_device {
    sycl::device device;
    sycl::context context;
    sycl_device(const vqx_device &base, const sycl::device &d) : vqx_device(base), device(d), context(d) {}
};

struct sycl_queue : vqx_queue {
    std::string later; /* the first error that came by the handler */
    bool stopped = false;
    vqx_times spent = {};
    std::vector<std::pair<sycl::event, double *>> measured; /* since the last wait(), and where their time is to be added */
    sycl::queue queue;
    explicit sycl_queue(sycl_device *d)
        : vqx_queue{d}, queue(
                            d->context, d->device, [this](const sycl::exception_list &list) { keep(list); }, properties(d)) {}

  private:
    static sycl::property_list properties(const vqx_device *d) {
        if (d->profile)
            return {sycl::property::queue::in_order{}, sycl::property::queue::enable_profiling{}};
        return {sycl::property::queue::in_order{}};
    }
    void keep(const sycl::exception_list &list) {
        for (const std::exception_ptr &thrown : list)
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception &e) {
                later = later.empty() ? e.what() : later;
            }
    }
};

sycl_device *ours(vqx_device *device) {
    return static_cast<sycl_device *>(device);
}

sycl_queue *ours(vqx_queue *queue) {
    return static_cast<sycl_queue *>(queue);
}

/* The message "device N: operation: what"; without a device, what. One line, whatever was thrown. */
int failed(vqx_message_text *message, int err, const vqx_device *device, const char *operation, const std::string &what) {
    const std::string line = device ? "device " + std::to_string(device->number) + ": " + operation + ": " + what : what;
    std::snprintf(message->text, sizeof(message->text), "%s", line.c_str());
    std::replace(message->text, message->text + std::strlen(message->text), '\n', ' ');
    return err;
}

/* What `call` returns; what it throws is -ENODEV, or -ENOMEM, with a message. */
template <typename Call>
int guard(vqx_message_text *message, const vqx_device *device, const char *operation, const Call &call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc &) {
        return failed(message, -ENOMEM, device, operation, "out of memory");
    } catch (const std::exception &e) {
        return failed(message, -ENODEV, device, operation, e.what());
    }
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

/* Graphics processors first. */
std::vector<sycl::device> all_devices() {
    std::vector<sycl::device> devices = sycl::device::get_devices();
    std::stable_partition(devices.begin(), devices.end(), [](const sycl::device &d) { return d.is_gpu(); });
    return devices;
}

const char *lacks(const sycl::device &d) {
    if (!d.has(sycl::aspect::usm_device_allocations) || !d.has(sycl::aspect::usm_host_allocations))
        return "it has no unified shared memory";
    if (d.get_info<sycl::info::device::max_work_group_size>() < most_lanes)
        return "its groups have less than 256 items";
    if (d.get_info<sycl::info::device::local_mem_size>() < most_memory)
        return "its groups have less than 32 KB of memory";
    return "";
}

int describe(vqx_device_state *state, const sycl::device &d) {
    std::snprintf(state->name, sizeof(state->name), "%s (%s)", d.get_info<sycl::info::device::name>().c_str(),
                  d.get_platform().get_info<sycl::info::platform::name>().c_str());
    state->gpu = d.is_gpu();
    std::snprintf(state->why, sizeof(state->why), "%s", lacks(d));
    return 0;
}

unsigned list(vqx_device_state *state, unsigned most, vqx_message_text *message) noexcept {
    std::vector<sycl::device> devices;
    guard(message, nullptr, "", [&] { return devices = all_devices(), 0; });
    for (size_t i = 0; i < devices.size() && i < most; i++) {
        vqx_message_text why;
        state[i] = {};
        if (guard(&why, nullptr, "", [&] { return describe(&state[i], devices[i]); }) < 0)
            std::snprintf(state[i].why, sizeof(state[i].why), "%.255s", why.text);
    }
    return (unsigned)devices.size();
}

extern const vqx_backend backend;

int open(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message) noexcept {
    return guard(message, nullptr, "", [&] {
        const std::vector<sycl::device> devices = all_devices();
        vqx_device_state state = {};
        if (number >= devices.size())
            return failed(message, -ENODEV, nullptr, "", "there is no device " + std::to_string(number));
        const sycl::device &d = devices[number];
        describe(&state, d);
        if (*state.why)
            return failed(message, -ENODEV, nullptr, "", state.why);
        vqx_device base = {
            &backend, number, "", state.gpu, fp64 && d.has(sycl::aspect::fp64), profile && d.has(sycl::aspect::queue_profiling)};
        std::memcpy(base.name, state.name, sizeof(base.name));
        *device = new sycl_device(base, d);
        return 0;
    });
}

void close(vqx_device *device) noexcept {
    delete ours(device);
}

/* The runtime builds a kernel when it is first launched. */
int prepare(vqx_device *, uint32_t, vqx_message_text *) noexcept {
    return 0;
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/* One of the functions that take (alignment, bytes). AdaptiveCpp refuses to align what is no multiple of the alignment. */
template <typename Take>
int allocate(void **memory, int err, const vqx_device *device, const char *operation, size_t bytes, vqx_message_text *message,
             const Take &take) noexcept {
    *memory = nullptr;
    return guard(message, device, operation, [&] {
        *memory = take(alignment, (bytes + alignment - 1) / alignment * alignment);
        return *memory ? 0 : failed(message, err, device, operation, "no room for " + std::to_string(bytes) + " bytes");
    });
}

int alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) noexcept {
    const sycl_device *d = ours(device);
    return allocate(buffer, -ENODEV, d, "memory", bytes, message,
                    [&](size_t align, size_t size) { return sycl::aligned_alloc_device(align, size, d->device, d->context); });
}

int host_alloc(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message) noexcept {
    const sycl_device *d = ours(device);
    *handle = nullptr;
    return allocate(memory, -ENOMEM, d, "host memory", bytes, message,
                    [&](size_t align, size_t size) { return sycl::aligned_alloc_host(align, size, d->context); });
}

void release(vqx_device *device, void *memory) noexcept {
    vqx_message_text unread;
    guard(&unread, device, "", [&] { return sycl::free(memory, ours(device)->context), 0; });
}

void host_free(vqx_device *device, void *memory, void *) noexcept {
    release(device, memory);
}

/* ---- queues -------------------------------------------------------------------------------------------------------------- */

int queue_open(vqx_queue **queue, vqx_device *device, vqx_message_text *message) noexcept {
    *queue = nullptr;
    return guard(message, device, "queue", [&] { return *queue = new sycl_queue(ours(device)), 0; });
}

void queue_close(vqx_queue *queue) noexcept {
    vqx_message_text unread;
    guard(&unread, queue->device, "", [&] { return ours(queue)->queue.wait(), 0; });
    delete ours(queue);
}

/* Puts something into a queue; the time that it takes will be added to *seconds. */
template <typename Command>
int put(sycl_queue *q, double *seconds, const char *operation, vqx_message_text *message, const Command &command) noexcept {
    if (q->stopped)
        return failed(message, -ENODEV, q->device, operation, "stopped by an earlier error");
    const int err = guard(message, q->device, operation, [&] {
        const sycl::event event = command();
        if (q->device->profile)
            q->measured.emplace_back(event, seconds);
        return 0;
    });
    q->stopped = err < 0;
    return err;
}

int upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) noexcept {
    sycl_queue *q = ours(queue);
    q->spent.bytes_up += bytes;
    return put(q, &q->spent.upload, "upload", message, [&] { return q->queue.memcpy(to, from, bytes); });
}

int download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) noexcept {
    sycl_queue *q = ours(queue);
    q->spent.bytes_down += bytes;
    return put(q, &q->spent.download, "download", message, [&] { return q->queue.memcpy(to, from, bytes); });
}

int copy(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message) noexcept {
    sycl_queue *q = ours(queue);
    return put(q, &q->spent.kernels, "copy", message, [&] { return q->queue.memcpy(to, from, bytes); });
}

int launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
           vqx_message_text *message) noexcept {
    sycl_queue *q = ours(queue);
    vqx_sycl_entry *const entry = (q->device->fp64 ? vqx_sycl_entries_fp64 : vqx_sycl_entries_soft)[kernel];
    int err = 0;
    for (unsigned s = 0; s < sets && gx > 0 && gy > 0 && err == 0; s++)
        err = put(q, &q->spent.kernels, spec[kernel].name, message,
                  [&] { return entry(q->queue, gx, gy, static_cast<const char *>(arguments) + s * spec[kernel].bytes); });
    return err;
}

int wait(vqx_queue *queue, vqx_message_text *message) noexcept {
    sycl_queue *q = ours(queue);
    int err = guard(message, q->device, "wait", [&] {
        q->queue.wait_and_throw();
        for (const auto &m : q->measured)
            *m.second += 1e-9 * (double)(m.first.get_profiling_info<sycl::info::event_profiling::command_end>() -
                                         m.first.get_profiling_info<sycl::info::event_profiling::command_start>());
        q->measured.clear();
        return 0;
    });
    if (err == 0 && !q->later.empty())
        err = failed(message, -ENODEV, q->device, "wait", q->later);
    if (err == 0 && q->stopped)
        err = failed(message, -ENODEV, q->device, "wait", "stopped by an earlier error");
    q->stopped = err < 0;
    return err;
}

void times(const vqx_queue *queue, vqx_times *to) noexcept {
    *to = static_cast<const sycl_queue *>(queue)->spent;
}

vqx_backend table() {
    vqx_backend b = {};
    b.name = "sycl";
    b.list = list;
    b.open = open;
    b.close = close;
    b.prepare = prepare;
    b.queue_open = queue_open;
    b.queue_close = queue_close;
    b.alloc = alloc;
    b.free = release;
    b.host_alloc = host_alloc;
    b.host_free = host_free;
    b.upload = upload;
    b.download = download;
    b.copy = copy;
    b.launch = launch;
    b.wait = wait;
    b.times = times;
    return b;
}

const vqx_backend backend = table();

} // namespace

extern "C" __attribute__((visibility("default"))) const vqx_sycl_plugin_table VQX_SYCL_SYMBOL;
const vqx_sycl_plugin_table VQX_SYCL_SYMBOL = {VQX_SYCL_INTERFACE, VQX_KERNEL_DIGEST, sizeof(vqx_device), sizeof(vqx_backend),
                                               &backend};

/* The names of SYCL 2020 that vqx uses, for a compiler that knows none of it. Commands run when they are waited for, in that
 * thread, the items of a group as fibers that change at its barriers, and take a millisecond. It fails when it is told to:
 * VQX_STUB_FAIL=NAME:N makes the N-th call of NAME fail; "later" fails a submit by the queue's handler, "flip" changes a bit of a
 * copy, no_device_memory and no_host_memory give none. VQX_STUB_DEVICES says what there is: c a processor, g a graphics processor,
 * n one without fp64, w one on which groups do not fit. */
#ifndef VQX_TEST_SYCL_STUB_HPP
#define VQX_TEST_SYCL_STUB_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <ucontext.h>

namespace sycl {

class exception : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};
using exception_list = std::vector<std::exception_ptr>;
using async_handler = std::function<void(exception_list)>;

namespace stub {

inline bool fails(const char *name) {
    static std::mutex lock; /* of all that follows */
    static std::string counted;
    static unsigned calls;
    const std::lock_guard<std::mutex> locked(lock);
    const char *fail = std::getenv("VQX_STUB_FAIL");
    const std::string now = fail ? fail : "";
    if (now != counted) {
        counted = now;
        calls = 0;
    }
    const size_t colon = now.find(':');
    return colon != std::string::npos && now.substr(0, colon) == name && ++calls == std::stoul(now.substr(colon + 1));
}
inline void call(const char *name) {
    if (fails(name))
        throw exception(std::string(name) + " failed\nas it was told to");
}

/* The items of one group: fibers, whose stacks are kept. */
class fibers {
    static constexpr size_t stack_bytes = 64 << 10;
    struct fiber {
        ucontext_t context;
        std::unique_ptr<char[]> stack{new char[stack_bytes]};
    };
    std::vector<std::unique_ptr<fiber>> all;
    ucontext_t outside;
    const std::function<void(size_t)> *body = nullptr;
    size_t now = 0, count = 0;

    static void enter() {
        fibers &f = mine();
        (*f.body)(f.now);
        if (f.now + 1 < f.count)
            setcontext(&f.all[++f.now]->context);
        setcontext(&f.outside);
    }

  public:
    static fibers &mine() {
        static thread_local fibers f;
        return f;
    }
    void run(size_t items, const std::function<void(size_t)> &item) {
        while (all.size() < items)
            all.emplace_back(new fiber);
        for (size_t i = 0; i < items; i++) {
            ucontext_t &c = all[i]->context;
            getcontext(&c);
            c.uc_stack.ss_sp = all[i]->stack.get();
            c.uc_stack.ss_size = stack_bytes;
            makecontext(&c, enter, 0);
        }
        body = &item;
        now = 0;
        count = items;
        swapcontext(&outside, &all[0]->context);
    }
    /* every item comes here before the first goes on */
    void barrier() {
        const size_t from = now;
        now = (now + 1) % count;
        swapcontext(&all[from]->context, &all[now]->context);
    }
};

} // namespace stub

template <int N>
struct range {
    std::array<size_t, N> size;
    template <typename... T>
    range(T... n) : size{(size_t)n...} {}
};
template <int N>
struct nd_range {
    range<N> global, local;
    nd_range(range<N> g, range<N> l) : global(g), local(l) {}
};
struct group {};
template <int N>
struct nd_item {
    size_t local_id[N], group_id[N], groups[N];
    size_t get_local_id(int i) const { return local_id[i]; }
    size_t get_group(int i) const { return group_id[i]; }
    size_t get_group_range(int i) const { return groups[i]; }
    group get_group() const { return {}; }
};
inline void group_barrier(group) {
    stub::fibers::mine().barrier();
}

template <typename T>
int clz(T x) {
    return sizeof(T) == 8 ? __builtin_clzll(x) : __builtin_clz((unsigned)x);
}
inline float sqrt(float x) {
    return std::sqrt(x);
}
template <typename To, typename From>
To bit_cast(const From &from) {
    static_assert(sizeof(To) == sizeof(From), "bits stay as many");
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

enum class aspect { fp64, usm_device_allocations, usm_host_allocations, queue_profiling };
namespace info {
namespace device {
struct name {
    using type = std::string;
};
struct max_work_group_size {
    using type = size_t;
};
struct local_mem_size {
    using type = uint64_t;
};
} // namespace device
namespace platform {
struct name {
    using type = std::string;
};
} // namespace platform
namespace event_profiling {
struct command_start {
    using type = uint64_t;
};
struct command_end {
    using type = uint64_t;
};
} // namespace event_profiling
} // namespace info
class platform {
  public:
    template <typename T>
    std::string get_info() const {
        return "stub";
    }
};
class device {
    char kind = 'c';

  public:
    device() = default;
    explicit device(char k) : kind(k) {}
    static std::vector<device> get_devices() {
        stub::call("get_devices");
        const char *list = std::getenv("VQX_STUB_DEVICES");
        std::vector<device> devices;
        for (const char *at = list ? list : "c"; *at; at++)
            devices.emplace_back(*at);
        return devices;
    }
    bool is_gpu() const { return kind != 'c'; }
    bool has(aspect a) const { return a != aspect::fp64 || kind != 'n'; }
    platform get_platform() const { return {}; }
    template <typename T>
    typename T::type get_info() const {
        stub::call("get_info");
        if constexpr (std::is_same_v<typename T::type, std::string>)
            return std::string("device ") + kind;
        else
            return kind == 'w' ? 128 : 1 << 16;
    }
};
class context {
  public:
    explicit context(const device &) { stub::call("context"); }
};

class event {
  public:
    template <typename T>
    uint64_t get_profiling_info() const {
        return std::is_same_v<T, info::event_profiling::command_end> ? 1000000 : 0;
    }
};

class handler {
    std::function<void()> work;
    std::vector<std::shared_ptr<void>> memory;
    friend class queue;

  public:
    void *keep(size_t bytes) {
        memory.emplace_back(::operator new(bytes), [](void *p) { ::operator delete(p); });
        std::memset(memory.back().get(), 0xa5, bytes); /* nothing may be read before it is written */
        return memory.back().get();
    }
    template <typename Name, typename Kernel>
    void parallel_for(nd_range<2> r, Kernel kernel) {
        work = [r, kernel] {
            const size_t lanes = r.local.size[1];
            nd_item<2> at = {{0, 0}, {0, 0}, {r.global.size[0], r.global.size[1] / lanes}};
            const std::function<void(size_t)> item = [&](size_t lane) {
                nd_item<2> mine = at;
                mine.local_id[1] = lane;
                kernel(mine);
            };
            for (at.group_id[0] = 0; at.group_id[0] < at.groups[0]; at.group_id[0]++)
                for (at.group_id[1] = 0; at.group_id[1] < at.groups[1]; at.group_id[1]++)
                    stub::fibers::mine().run(lanes, item);
        };
    }
};
template <typename T, int N>
class local_accessor {
    T *memory;

  public:
    local_accessor(size_t n, handler &h) : memory((T *)h.keep(n * sizeof(T))) {}
    T &operator[](size_t i) const { return memory[i]; }
};

namespace property {
namespace queue {
struct in_order {};
struct enable_profiling {};
} // namespace queue
} // namespace property
class property_list {
  public:
    template <typename... T>
    property_list(T...) {}
};
class queue {
    async_handler later;
    exception_list caught;
    std::vector<std::function<void()>> todo;

  public:
    queue(const context &, const device &, const async_handler &handler, const property_list & = {}) : later(handler) {
        stub::call("queue");
    }
    template <typename Group>
    event submit(Group build) {
        stub::call("submit");
        if (stub::fails("later"))
            caught.push_back(std::make_exception_ptr(exception("later failed\nas it was told to")));
        handler h;
        build(h);
        todo.push_back([h] { h.work(); });
        return {};
    }
    event memcpy(void *to, const void *from, size_t bytes) {
        stub::call("memcpy");
        todo.push_back([to, from, bytes] {
            std::memcpy(to, from, bytes);
            if (stub::fails("flip"))
                *(unsigned char *)to ^= 1;
        });
        return {};
    }
    void wait() {
        stub::call("wait");
        for (const auto &work : todo)
            work();
        todo.clear();
    }
    void wait_and_throw() {
        wait();
        if (!caught.empty())
            later(std::move(caught));
        caught.clear();
    }
};

inline void *aligned_alloc_device(size_t alignment, size_t bytes, const device &, const context &) {
    stub::call("alloc_device");
    return stub::fails("no_device_memory") || bytes % alignment ? nullptr : std::aligned_alloc(alignment, bytes);
}
inline void *aligned_alloc_host(size_t alignment, size_t bytes, const context &) {
    stub::call("alloc_host");
    return stub::fails("no_host_memory") || bytes % alignment ? nullptr : std::aligned_alloc(alignment, bytes);
}
inline void free(void *memory, const context &) {
    std::free(memory);
}

} // namespace sycl

#endif

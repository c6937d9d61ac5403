/* Lets clang++ check dialect/entry.metal on any machine:
 *   clang++ -std=c++17 -fsyntax-only -Wno-unknown-attributes -x c++ -include test/metal_shim.h -I. dialect/entry.metal
 * Address spaces become numbered ones, so that a pointer without its word, or a cast between spaces, is an error, as it is there;
 * and so is fp64. */
#define VQX_METAL_SHIM
#define device __attribute__((address_space(1)))
#define constant const __attribute__((address_space(2)))
#define threadgroup __attribute__((address_space(3)))
#define thread
#define kernel
/* there is no constructor for a struct in an address space here: it gets bytes */
#define VQX_LOCAL_VARIABLE(type, name)                  \
    static threadgroup char name##_bytes[sizeof(type)]; \
    threadgroup type &name = *(threadgroup type *)name##_bytes
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
struct uint3 {
    uint x, y, z;
};
namespace metal {
enum class mem_flags { mem_threadgroup };
void threadgroup_barrier(mem_flags);
uint clz(uint);
ulong clz(ulong);
template <class To, class From>
To as_type(From);
namespace precise {
float sqrt(float);
}
} // namespace metal
#pragma GCC poison double

// Shared memory by its address, and barriers in it that count what copies bring. Included before chunks.cuh and genotypes.cuh.

__device__ __forceinline__ unsigned shared_address(const void* at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Waits until the phase of this parity of a barrier is complete.
__device__ __forceinline__ void await_phase(unsigned barrier, unsigned phase)
{
    unsigned over;
    do {
        asm volatile("{ .reg .pred over; "
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2; "
                     "selp.u32 %0, 1, 0, over; }"
                     : "=r"(over)
                     : "r"(barrier), "r"(phase)
                     : "memory");
    } while (over == 0);
}

#endif

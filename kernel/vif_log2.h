/* log2 of 16 bits from 96 coefficients: 32 parabolas, which fit in registers or, free of bank conflicts, in a group's memory.
 *
 * In piece n, where the mantissas are 32768 + 1024 n + r, 0 <= r < 1024, and with t = 1 + r / 1024:
 * (c[2][n] t + c[1][n]) t + c[0][n] in binary32, one rounding per operation, cut off, is 2048 (log2(mantissa) - 15), rounded as
 * doc/numerics.md says. They were found by a search for the largest distance of all 32768 values from where they would be cut
 * wrong, which is 2^-11; test/test_vif_vector.c compares all of them with metric/vif_log2_table.h. */
#ifndef VQX_KERNEL_VIF_LOG2_H
#define VQX_KERNEL_VIF_LOG2_H

#include "kernel/vif.h"

// clang-format off
VQX_TABLE f32 vqx_vif_log2_piece[3][32] = {
    {
        -0x1.74eb12p+6f, 0x1.24ff24p-1f, 0x1.6e1016p+6f, 0x1.675b4cp+7f, 0x1.094da8p+8f, 0x1.5c8c36p+8f,
        0x1.ad8db6p+8f, 0x1.fc4ec4p+8f, 0x1.248674p+9f, 0x1.49f05cp+9f, 0x1.6e5e52p+9f, 0x1.92036p+9f,
        0x1.b4c322p+9f, 0x1.d6bb26p+9f, 0x1.f7ec76p+9f, 0x1.0c319ap+10f, 0x1.1c14aep+10f, 0x1.2ba1e2p+10f,
        0x1.3adc8ep+10f, 0x1.49c8bep+10f, 0x1.58698cp+10f, 0x1.66c034p+10f, 0x1.74d4d8p+10f, 0x1.82a29ep+10f,
        0x1.90303cp+10f, 0x1.9d7da4p+10f, 0x1.aa8fa8p+10f, 0x1.b76c0ap+10f, 0x1.c40a98p+10f, 0x1.d073dcp+10f,
        0x1.dcaa7ap+10f, 0x1.e8ae14p+10f,
    },
    {
        0x1.7c90bcp+6f, 0x1.70ab12p+6f, 0x1.655e34p+6f, 0x1.5b169cp+6f, 0x1.5150b2p+6f, 0x1.47e182p+6f,
        0x1.3ecbc2p+6f, 0x1.369802p+6f, 0x1.2ea212p+6f, 0x1.26eb8cp+6f, 0x1.204962p+6f, 0x1.18f52p+6f,
        0x1.128e78p+6f, 0x1.0c4568p+6f, 0x1.06618ep+6f, 0x1.00baa4p+6f, 0x1.f67a96p+5f, 0x1.ec0086p+5f,
        0x1.e20732p+5f, 0x1.d8647ep+5f, 0x1.cf1fe4p+5f, 0x1.c666e8p+5f, 0x1.bd673ep+5f, 0x1.b553aep+5f,
        0x1.ad575ep+5f, 0x1.a600acp+5f, 0x1.9eae0ap+5f, 0x1.96fe8ap+5f, 0x1.906916p+5f, 0x1.89e6fcp+5f,
        0x1.8342cep+5f, 0x1.7ce9cap+5f,
    },
    {
        -0x1.68cefap+0f, -0x1.520ab4p+0f, -0x1.3b3506p+0f, -0x1.2de3d4p+0f, -0x1.205868p+0f, -0x1.0ed9e4p+0f,
        -0x1.f99f32p-1f, -0x1.e6437p-1f, -0x1.cccbfep-1f, -0x1.aec734p-1f, -0x1.b24134p-1f, -0x1.8b3744p-1f,
        -0x1.7e5a06p-1f, -0x1.6c05p-1f, -0x1.5ed208p-1f, -0x1.514452p-1f, -0x1.420c58p-1f, -0x1.34766p-1f,
        -0x1.299d1p-1f, -0x1.1dd7ep-1f, -0x1.132e94p-1f, -0x1.0be31cp-1f, -0x1.f33d56p-2f, -0x1.e948f8p-2f,
        -0x1.d3cdeep-2f, -0x1.d1ce74p-2f, -0x1.c1cc0ap-2f, -0x1.9f57cap-2f, -0x1.9dd5acp-2f, -0x1.97dc2ap-2f,
        -0x1.816c7ep-2f, -0x1.725d3ap-2f,
    },
};
// clang-format on

/* 2048 log2(x) for 2^16 <= x < 2^31: from the top 16 bits of x, the rest cut off. `piece` is a copy of vqx_vif_log2_piece. */
VQX_FN u32 vqx_vif_log2_by_piece(VQX_LOCAL const f32 *piece, u32 x) {
    const u32 top = vqx_vif_top16(x), n = top >> 10 & 31;
    const f32 t = vqx_f32_bits((top & 1023) << 13 | 0x3f800000u);
    const f32 slope = piece[64 + n] * t + piece[32 + n];
    return (u32)(i32)(slope * t + piece[n]) + ((top >> 15) - 127) * 2048;
}

#endif

/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The numbers of Mesa's names in the wire. `BLESS=1 cargo test --package ntv-ffi` makes this file.
 */

#ifndef NTVR_NAMES_H
#define NTVR_NAMES_H

#if NTVR_WIRE_VERSION != 7
#error "ntvr_names.h and ntvr.h are of different versions"
#endif

/* Name, number, number of inputs, whether one has more than four components, size of each of the first four. */
#define NTVR_NAMES_OF_ALU(X) \
   X(mov, 0, 1, false, 0, 0, 0, 0) \
   X(bcsel, 1, 3, false, 0, 0, 0, 0) \
   X(b8csel, 2, 3, false, 0, 0, 0, 0) \
   X(b16csel, 3, 3, false, 0, 0, 0, 0) \
   X(b32csel, 4, 3, false, 0, 0, 0, 0) \
   X(vec2, 5, 2, false, 1, 1, 0, 0) \
   X(vec3, 6, 3, false, 1, 1, 1, 0) \
   X(vec4, 7, 4, false, 1, 1, 1, 1) \
   X(vec5, 8, 5, false, 1, 1, 1, 1) \
   X(vec8, 9, 8, false, 1, 1, 1, 1) \
   X(vec16, 10, 16, false, 1, 1, 1, 1) \
   X(fneg, 11, 1, false, 0, 0, 0, 0) \
   X(fabs, 12, 1, false, 0, 0, 0, 0) \
   X(fsign, 13, 1, false, 0, 0, 0, 0) \
   X(fsat, 14, 1, false, 0, 0, 0, 0) \
   X(fsat_signed, 15, 1, false, 0, 0, 0, 0) \
   X(fclamp_pos, 16, 1, false, 0, 0, 0, 0) \
   X(fadd, 17, 2, false, 0, 0, 0, 0) \
   X(fsub, 18, 2, false, 0, 0, 0, 0) \
   X(fmul, 19, 2, false, 0, 0, 0, 0) \
   X(fdiv, 20, 2, false, 0, 0, 0, 0) \
   X(fmod, 21, 2, false, 0, 0, 0, 0) \
   X(frem, 22, 2, false, 0, 0, 0, 0) \
   X(fmin, 23, 2, false, 0, 0, 0, 0) \
   X(fmax, 24, 2, false, 0, 0, 0, 0) \
   X(ffma, 25, 3, false, 0, 0, 0, 0) \
   X(flrp, 26, 3, false, 0, 0, 0, 0) \
   X(fmulz, 27, 2, false, 0, 0, 0, 0) \
   X(ffmaz, 28, 3, false, 0, 0, 0, 0) \
   X(frcp, 29, 1, false, 0, 0, 0, 0) \
   X(frsq, 30, 1, false, 0, 0, 0, 0) \
   X(fsqrt, 31, 1, false, 0, 0, 0, 0) \
   X(fexp2, 32, 1, false, 0, 0, 0, 0) \
   X(flog2, 33, 1, false, 0, 0, 0, 0) \
   X(fpow, 34, 2, false, 0, 0, 0, 0) \
   X(fsin, 35, 1, false, 0, 0, 0, 0) \
   X(fcos, 36, 1, false, 0, 0, 0, 0) \
   X(ftrunc, 37, 1, false, 0, 0, 0, 0) \
   X(fceil, 38, 1, false, 0, 0, 0, 0) \
   X(ffloor, 39, 1, false, 0, 0, 0, 0) \
   X(ffract, 40, 1, false, 0, 0, 0, 0) \
   X(fround_even, 41, 1, false, 0, 0, 0, 0) \
   X(fquantize2f16, 42, 1, false, 0, 0, 0, 0) \
   X(ldexp, 43, 2, false, 0, 0, 0, 0) \
   X(frexp_sig, 44, 1, false, 0, 0, 0, 0) \
   X(frexp_exp, 45, 1, false, 0, 0, 0, 0) \
   X(ineg, 46, 1, false, 0, 0, 0, 0) \
   X(iabs, 47, 1, false, 0, 0, 0, 0) \
   X(isign, 48, 1, false, 0, 0, 0, 0) \
   X(iadd, 49, 2, false, 0, 0, 0, 0) \
   X(isub, 50, 2, false, 0, 0, 0, 0) \
   X(imul, 51, 2, false, 0, 0, 0, 0) \
   X(amul, 52, 2, false, 0, 0, 0, 0) \
   X(idiv, 53, 2, false, 0, 0, 0, 0) \
   X(irem, 54, 2, false, 0, 0, 0, 0) \
   X(imod, 55, 2, false, 0, 0, 0, 0) \
   X(udiv, 56, 2, false, 0, 0, 0, 0) \
   X(umod, 57, 2, false, 0, 0, 0, 0) \
   X(imin, 58, 2, false, 0, 0, 0, 0) \
   X(imax, 59, 2, false, 0, 0, 0, 0) \
   X(umin, 60, 2, false, 0, 0, 0, 0) \
   X(umax, 61, 2, false, 0, 0, 0, 0) \
   X(iadd3, 62, 3, false, 0, 0, 0, 0) \
   X(imad, 63, 3, false, 0, 0, 0, 0) \
   X(udiv_aligned_4, 64, 1, false, 0, 0, 0, 0) \
   X(iadd_sat, 65, 2, false, 0, 0, 0, 0) \
   X(isub_sat, 66, 2, false, 0, 0, 0, 0) \
   X(uadd_sat, 67, 2, false, 0, 0, 0, 0) \
   X(usub_sat, 68, 2, false, 0, 0, 0, 0) \
   X(uabs_isub, 69, 2, false, 0, 0, 0, 0) \
   X(uabs_usub, 70, 2, false, 0, 0, 0, 0) \
   X(ihadd, 71, 2, false, 0, 0, 0, 0) \
   X(irhadd, 72, 2, false, 0, 0, 0, 0) \
   X(uhadd, 73, 2, false, 0, 0, 0, 0) \
   X(urhadd, 74, 2, false, 0, 0, 0, 0) \
   X(uadd_carry, 75, 2, false, 0, 0, 0, 0) \
   X(usub_borrow, 76, 2, false, 0, 0, 0, 0) \
   X(umul_high, 77, 2, false, 0, 0, 0, 0) \
   X(imul_high, 78, 2, false, 0, 0, 0, 0) \
   X(umul_2x32_64, 80, 2, false, 0, 0, 0, 0) \
   X(imul_2x32_64, 81, 2, false, 0, 0, 0, 0) \
   X(umul_32x16, 82, 2, false, 0, 0, 0, 0) \
   X(imul_32x16, 83, 2, false, 0, 0, 0, 0) \
   X(umul24, 84, 2, false, 0, 0, 0, 0) \
   X(imul24, 85, 2, false, 0, 0, 0, 0) \
   X(umad24, 86, 3, false, 0, 0, 0, 0) \
   X(umul24_relaxed, 87, 2, false, 0, 0, 0, 0) \
   X(imul24_relaxed, 88, 2, false, 0, 0, 0, 0) \
   X(umad24_relaxed, 89, 3, false, 0, 0, 0, 0) \
   X(inot, 90, 1, false, 0, 0, 0, 0) \
   X(iand, 91, 2, false, 0, 0, 0, 0) \
   X(ior, 92, 2, false, 0, 0, 0, 0) \
   X(ixor, 93, 2, false, 0, 0, 0, 0) \
   X(ishl, 94, 2, false, 0, 0, 0, 0) \
   X(ishr, 95, 2, false, 0, 0, 0, 0) \
   X(ushr, 96, 2, false, 0, 0, 0, 0) \
   X(urol, 97, 2, false, 0, 0, 0, 0) \
   X(uror, 98, 2, false, 0, 0, 0, 0) \
   X(shfr, 99, 3, false, 0, 0, 0, 0) \
   X(bitfield_select, 100, 3, false, 0, 0, 0, 0) \
   X(bitfield_reverse, 101, 1, false, 0, 0, 0, 0) \
   X(bit_count, 102, 1, false, 0, 0, 0, 0) \
   X(find_lsb, 103, 1, false, 0, 0, 0, 0) \
   X(ufind_msb, 104, 1, false, 0, 0, 0, 0) \
   X(ifind_msb, 105, 1, false, 0, 0, 0, 0) \
   X(ufind_msb_rev, 106, 1, false, 0, 0, 0, 0) \
   X(ifind_msb_rev, 107, 1, false, 0, 0, 0, 0) \
   X(uclz, 108, 1, false, 0, 0, 0, 0) \
   X(bitfield_insert, 109, 4, false, 0, 0, 0, 0) \
   X(ubitfield_extract, 110, 3, false, 0, 0, 0, 0) \
   X(ibitfield_extract, 111, 3, false, 0, 0, 0, 0) \
   X(bfm, 112, 2, false, 0, 0, 0, 0) \
   X(bfi, 113, 3, false, 0, 0, 0, 0) \
   X(ubfe, 114, 3, false, 0, 0, 0, 0) \
   X(ibfe, 115, 3, false, 0, 0, 0, 0) \
   X(extract_u8, 116, 2, false, 0, 0, 0, 0) \
   X(extract_i8, 117, 2, false, 0, 0, 0, 0) \
   X(extract_u16, 118, 2, false, 0, 0, 0, 0) \
   X(extract_i16, 119, 2, false, 0, 0, 0, 0) \
   X(insert_u8, 120, 2, false, 0, 0, 0, 0) \
   X(insert_u16, 121, 2, false, 0, 0, 0, 0) \
   X(flt, 122, 2, false, 0, 0, 0, 0) \
   X(fge, 123, 2, false, 0, 0, 0, 0) \
   X(feq, 124, 2, false, 0, 0, 0, 0) \
   X(fneu, 125, 2, false, 0, 0, 0, 0) \
   X(fltu, 126, 2, false, 0, 0, 0, 0) \
   X(fgeu, 127, 2, false, 0, 0, 0, 0) \
   X(fequ, 128, 2, false, 0, 0, 0, 0) \
   X(fneo, 129, 2, false, 0, 0, 0, 0) \
   X(funord, 130, 2, false, 0, 0, 0, 0) \
   X(ford, 131, 2, false, 0, 0, 0, 0) \
   X(ilt, 132, 2, false, 0, 0, 0, 0) \
   X(ige, 133, 2, false, 0, 0, 0, 0) \
   X(ult, 134, 2, false, 0, 0, 0, 0) \
   X(uge, 135, 2, false, 0, 0, 0, 0) \
   X(ieq, 136, 2, false, 0, 0, 0, 0) \
   X(ine, 137, 2, false, 0, 0, 0, 0) \
   X(bitnz, 138, 2, false, 0, 0, 0, 0) \
   X(bitz, 139, 2, false, 0, 0, 0, 0) \
   X(fisfinite, 140, 1, false, 0, 0, 0, 0) \
   X(fisnormal, 141, 1, false, 0, 0, 0, 0) \
   X(flt8, 142, 2, false, 0, 0, 0, 0) \
   X(fge8, 143, 2, false, 0, 0, 0, 0) \
   X(feq8, 144, 2, false, 0, 0, 0, 0) \
   X(fneu8, 145, 2, false, 0, 0, 0, 0) \
   X(fltu8, 146, 2, false, 0, 0, 0, 0) \
   X(fgeu8, 147, 2, false, 0, 0, 0, 0) \
   X(fequ8, 148, 2, false, 0, 0, 0, 0) \
   X(fneo8, 149, 2, false, 0, 0, 0, 0) \
   X(funord8, 150, 2, false, 0, 0, 0, 0) \
   X(ford8, 151, 2, false, 0, 0, 0, 0) \
   X(ilt8, 152, 2, false, 0, 0, 0, 0) \
   X(ige8, 153, 2, false, 0, 0, 0, 0) \
   X(ult8, 154, 2, false, 0, 0, 0, 0) \
   X(uge8, 155, 2, false, 0, 0, 0, 0) \
   X(ieq8, 156, 2, false, 0, 0, 0, 0) \
   X(ine8, 157, 2, false, 0, 0, 0, 0) \
   X(bitnz8, 158, 2, false, 0, 0, 0, 0) \
   X(bitz8, 159, 2, false, 0, 0, 0, 0) \
   X(flt16, 160, 2, false, 0, 0, 0, 0) \
   X(fge16, 161, 2, false, 0, 0, 0, 0) \
   X(feq16, 162, 2, false, 0, 0, 0, 0) \
   X(fneu16, 163, 2, false, 0, 0, 0, 0) \
   X(fltu16, 164, 2, false, 0, 0, 0, 0) \
   X(fgeu16, 165, 2, false, 0, 0, 0, 0) \
   X(fequ16, 166, 2, false, 0, 0, 0, 0) \
   X(fneo16, 167, 2, false, 0, 0, 0, 0) \
   X(funord16, 168, 2, false, 0, 0, 0, 0) \
   X(ford16, 169, 2, false, 0, 0, 0, 0) \
   X(ilt16, 170, 2, false, 0, 0, 0, 0) \
   X(ige16, 171, 2, false, 0, 0, 0, 0) \
   X(ult16, 172, 2, false, 0, 0, 0, 0) \
   X(uge16, 173, 2, false, 0, 0, 0, 0) \
   X(ieq16, 174, 2, false, 0, 0, 0, 0) \
   X(ine16, 175, 2, false, 0, 0, 0, 0) \
   X(bitnz16, 176, 2, false, 0, 0, 0, 0) \
   X(bitz16, 177, 2, false, 0, 0, 0, 0) \
   X(flt32, 178, 2, false, 0, 0, 0, 0) \
   X(fge32, 179, 2, false, 0, 0, 0, 0) \
   X(feq32, 180, 2, false, 0, 0, 0, 0) \
   X(fneu32, 181, 2, false, 0, 0, 0, 0) \
   X(fltu32, 182, 2, false, 0, 0, 0, 0) \
   X(fgeu32, 183, 2, false, 0, 0, 0, 0) \
   X(fequ32, 184, 2, false, 0, 0, 0, 0) \
   X(fneo32, 185, 2, false, 0, 0, 0, 0) \
   X(funord32, 186, 2, false, 0, 0, 0, 0) \
   X(ford32, 187, 2, false, 0, 0, 0, 0) \
   X(ilt32, 188, 2, false, 0, 0, 0, 0) \
   X(ige32, 189, 2, false, 0, 0, 0, 0) \
   X(ult32, 190, 2, false, 0, 0, 0, 0) \
   X(uge32, 191, 2, false, 0, 0, 0, 0) \
   X(ieq32, 192, 2, false, 0, 0, 0, 0) \
   X(ine32, 193, 2, false, 0, 0, 0, 0) \
   X(bitnz32, 194, 2, false, 0, 0, 0, 0) \
   X(bitz32, 195, 2, false, 0, 0, 0, 0) \
   X(fisfinite32, 196, 1, false, 0, 0, 0, 0) \
   X(slt, 197, 2, false, 0, 0, 0, 0) \
   X(sge, 198, 2, false, 0, 0, 0, 0) \
   X(seq, 199, 2, false, 0, 0, 0, 0) \
   X(sne, 200, 2, false, 0, 0, 0, 0) \
   X(fcsel, 201, 3, false, 0, 0, 0, 0) \
   X(fcsel_gt, 202, 3, false, 0, 0, 0, 0) \
   X(fcsel_ge, 203, 3, false, 0, 0, 0, 0) \
   X(icsel_eqz, 204, 3, false, 0, 0, 0, 0) \
   X(i32csel_gt, 205, 3, false, 0, 0, 0, 0) \
   X(i32csel_ge, 206, 3, false, 0, 0, 0, 0) \
   X(fdot2, 207, 2, false, 2, 2, 0, 0) \
   X(fdot3, 208, 2, false, 3, 3, 0, 0) \
   X(fdot4, 209, 2, false, 4, 4, 0, 0) \
   X(fdot5, 210, 2, true, 5, 5, 0, 0) \
   X(fdot8, 211, 2, true, 8, 8, 0, 0) \
   X(fdot16, 212, 2, true, 16, 16, 0, 0) \
   X(fdot2_replicated, 213, 2, false, 2, 2, 0, 0) \
   X(fdot3_replicated, 214, 2, false, 3, 3, 0, 0) \
   X(fdot4_replicated, 215, 2, false, 4, 4, 0, 0) \
   X(fdot5_replicated, 216, 2, true, 5, 5, 0, 0) \
   X(fdot8_replicated, 217, 2, true, 8, 8, 0, 0) \
   X(fdot16_replicated, 218, 2, true, 16, 16, 0, 0) \
   X(fdph, 219, 2, false, 3, 4, 0, 0) \
   X(fdph_replicated, 220, 2, false, 3, 4, 0, 0) \
   X(fsum2, 221, 1, false, 2, 0, 0, 0) \
   X(fsum3, 222, 1, false, 3, 0, 0, 0) \
   X(fsum4, 223, 1, false, 4, 0, 0, 0) \
   X(ball_fequal2, 224, 2, false, 2, 2, 0, 0) \
   X(ball_fequal3, 225, 2, false, 3, 3, 0, 0) \
   X(ball_fequal4, 226, 2, false, 4, 4, 0, 0) \
   X(ball_fequal5, 227, 2, true, 5, 5, 0, 0) \
   X(ball_fequal8, 228, 2, true, 8, 8, 0, 0) \
   X(ball_fequal16, 229, 2, true, 16, 16, 0, 0) \
   X(bany_fnequal2, 230, 2, false, 2, 2, 0, 0) \
   X(bany_fnequal3, 231, 2, false, 3, 3, 0, 0) \
   X(bany_fnequal4, 232, 2, false, 4, 4, 0, 0) \
   X(bany_fnequal5, 233, 2, true, 5, 5, 0, 0) \
   X(bany_fnequal8, 234, 2, true, 8, 8, 0, 0) \
   X(bany_fnequal16, 235, 2, true, 16, 16, 0, 0) \
   X(ball_iequal2, 236, 2, false, 2, 2, 0, 0) \
   X(ball_iequal3, 237, 2, false, 3, 3, 0, 0) \
   X(ball_iequal4, 238, 2, false, 4, 4, 0, 0) \
   X(ball_iequal5, 239, 2, true, 5, 5, 0, 0) \
   X(ball_iequal8, 240, 2, true, 8, 8, 0, 0) \
   X(ball_iequal16, 241, 2, true, 16, 16, 0, 0) \
   X(bany_inequal2, 242, 2, false, 2, 2, 0, 0) \
   X(bany_inequal3, 243, 2, false, 3, 3, 0, 0) \
   X(bany_inequal4, 244, 2, false, 4, 4, 0, 0) \
   X(bany_inequal5, 245, 2, true, 5, 5, 0, 0) \
   X(bany_inequal8, 246, 2, true, 8, 8, 0, 0) \
   X(bany_inequal16, 247, 2, true, 16, 16, 0, 0) \
   X(b8all_fequal2, 248, 2, false, 2, 2, 0, 0) \
   X(b8all_fequal3, 249, 2, false, 3, 3, 0, 0) \
   X(b8all_fequal4, 250, 2, false, 4, 4, 0, 0) \
   X(b8all_fequal5, 251, 2, true, 5, 5, 0, 0) \
   X(b8all_fequal8, 252, 2, true, 8, 8, 0, 0) \
   X(b8all_fequal16, 253, 2, true, 16, 16, 0, 0) \
   X(b8any_fnequal2, 254, 2, false, 2, 2, 0, 0) \
   X(b8any_fnequal3, 255, 2, false, 3, 3, 0, 0) \
   X(b8any_fnequal4, 256, 2, false, 4, 4, 0, 0) \
   X(b8any_fnequal5, 257, 2, true, 5, 5, 0, 0) \
   X(b8any_fnequal8, 258, 2, true, 8, 8, 0, 0) \
   X(b8any_fnequal16, 259, 2, true, 16, 16, 0, 0) \
   X(b8all_iequal2, 260, 2, false, 2, 2, 0, 0) \
   X(b8all_iequal3, 261, 2, false, 3, 3, 0, 0) \
   X(b8all_iequal4, 262, 2, false, 4, 4, 0, 0) \
   X(b8all_iequal5, 263, 2, true, 5, 5, 0, 0) \
   X(b8all_iequal8, 264, 2, true, 8, 8, 0, 0) \
   X(b8all_iequal16, 265, 2, true, 16, 16, 0, 0) \
   X(b8any_inequal2, 266, 2, false, 2, 2, 0, 0) \
   X(b8any_inequal3, 267, 2, false, 3, 3, 0, 0) \
   X(b8any_inequal4, 268, 2, false, 4, 4, 0, 0) \
   X(b8any_inequal5, 269, 2, true, 5, 5, 0, 0) \
   X(b8any_inequal8, 270, 2, true, 8, 8, 0, 0) \
   X(b8any_inequal16, 271, 2, true, 16, 16, 0, 0) \
   X(b16all_fequal2, 272, 2, false, 2, 2, 0, 0) \
   X(b16all_fequal3, 273, 2, false, 3, 3, 0, 0) \
   X(b16all_fequal4, 274, 2, false, 4, 4, 0, 0) \
   X(b16all_fequal5, 275, 2, true, 5, 5, 0, 0) \
   X(b16all_fequal8, 276, 2, true, 8, 8, 0, 0) \
   X(b16all_fequal16, 277, 2, true, 16, 16, 0, 0) \
   X(b16any_fnequal2, 278, 2, false, 2, 2, 0, 0) \
   X(b16any_fnequal3, 279, 2, false, 3, 3, 0, 0) \
   X(b16any_fnequal4, 280, 2, false, 4, 4, 0, 0) \
   X(b16any_fnequal5, 281, 2, true, 5, 5, 0, 0) \
   X(b16any_fnequal8, 282, 2, true, 8, 8, 0, 0) \
   X(b16any_fnequal16, 283, 2, true, 16, 16, 0, 0) \
   X(b16all_iequal2, 284, 2, false, 2, 2, 0, 0) \
   X(b16all_iequal3, 285, 2, false, 3, 3, 0, 0) \
   X(b16all_iequal4, 286, 2, false, 4, 4, 0, 0) \
   X(b16all_iequal5, 287, 2, true, 5, 5, 0, 0) \
   X(b16all_iequal8, 288, 2, true, 8, 8, 0, 0) \
   X(b16all_iequal16, 289, 2, true, 16, 16, 0, 0) \
   X(b16any_inequal2, 290, 2, false, 2, 2, 0, 0) \
   X(b16any_inequal3, 291, 2, false, 3, 3, 0, 0) \
   X(b16any_inequal4, 292, 2, false, 4, 4, 0, 0) \
   X(b16any_inequal5, 293, 2, true, 5, 5, 0, 0) \
   X(b16any_inequal8, 294, 2, true, 8, 8, 0, 0) \
   X(b16any_inequal16, 295, 2, true, 16, 16, 0, 0) \
   X(b32all_fequal2, 296, 2, false, 2, 2, 0, 0) \
   X(b32all_fequal3, 297, 2, false, 3, 3, 0, 0) \
   X(b32all_fequal4, 298, 2, false, 4, 4, 0, 0) \
   X(b32all_fequal5, 299, 2, true, 5, 5, 0, 0) \
   X(b32all_fequal8, 300, 2, true, 8, 8, 0, 0) \
   X(b32all_fequal16, 301, 2, true, 16, 16, 0, 0) \
   X(b32any_fnequal2, 302, 2, false, 2, 2, 0, 0) \
   X(b32any_fnequal3, 303, 2, false, 3, 3, 0, 0) \
   X(b32any_fnequal4, 304, 2, false, 4, 4, 0, 0) \
   X(b32any_fnequal5, 305, 2, true, 5, 5, 0, 0) \
   X(b32any_fnequal8, 306, 2, true, 8, 8, 0, 0) \
   X(b32any_fnequal16, 307, 2, true, 16, 16, 0, 0) \
   X(b32all_iequal2, 308, 2, false, 2, 2, 0, 0) \
   X(b32all_iequal3, 309, 2, false, 3, 3, 0, 0) \
   X(b32all_iequal4, 310, 2, false, 4, 4, 0, 0) \
   X(b32all_iequal5, 311, 2, true, 5, 5, 0, 0) \
   X(b32all_iequal8, 312, 2, true, 8, 8, 0, 0) \
   X(b32all_iequal16, 313, 2, true, 16, 16, 0, 0) \
   X(b32any_inequal2, 314, 2, false, 2, 2, 0, 0) \
   X(b32any_inequal3, 315, 2, false, 3, 3, 0, 0) \
   X(b32any_inequal4, 316, 2, false, 4, 4, 0, 0) \
   X(b32any_inequal5, 317, 2, true, 5, 5, 0, 0) \
   X(b32any_inequal8, 318, 2, true, 8, 8, 0, 0) \
   X(b32any_inequal16, 319, 2, true, 16, 16, 0, 0) \
   X(f2f16, 332, 1, false, 0, 0, 0, 0) \
   X(f2f32, 333, 1, false, 0, 0, 0, 0) \
   X(f2f64, 334, 1, false, 0, 0, 0, 0) \
   X(f2f16_rtne, 335, 1, false, 0, 0, 0, 0) \
   X(f2f16_rtz, 336, 1, false, 0, 0, 0, 0) \
   X(f2i1, 337, 1, false, 0, 0, 0, 0) \
   X(f2i8, 338, 1, false, 0, 0, 0, 0) \
   X(f2i16, 339, 1, false, 0, 0, 0, 0) \
   X(f2i32, 340, 1, false, 0, 0, 0, 0) \
   X(f2i64, 341, 1, false, 0, 0, 0, 0) \
   X(f2u1, 342, 1, false, 0, 0, 0, 0) \
   X(f2u8, 343, 1, false, 0, 0, 0, 0) \
   X(f2u16, 344, 1, false, 0, 0, 0, 0) \
   X(f2u32, 345, 1, false, 0, 0, 0, 0) \
   X(f2u64, 346, 1, false, 0, 0, 0, 0) \
   X(i2f16, 347, 1, false, 0, 0, 0, 0) \
   X(i2f32, 348, 1, false, 0, 0, 0, 0) \
   X(i2f64, 349, 1, false, 0, 0, 0, 0) \
   X(u2f16, 350, 1, false, 0, 0, 0, 0) \
   X(u2f32, 351, 1, false, 0, 0, 0, 0) \
   X(u2f64, 352, 1, false, 0, 0, 0, 0) \
   X(i2i1, 353, 1, false, 0, 0, 0, 0) \
   X(i2i8, 354, 1, false, 0, 0, 0, 0) \
   X(i2i16, 355, 1, false, 0, 0, 0, 0) \
   X(i2i32, 356, 1, false, 0, 0, 0, 0) \
   X(i2i64, 357, 1, false, 0, 0, 0, 0) \
   X(u2u1, 358, 1, false, 0, 0, 0, 0) \
   X(u2u8, 359, 1, false, 0, 0, 0, 0) \
   X(u2u16, 360, 1, false, 0, 0, 0, 0) \
   X(u2u32, 361, 1, false, 0, 0, 0, 0) \
   X(u2u64, 362, 1, false, 0, 0, 0, 0) \
   X(b2f16, 363, 1, false, 0, 0, 0, 0) \
   X(b2f32, 364, 1, false, 0, 0, 0, 0) \
   X(b2f64, 365, 1, false, 0, 0, 0, 0) \
   X(b2i1, 366, 1, false, 0, 0, 0, 0) \
   X(b2i8, 367, 1, false, 0, 0, 0, 0) \
   X(b2i16, 368, 1, false, 0, 0, 0, 0) \
   X(b2i32, 369, 1, false, 0, 0, 0, 0) \
   X(b2i64, 370, 1, false, 0, 0, 0, 0) \
   X(b2b1, 371, 1, false, 0, 0, 0, 0) \
   X(b2b8, 372, 1, false, 0, 0, 0, 0) \
   X(b2b16, 373, 1, false, 0, 0, 0, 0) \
   X(b2b32, 374, 1, false, 0, 0, 0, 0) \
   X(f2fmp, 375, 1, false, 0, 0, 0, 0) \
   X(i2imp, 376, 1, false, 0, 0, 0, 0) \
   X(f2imp, 377, 1, false, 0, 0, 0, 0) \
   X(f2ump, 378, 1, false, 0, 0, 0, 0) \
   X(i2fmp, 379, 1, false, 0, 0, 0, 0) \
   X(u2fmp, 380, 1, false, 0, 0, 0, 0) \
   X(pack_32_4x8, 381, 1, false, 4, 0, 0, 0) \
   X(pack_32_2x16, 382, 1, false, 2, 0, 0, 0) \
   X(pack_64_2x32, 383, 1, false, 2, 0, 0, 0) \
   X(pack_64_4x16, 384, 1, false, 4, 0, 0, 0) \
   X(unpack_32_4x8, 385, 1, false, 1, 0, 0, 0) \
   X(unpack_32_2x16, 386, 1, false, 1, 0, 0, 0) \
   X(unpack_64_2x32, 387, 1, false, 1, 0, 0, 0) \
   X(unpack_64_4x16, 388, 1, false, 1, 0, 0, 0) \
   X(pack_32_4x8_split, 389, 4, false, 0, 0, 0, 0) \
   X(pack_32_2x16_split, 390, 2, false, 0, 0, 0, 0) \
   X(pack_64_2x32_split, 391, 2, false, 0, 0, 0, 0) \
   X(unpack_32_2x16_split_x, 392, 1, false, 0, 0, 0, 0) \
   X(unpack_32_2x16_split_y, 393, 1, false, 0, 0, 0, 0) \
   X(unpack_64_2x32_split_x, 394, 1, false, 0, 0, 0, 0) \
   X(unpack_64_2x32_split_y, 395, 1, false, 0, 0, 0, 0) \
   X(pack_half_2x16, 396, 1, false, 2, 0, 0, 0) \
   X(pack_unorm_2x16, 397, 1, false, 2, 0, 0, 0) \
   X(pack_snorm_2x16, 398, 1, false, 2, 0, 0, 0) \
   X(pack_unorm_4x8, 399, 1, false, 4, 0, 0, 0) \
   X(pack_snorm_4x8, 400, 1, false, 4, 0, 0, 0) \
   X(unpack_half_2x16, 401, 1, false, 1, 0, 0, 0) \
   X(unpack_unorm_2x16, 402, 1, false, 1, 0, 0, 0) \
   X(unpack_snorm_2x16, 403, 1, false, 1, 0, 0, 0) \
   X(unpack_unorm_4x8, 404, 1, false, 1, 0, 0, 0) \
   X(unpack_snorm_4x8, 405, 1, false, 1, 0, 0, 0) \
   X(pack_half_2x16_split, 406, 2, false, 1, 1, 0, 0) \
   X(pack_half_2x16_rtz_split, 407, 2, false, 1, 1, 0, 0) \
   X(unpack_half_2x16_split_x, 408, 1, false, 0, 0, 0, 0) \
   X(unpack_half_2x16_split_y, 409, 1, false, 0, 0, 0, 0) \
   X(pack_uint_2x16, 410, 1, false, 2, 0, 0, 0) \
   X(pack_sint_2x16, 411, 1, false, 2, 0, 0, 0) \
   X(pack_uvec2_to_uint, 412, 1, false, 2, 0, 0, 0) \
   X(pack_uvec4_to_uint, 413, 1, false, 4, 0, 0, 0) \
   X(sdot_4x8_iadd, 414, 3, false, 0, 0, 0, 0) \
   X(udot_4x8_uadd, 415, 3, false, 0, 0, 0, 0) \
   X(sudot_4x8_iadd, 416, 3, false, 0, 0, 0, 0) \
   X(sdot_2x16_iadd, 417, 3, false, 0, 0, 0, 0) \
   X(udot_2x16_uadd, 418, 3, false, 0, 0, 0, 0) \
   X(sdot_4x8_iadd_sat, 419, 3, false, 0, 0, 0, 0) \
   X(udot_4x8_uadd_sat, 420, 3, false, 0, 0, 0, 0) \
   X(sudot_4x8_iadd_sat, 421, 3, false, 0, 0, 0, 0) \
   X(sdot_2x16_iadd_sat, 422, 3, false, 0, 0, 0, 0) \
   X(udot_2x16_uadd_sat, 423, 3, false, 0, 0, 0, 0)

/* The same for names that Mesa 26.1 does not have. */
#define NTVR_NAMES_OF_OLD_ALU(X) \
   X(umul_low, 79, 2, false, 0, 0, 0, 0) \
   X(fall_equal2, 320, 2, false, 2, 2, 0, 0) \
   X(fall_equal3, 321, 2, false, 3, 3, 0, 0) \
   X(fall_equal4, 322, 2, false, 4, 4, 0, 0) \
   X(fall_equal5, 323, 2, true, 5, 5, 0, 0) \
   X(fall_equal8, 324, 2, true, 8, 8, 0, 0) \
   X(fall_equal16, 325, 2, true, 16, 16, 0, 0) \
   X(fany_nequal2, 326, 2, false, 2, 2, 0, 0) \
   X(fany_nequal3, 327, 2, false, 3, 3, 0, 0) \
   X(fany_nequal4, 328, 2, false, 4, 4, 0, 0) \
   X(fany_nequal5, 329, 2, true, 5, 5, 0, 0) \
   X(fany_nequal8, 330, 2, true, 8, 8, 0, 0) \
   X(fany_nequal16, 331, 2, true, 16, 16, 0, 0)

/* Name, number, number of sources, whether there is a result, whether values of indices other than access are
 * mapped, number of indices, indices in ntv's order. */
#define NTVR_NAMES_OF_INTRINSICS(X) \
   X(decl_reg, 0, 0, true, false, 4, NIR_INTRINSIC_NUM_COMPONENTS, NIR_INTRINSIC_NUM_ARRAY_ELEMS, NIR_INTRINSIC_BIT_SIZE, NIR_INTRINSIC_DIVERGENT) \
   X(load_reg, 1, 1, true, false, 3, NIR_INTRINSIC_BASE, NIR_INTRINSIC_LEGACY_FABS, NIR_INTRINSIC_LEGACY_FNEG) \
   X(store_reg, 2, 2, false, false, 3, NIR_INTRINSIC_BASE, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_LEGACY_FSAT) \
   X(load_reg_indirect, 3, 2, true, false, 3, NIR_INTRINSIC_BASE, NIR_INTRINSIC_LEGACY_FABS, NIR_INTRINSIC_LEGACY_FNEG) \
   X(store_reg_indirect, 4, 3, false, false, 3, NIR_INTRINSIC_BASE, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_LEGACY_FSAT) \
   X(load_deref, 5, 1, true, false, 1, NIR_INTRINSIC_ACCESS) \
   X(store_deref, 6, 2, false, false, 2, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_ACCESS) \
   X(copy_deref, 7, 2, false, true, 2, NIR_INTRINSIC_DST_ACCESS, NIR_INTRINSIC_SRC_ACCESS) \
   X(load_input, 8, 1, true, true, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_input_vertex, 9, 2, true, true, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_interpolated_input, 10, 2, true, true, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_per_vertex_input, 11, 2, true, true, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_per_primitive_input, 12, 1, true, true, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_output, 13, 1, true, true, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_per_vertex_output, 14, 2, true, true, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(store_output, 15, 2, false, true, 8, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_SRC_TYPE, NIR_INTRINSIC_IO_SEMANTICS, NIR_INTRINSIC_IO_XFB, NTVR_MESA_IO_XFB2) \
   X(store_per_vertex_output, 16, 3, false, true, 6, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_SRC_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_barycentric_pixel, 17, 0, true, true, 1, NIR_INTRINSIC_INTERP_MODE) \
   X(load_barycentric_centroid, 18, 0, true, true, 1, NIR_INTRINSIC_INTERP_MODE) \
   X(load_barycentric_sample, 19, 0, true, true, 1, NIR_INTRINSIC_INTERP_MODE) \
   X(load_barycentric_at_sample, 20, 1, true, true, 1, NIR_INTRINSIC_INTERP_MODE) \
   X(load_barycentric_at_offset, 21, 1, true, true, 1, NIR_INTRINSIC_INTERP_MODE) \
   X(load_barycentric_model, 22, 0, true, true, 1, NIR_INTRINSIC_INTERP_MODE) \
   X(interp_deref_at_centroid, 23, 1, true, false, 0, 0) \
   X(interp_deref_at_sample, 24, 2, true, false, 0, 0) \
   X(interp_deref_at_offset, 25, 2, true, false, 0, 0) \
   X(interp_deref_at_vertex, 26, 2, true, false, 0, 0) \
   X(load_ubo, 27, 2, true, false, 5, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET, NIR_INTRINSIC_RANGE_BASE, NIR_INTRINSIC_RANGE) \
   X(load_ubo_vec4, 28, 2, true, false, 3, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_BASE, NIR_INTRINSIC_COMPONENT) \
   X(load_ssbo, 29, 2, true, false, 3, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(store_ssbo, 30, 3, false, false, 4, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_push_constant, 31, 1, true, false, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_push_constant_zink, 32, 1, true, false, 1, NIR_INTRINSIC_COMPONENT) \
   X(load_shared, 33, 1, true, false, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(store_shared, 34, 2, false, false, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_scratch, 35, 1, true, false, 2, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(store_scratch, 36, 2, false, false, 3, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET, NIR_INTRINSIC_WRITE_MASK) \
   X(load_global, 37, 1, true, false, 3, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_global_constant, 38, 1, true, false, 3, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(store_global, 39, 2, false, false, 4, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_constant, 40, 1, true, false, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_kernel_input, 41, 1, true, false, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(load_uniform, 42, 1, true, true, 3, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_DEST_TYPE) \
   X(get_ssbo_size, 43, 1, true, false, 1, NIR_INTRINSIC_ACCESS) \
   X(get_ubo_size, 44, 1, true, false, 0, 0) \
   X(ssbo_atomic, 45, 3, true, true, 2, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(ssbo_atomic_swap, 46, 4, true, true, 2, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(shared_atomic, 47, 2, true, true, 2, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ATOMIC_OP) \
   X(shared_atomic_swap, 48, 3, true, true, 2, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ATOMIC_OP) \
   X(global_atomic, 49, 2, true, true, 1, NIR_INTRINSIC_ATOMIC_OP) \
   X(global_atomic_swap, 50, 3, true, true, 1, NIR_INTRINSIC_ATOMIC_OP) \
   X(deref_atomic, 51, 2, true, true, 2, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(deref_atomic_swap, 52, 3, true, true, 2, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(deref_buffer_array_length, 53, 1, true, false, 1, NIR_INTRINSIC_ACCESS) \
   X(load_vertex_id, 54, 0, true, false, 0, 0) \
   X(load_vertex_id_zero_base, 55, 0, true, false, 0, 0) \
   X(load_instance_id, 56, 0, true, false, 0, 0) \
   X(load_base_vertex, 58, 0, true, false, 0, 0) \
   X(load_first_vertex, 59, 0, true, false, 0, 0) \
   X(load_is_indexed_draw, 60, 0, true, false, 0, 0) \
   X(load_base_instance, 61, 0, true, false, 0, 0) \
   X(load_draw_id, 62, 0, true, false, 0, 0) \
   X(load_view_index, 63, 0, true, false, 0, 0) \
   X(load_primitive_id, 64, 0, true, false, 0, 0) \
   X(load_invocation_id, 65, 0, true, false, 0, 0) \
   X(load_patch_vertices_in, 66, 0, true, false, 0, 0) \
   X(load_tess_coord, 67, 0, true, false, 0, 0) \
   X(load_tess_coord_xy, 68, 0, true, false, 0, 0) \
   X(load_tess_level_outer, 69, 0, true, false, 0, 0) \
   X(load_tess_level_inner, 70, 0, true, false, 0, 0) \
   X(load_tess_level_outer_default, 71, 0, true, false, 0, 0) \
   X(load_tess_level_inner_default, 72, 0, true, false, 0, 0) \
   X(emit_vertex, 73, 0, false, false, 1, NIR_INTRINSIC_STREAM_ID) \
   X(end_primitive, 74, 0, false, false, 1, NIR_INTRINSIC_STREAM_ID) \
   X(emit_vertex_with_counter, 75, 4, false, false, 1, NIR_INTRINSIC_STREAM_ID) \
   X(end_primitive_with_counter, 76, 4, false, false, 1, NIR_INTRINSIC_STREAM_ID) \
   X(set_vertex_and_primitive_count, 77, 3, false, false, 1, NIR_INTRINSIC_STREAM_ID) \
   X(load_front_face, 78, 0, true, false, 0, 0) \
   X(load_front_face_fsign, 79, 0, true, false, 0, 0) \
   X(load_sample_id, 80, 0, true, false, 0, 0) \
   X(load_sample_pos, 82, 0, true, false, 0, 0) \
   X(load_sample_pos_or_center, 83, 0, true, false, 0, 0) \
   X(load_sample_pos_from_id, 84, 1, true, false, 0, 0) \
   X(load_sample_mask_in, 85, 0, true, false, 0, 0) \
   X(load_point_coord, 86, 0, true, false, 0, 0) \
   X(load_point_coord_maybe_flipped, 87, 1, true, false, 0, 0) \
   X(load_line_coord, 88, 0, true, false, 0, 0) \
   X(load_frag_coord, 89, 0, true, false, 0, 0) \
   X(load_pixel_coord, 90, 0, true, false, 0, 0) \
   X(load_helper_invocation, 91, 0, true, false, 0, 0) \
   X(is_helper_invocation, 92, 0, true, false, 0, 0) \
   X(load_layer_id, 93, 0, true, false, 0, 0) \
   X(load_sample_mask, 96, 0, true, false, 0, 0) \
   X(load_user_clip_plane, 97, 0, true, false, 1, NIR_INTRINSIC_UCP_ID) \
   X(load_blend_const_color_rgba, 98, 0, true, false, 0, 0) \
   X(load_workgroup_id, 99, 0, true, false, 0, 0) \
   X(load_workgroup_index, 100, 0, true, false, 0, 0) \
   X(load_num_workgroups, 101, 0, true, false, 0, 0) \
   X(load_local_invocation_id, 102, 0, true, false, 0, 0) \
   X(load_local_invocation_index, 103, 0, true, false, 0, 0) \
   X(load_global_invocation_id, 104, 0, true, false, 0, 0) \
   X(load_global_invocation_index, 105, 0, true, false, 0, 0) \
   X(load_base_workgroup_id, 106, 0, true, false, 0, 0) \
   X(load_base_global_invocation_id, 107, 0, true, false, 0, 0) \
   X(load_workgroup_size, 108, 0, true, false, 0, 0) \
   X(load_work_dim, 109, 0, true, false, 0, 0) \
   X(load_subgroup_size, 110, 0, true, false, 0, 0) \
   X(load_subgroup_invocation, 111, 0, true, false, 0, 0) \
   X(load_subgroup_id, 112, 0, true, false, 0, 0) \
   X(load_num_subgroups, 113, 0, true, false, 0, 0) \
   X(load_subgroup_eq_mask, 114, 0, true, false, 0, 0) \
   X(load_subgroup_ge_mask, 115, 0, true, false, 0, 0) \
   X(load_subgroup_gt_mask, 116, 0, true, false, 0, 0) \
   X(load_subgroup_le_mask, 117, 0, true, false, 0, 0) \
   X(load_subgroup_lt_mask, 118, 0, true, false, 0, 0) \
   X(terminate, 119, 0, false, false, 0, 0) \
   X(terminate_if, 120, 1, false, false, 0, 0) \
   X(demote, 121, 0, false, false, 0, 0) \
   X(demote_if, 122, 1, false, false, 0, 0) \
   X(ddx, 123, 1, true, false, 0, 0) \
   X(ddx_fine, 124, 1, true, false, 0, 0) \
   X(ddx_coarse, 125, 1, true, false, 0, 0) \
   X(ddy, 126, 1, true, false, 0, 0) \
   X(ddy_fine, 127, 1, true, false, 0, 0) \
   X(ddy_coarse, 128, 1, true, false, 0, 0) \
   X(begin_invocation_interlock, 129, 0, false, false, 0, 0) \
   X(end_invocation_interlock, 130, 0, false, false, 0, 0) \
   X(barrier, 131, 0, false, true, 4, NIR_INTRINSIC_EXECUTION_SCOPE, NIR_INTRINSIC_MEMORY_SCOPE, NIR_INTRINSIC_MEMORY_SEMANTICS, NIR_INTRINSIC_MEMORY_MODES) \
   X(shader_clock, 132, 0, true, true, 1, NIR_INTRINSIC_MEMORY_SCOPE) \
   X(vote_any, 133, 1, true, false, 0, 0) \
   X(vote_all, 134, 1, true, false, 0, 0) \
   X(vote_feq, 135, 1, true, false, 0, 0) \
   X(vote_ieq, 136, 1, true, false, 0, 0) \
   X(ballot, 137, 1, true, false, 0, 0) \
   X(ballot_bitfield_extract, 138, 2, true, false, 0, 0) \
   X(ballot_bit_count_reduce, 139, 1, true, false, 0, 0) \
   X(ballot_bit_count_inclusive, 140, 1, true, false, 0, 0) \
   X(ballot_bit_count_exclusive, 141, 1, true, false, 0, 0) \
   X(ballot_find_lsb, 142, 1, true, false, 0, 0) \
   X(ballot_find_msb, 143, 1, true, false, 0, 0) \
   X(ballot_relaxed, 144, 1, true, false, 0, 0) \
   X(inverse_ballot, 145, 1, true, false, 0, 0) \
   X(elect, 146, 0, true, false, 0, 0) \
   X(first_invocation, 147, 0, true, false, 0, 0) \
   X(last_invocation, 148, 0, true, false, 0, 0) \
   X(read_invocation, 149, 2, true, false, 0, 0) \
   X(read_first_invocation, 150, 1, true, false, 0, 0) \
   X(shuffle, 151, 2, true, false, 0, 0) \
   X(shuffle_xor, 152, 2, true, false, 0, 0) \
   X(shuffle_up, 153, 2, true, false, 0, 0) \
   X(shuffle_down, 154, 2, true, false, 0, 0) \
   X(rotate, 155, 2, true, false, 1, NIR_INTRINSIC_CLUSTER_SIZE) \
   X(quad_broadcast, 156, 2, true, false, 0, 0) \
   X(quad_swap_horizontal, 157, 1, true, false, 0, 0) \
   X(quad_swap_vertical, 158, 1, true, false, 0, 0) \
   X(quad_swap_diagonal, 159, 1, true, false, 0, 0) \
   X(quad_vote_any, 160, 1, true, false, 0, 0) \
   X(quad_vote_all, 161, 1, true, false, 0, 0) \
   X(reduce, 162, 1, true, true, 2, NIR_INTRINSIC_REDUCTION_OP, NIR_INTRINSIC_CLUSTER_SIZE) \
   X(inclusive_scan, 163, 1, true, true, 1, NIR_INTRINSIC_REDUCTION_OP) \
   X(exclusive_scan, 164, 1, true, true, 1, NIR_INTRINSIC_REDUCTION_OP) \
   X(is_sparse_texels_resident, 165, 1, true, false, 0, 0) \
   X(is_sparse_resident_zink, 166, 1, true, false, 0, 0) \
   X(sparse_residency_code_and, 167, 2, true, false, 0, 0) \
   X(image_deref_load, 169, 4, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_DEST_TYPE) \
   X(image_deref_sparse_load, 170, 4, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_DEST_TYPE) \
   X(image_deref_store, 171, 5, false, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_SRC_TYPE) \
   X(image_deref_atomic, 172, 4, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(image_deref_atomic_swap, 173, 5, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(image_deref_size, 174, 2, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(image_deref_samples, 175, 1, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(image_deref_levels, 176, 1, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(image_deref_samples_identical, 177, 2, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(image_load, 178, 4, true, true, 6, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE, NIR_INTRINSIC_DEST_TYPE) \
   X(image_sparse_load, 179, 4, true, true, 6, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE, NIR_INTRINSIC_DEST_TYPE) \
   X(image_store, 180, 5, false, true, 6, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE, NIR_INTRINSIC_SRC_TYPE) \
   X(image_atomic, 181, 4, true, true, 6, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE, NIR_INTRINSIC_ATOMIC_OP) \
   X(image_atomic_swap, 182, 5, true, true, 6, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE, NIR_INTRINSIC_ATOMIC_OP) \
   X(image_size, 183, 2, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE) \
   X(image_samples, 184, 1, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE) \
   X(image_levels, 185, 1, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_RANGE_BASE) \
   X(bindless_image_load, 186, 4, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_DEST_TYPE) \
   X(bindless_image_sparse_load, 187, 4, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_DEST_TYPE) \
   X(bindless_image_store, 188, 5, false, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_SRC_TYPE) \
   X(bindless_image_atomic, 189, 4, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(bindless_image_atomic_swap, 190, 5, true, true, 5, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ATOMIC_OP) \
   X(bindless_image_size, 191, 2, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(bindless_image_samples, 192, 1, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(bindless_image_levels, 193, 1, true, true, 4, NIR_INTRINSIC_IMAGE_DIM, NIR_INTRINSIC_IMAGE_ARRAY, NIR_INTRINSIC_FORMAT, NIR_INTRINSIC_ACCESS) \
   X(load_per_primitive_output, 320, 2, true, true, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_DEST_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(store_per_primitive_output, 321, 3, false, true, 6, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_COMPONENT, NIR_INTRINSIC_SRC_TYPE, NIR_INTRINSIC_IO_SEMANTICS) \
   X(load_task_payload, 322, 1, true, false, 4, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(store_task_payload, 323, 2, false, false, 5, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ACCESS, NIR_INTRINSIC_WRITE_MASK, NIR_INTRINSIC_ALIGN_MUL, NIR_INTRINSIC_ALIGN_OFFSET) \
   X(task_payload_atomic, 324, 2, true, true, 2, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ATOMIC_OP) \
   X(task_payload_atomic_swap, 325, 3, true, true, 2, NIR_INTRINSIC_BASE, NIR_INTRINSIC_ATOMIC_OP) \
   X(launch_mesh_workgroups, 326, 1, false, false, 2, NIR_INTRINSIC_BASE, NIR_INTRINSIC_RANGE) \
   X(vulkan_resource_index, 327, 1, true, true, 3, NIR_INTRINSIC_DESC_SET, NIR_INTRINSIC_BINDING, NIR_INTRINSIC_DESC_TYPE) \
   X(vulkan_resource_reindex, 328, 2, true, true, 1, NIR_INTRINSIC_DESC_TYPE) \
   X(load_vulkan_descriptor, 329, 1, true, true, 1, NIR_INTRINSIC_DESC_TYPE) \
   X(launch_mesh_workgroups_with_payload_deref, 330, 2, false, false, 0, 0)

/* The same for names that Mesa 26.1 does not have. */
#define NTVR_NAMES_OF_OLD_INTRINSICS(X) \
   X(load_sample_id_no_per_sample, 81, 0, true, false, 0, 0) \
   X(load_color0, 94, 0, true, false, 0, 0) \
   X(load_color1, 95, 0, true, false, 0, 0)

/* Slots of inputs and outputs. */
#define NTVR_NAMES_OF_SLOTS(X) \
   X(VERT_ATTRIB_POS, 0) \
   X(VERT_ATTRIB_NORMAL, 1) \
   X(VERT_ATTRIB_COLOR0, 2) \
   X(VERT_ATTRIB_COLOR1, 3) \
   X(VERT_ATTRIB_FOG, 4) \
   X(VERT_ATTRIB_COLOR_INDEX, 5) \
   X(VERT_ATTRIB_TEX0, 6) \
   X(VERT_ATTRIB_TEX1, 7) \
   X(VERT_ATTRIB_TEX2, 8) \
   X(VERT_ATTRIB_TEX3, 9) \
   X(VERT_ATTRIB_TEX4, 10) \
   X(VERT_ATTRIB_TEX5, 11) \
   X(VERT_ATTRIB_TEX6, 12) \
   X(VERT_ATTRIB_TEX7, 13) \
   X(VERT_ATTRIB_POINT_SIZE, 14) \
   X(VERT_ATTRIB_GENERIC0, 15) \
   X(VERT_ATTRIB_GENERIC1, 16) \
   X(VERT_ATTRIB_GENERIC2, 17) \
   X(VERT_ATTRIB_GENERIC3, 18) \
   X(VERT_ATTRIB_GENERIC4, 19) \
   X(VERT_ATTRIB_GENERIC5, 20) \
   X(VERT_ATTRIB_GENERIC6, 21) \
   X(VERT_ATTRIB_GENERIC7, 22) \
   X(VERT_ATTRIB_GENERIC8, 23) \
   X(VERT_ATTRIB_GENERIC9, 24) \
   X(VERT_ATTRIB_GENERIC10, 25) \
   X(VERT_ATTRIB_GENERIC11, 26) \
   X(VERT_ATTRIB_GENERIC12, 27) \
   X(VERT_ATTRIB_GENERIC13, 28) \
   X(VERT_ATTRIB_GENERIC14, 29) \
   X(VERT_ATTRIB_GENERIC15, 30) \
   X(VERT_ATTRIB_EDGEFLAG, 31) \
   X(VARYING_SLOT_POS, 0) \
   X(VARYING_SLOT_COL0, 1) \
   X(VARYING_SLOT_COL1, 2) \
   X(VARYING_SLOT_FOGC, 3) \
   X(VARYING_SLOT_TEX0, 4) \
   X(VARYING_SLOT_TEX1, 5) \
   X(VARYING_SLOT_TEX2, 6) \
   X(VARYING_SLOT_TEX3, 7) \
   X(VARYING_SLOT_TEX4, 8) \
   X(VARYING_SLOT_TEX5, 9) \
   X(VARYING_SLOT_TEX6, 10) \
   X(VARYING_SLOT_TEX7, 11) \
   X(VARYING_SLOT_PSIZ, 12) \
   X(VARYING_SLOT_BFC0, 13) \
   X(VARYING_SLOT_BFC1, 14) \
   X(VARYING_SLOT_EDGE, 15) \
   X(VARYING_SLOT_CLIP_VERTEX, 16) \
   X(VARYING_SLOT_CLIP_DIST0, 17) \
   X(VARYING_SLOT_CLIP_DIST1, 18) \
   X(VARYING_SLOT_CULL_DIST0, 19) \
   X(VARYING_SLOT_CULL_DIST1, 20) \
   X(VARYING_SLOT_PRIMITIVE_ID, 21) \
   X(VARYING_SLOT_LAYER, 22) \
   X(VARYING_SLOT_VIEWPORT, 23) \
   X(VARYING_SLOT_FACE, 24) \
   X(VARYING_SLOT_PNTC, 25) \
   X(VARYING_SLOT_TESS_LEVEL_OUTER, 26) \
   X(VARYING_SLOT_TESS_LEVEL_INNER, 27) \
   X(VARYING_SLOT_BOUNDING_BOX0, 28) \
   X(VARYING_SLOT_BOUNDING_BOX1, 29) \
   X(VARYING_SLOT_VIEW_INDEX, 30) \
   X(VARYING_SLOT_VIEWPORT_MASK, 31) \
   X(VARYING_SLOT_VAR0, 32) \
   X(VARYING_SLOT_VAR1, 33) \
   X(VARYING_SLOT_VAR2, 34) \
   X(VARYING_SLOT_VAR3, 35) \
   X(VARYING_SLOT_VAR4, 36) \
   X(VARYING_SLOT_VAR5, 37) \
   X(VARYING_SLOT_VAR6, 38) \
   X(VARYING_SLOT_VAR7, 39) \
   X(VARYING_SLOT_VAR8, 40) \
   X(VARYING_SLOT_VAR9, 41) \
   X(VARYING_SLOT_VAR10, 42) \
   X(VARYING_SLOT_VAR11, 43) \
   X(VARYING_SLOT_VAR12, 44) \
   X(VARYING_SLOT_VAR13, 45) \
   X(VARYING_SLOT_VAR14, 46) \
   X(VARYING_SLOT_VAR15, 47) \
   X(VARYING_SLOT_VAR16, 48) \
   X(VARYING_SLOT_VAR17, 49) \
   X(VARYING_SLOT_VAR18, 50) \
   X(VARYING_SLOT_VAR19, 51) \
   X(VARYING_SLOT_VAR20, 52) \
   X(VARYING_SLOT_VAR21, 53) \
   X(VARYING_SLOT_VAR22, 54) \
   X(VARYING_SLOT_VAR23, 55) \
   X(VARYING_SLOT_VAR24, 56) \
   X(VARYING_SLOT_VAR25, 57) \
   X(VARYING_SLOT_VAR26, 58) \
   X(VARYING_SLOT_VAR27, 59) \
   X(VARYING_SLOT_VAR28, 60) \
   X(VARYING_SLOT_VAR29, 61) \
   X(VARYING_SLOT_VAR30, 62) \
   X(VARYING_SLOT_VAR31, 63) \
   X(VARYING_SLOT_PATCH0, 64) \
   X(VARYING_SLOT_PATCH1, 65) \
   X(VARYING_SLOT_PATCH2, 66) \
   X(VARYING_SLOT_PATCH3, 67) \
   X(VARYING_SLOT_PATCH4, 68) \
   X(VARYING_SLOT_PATCH5, 69) \
   X(VARYING_SLOT_PATCH6, 70) \
   X(VARYING_SLOT_PATCH7, 71) \
   X(VARYING_SLOT_PATCH8, 72) \
   X(VARYING_SLOT_PATCH9, 73) \
   X(VARYING_SLOT_PATCH10, 74) \
   X(VARYING_SLOT_PATCH11, 75) \
   X(VARYING_SLOT_PATCH12, 76) \
   X(VARYING_SLOT_PATCH13, 77) \
   X(VARYING_SLOT_PATCH14, 78) \
   X(VARYING_SLOT_PATCH15, 79) \
   X(VARYING_SLOT_PATCH16, 80) \
   X(VARYING_SLOT_PATCH17, 81) \
   X(VARYING_SLOT_PATCH18, 82) \
   X(VARYING_SLOT_PATCH19, 83) \
   X(VARYING_SLOT_PATCH20, 84) \
   X(VARYING_SLOT_PATCH21, 85) \
   X(VARYING_SLOT_PATCH22, 86) \
   X(VARYING_SLOT_PATCH23, 87) \
   X(VARYING_SLOT_PATCH24, 88) \
   X(VARYING_SLOT_PATCH25, 89) \
   X(VARYING_SLOT_PATCH26, 90) \
   X(VARYING_SLOT_PATCH27, 91) \
   X(VARYING_SLOT_PATCH28, 92) \
   X(VARYING_SLOT_PATCH29, 93) \
   X(VARYING_SLOT_PATCH30, 94) \
   X(VARYING_SLOT_PATCH31, 95) \
   X(FRAG_RESULT_DEPTH, 0) \
   X(FRAG_RESULT_STENCIL, 1) \
   X(FRAG_RESULT_COLOR, 2) \
   X(FRAG_RESULT_SAMPLE_MASK, 3) \
   X(FRAG_RESULT_DATA0, 4) \
   X(FRAG_RESULT_DATA1, 5) \
   X(FRAG_RESULT_DATA2, 6) \
   X(FRAG_RESULT_DATA3, 7) \
   X(FRAG_RESULT_DATA4, 8) \
   X(FRAG_RESULT_DATA5, 9) \
   X(FRAG_RESULT_DATA6, 10) \
   X(FRAG_RESULT_DATA7, 11)

/* System values. */
#define NTVR_NAMES_OF_SYSTEM_VALUES(X) \
   X(SUBGROUP_SIZE, 0) \
   X(SUBGROUP_INVOCATION, 1) \
   X(SUBGROUP_EQ_MASK, 2) \
   X(SUBGROUP_GE_MASK, 3) \
   X(SUBGROUP_GT_MASK, 4) \
   X(SUBGROUP_LE_MASK, 5) \
   X(SUBGROUP_LT_MASK, 6) \
   X(NUM_SUBGROUPS, 7) \
   X(SUBGROUP_ID, 8) \
   X(VERTEX_ID, 9) \
   X(INSTANCE_ID, 10) \
   X(INSTANCE_INDEX, 11) \
   X(VERTEX_ID_ZERO_BASE, 12) \
   X(BASE_VERTEX, 13) \
   X(FIRST_VERTEX, 14) \
   X(IS_INDEXED_DRAW, 15) \
   X(BASE_INSTANCE, 16) \
   X(DRAW_ID, 17) \
   X(INVOCATION_ID, 18) \
   X(FRAG_COORD, 19) \
   X(PIXEL_COORD, 20) \
   X(POINT_COORD, 21) \
   X(LINE_COORD, 22) \
   X(FRONT_FACE, 23) \
   X(FRONT_FACE_FSIGN, 24) \
   X(SAMPLE_ID, 25) \
   X(SAMPLE_POS, 26) \
   X(SAMPLE_POS_OR_CENTER, 27) \
   X(SAMPLE_MASK_IN, 28) \
   X(LAYER_ID, 29) \
   X(HELPER_INVOCATION, 30) \
   X(TESS_COORD, 33) \
   X(VERTICES_IN, 34) \
   X(PRIMITIVE_ID, 35) \
   X(TESS_LEVEL_OUTER, 36) \
   X(TESS_LEVEL_INNER, 37) \
   X(TESS_LEVEL_OUTER_DEFAULT, 38) \
   X(TESS_LEVEL_INNER_DEFAULT, 39) \
   X(LOCAL_INVOCATION_ID, 40) \
   X(LOCAL_INVOCATION_INDEX, 41) \
   X(GLOBAL_INVOCATION_ID, 42) \
   X(BASE_GLOBAL_INVOCATION_ID, 43) \
   X(GLOBAL_INVOCATION_INDEX, 44) \
   X(WORKGROUP_ID, 45) \
   X(BASE_WORKGROUP_ID, 46) \
   X(WORKGROUP_INDEX, 47) \
   X(NUM_WORKGROUPS, 48) \
   X(WORKGROUP_SIZE, 49) \
   X(GLOBAL_GROUP_SIZE, 50) \
   X(WORK_DIM, 51) \
   X(USER_DATA_AMD, 52) \
   X(DEVICE_INDEX, 53) \
   X(VIEW_INDEX, 54) \
   X(VERTEX_CNT, 55) \
   X(BARYCENTRIC_PERSP_PIXEL, 56) \
   X(BARYCENTRIC_PERSP_SAMPLE, 57) \
   X(BARYCENTRIC_PERSP_CENTROID, 58) \
   X(BARYCENTRIC_PERSP_CENTER_RHW, 59) \
   X(BARYCENTRIC_LINEAR_PIXEL, 60) \
   X(BARYCENTRIC_LINEAR_CENTROID, 61) \
   X(BARYCENTRIC_LINEAR_SAMPLE, 62) \
   X(BARYCENTRIC_PULL_MODEL, 63) \
   X(BARYCENTRIC_PERSP_COORD, 64) \
   X(BARYCENTRIC_LINEAR_COORD, 65) \
   X(RAY_LAUNCH_ID, 66) \
   X(RAY_LAUNCH_SIZE, 67) \
   X(RAY_WORLD_ORIGIN, 68) \
   X(RAY_WORLD_DIRECTION, 69) \
   X(RAY_OBJECT_ORIGIN, 70) \
   X(RAY_OBJECT_DIRECTION, 71) \
   X(RAY_T_MIN, 72) \
   X(RAY_T_MAX, 73) \
   X(RAY_OBJECT_TO_WORLD, 74) \
   X(RAY_WORLD_TO_OBJECT, 75) \
   X(RAY_HIT_KIND, 76) \
   X(RAY_FLAGS, 77) \
   X(RAY_GEOMETRY_INDEX, 78) \
   X(RAY_INSTANCE_CUSTOM_INDEX, 79) \
   X(CULL_MASK, 80) \
   X(RAY_TRIANGLE_VERTEX_POSITIONS, 81) \
   X(MESH_VIEW_COUNT, 82) \
   X(MESH_VIEW_INDICES, 83) \
   X(GS_HEADER_IR3, 84) \
   X(TCS_HEADER_IR3, 85) \
   X(REL_PATCH_ID_IR3, 86) \
   X(FRAG_SHADING_RATE, 87) \
   X(FULLY_COVERED, 88) \
   X(FRAG_SIZE, 89) \
   X(FRAG_INVOCATION_COUNT, 90) \
   X(SHADER_INDEX, 91) \
   X(COALESCED_INPUT_COUNT, 92) \
   X(WARPS_PER_SM_NV, 93) \
   X(SM_COUNT_NV, 94) \
   X(WARP_ID_NV, 95) \
   X(SM_ID_NV, 96)

#endif /* NTVR_NAMES_H */

// The two 16-bit floats of model files, to and from float32, in integer arithmetic alone: the same bits on every
// machine, whatever its rounding mode and however it treats denormals.
//
//   float scale = f16::to_float(0x3800);    // 0.5
//   uint16_t bits = f16::from_float(scale);
#pragma once

#include <cstdint>

/// IEEE binary16: 1 sign, 5 exponent and 10 fraction bits. Largest number 65504, smallest normal 2^-14, smallest 2^-24.
namespace tritcheck::f16 {

/// Exact for all 65536 values. A NaN keeps its sign and payload (which float32 has as its highest fraction bits).
float to_float(uint16_t bits);

/// Rounded to the nearest, ties to even. A magnitude of 65520 or more becomes infinite, one of 2^-25 or less a zero of
/// the same sign; denormals are kept. NaN stays NaN: sign and upper ten payload bits kept, made quiet, so that a
/// payload below those bits cannot turn into infinity.
uint16_t from_float(float x);

/// True for what can be a scale: neither NaN nor infinite. Negative numbers, zeros and denormals can.
bool is_finite(uint16_t bits);

}  // namespace tritcheck::f16

/// The upper half of a float32: 1 sign, 8 exponent and 7 fraction bits.
namespace tritcheck::bf16 {

/// Exact for all 65536 values, NaN payloads included.
float to_float(uint16_t bits);

/// Rounded to the nearest, ties to even; a magnitude of (2 - 2^-8) * 2^127 or more becomes infinite. Denormals are
/// kept. NaN stays NaN: sign and upper seven payload bits kept, made quiet.
uint16_t from_float(float x);

}  // namespace tritcheck::bf16

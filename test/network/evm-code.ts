/**
 * Code of the EVM written as expressions: an operation takes its arguments in the order of the yellow
 * paper, the first from the top of the stack.
 */

import { concatBytes, fromBigint, fromHex } from '../../src/core/bytes.ts'

/** A piece of code. */
export type Code = Uint8Array

const opcodes = {
  ADD: 0x01,
  SUB: 0x03,
  EQ: 0x14,
  ISZERO: 0x15,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  CALLER: 0x33,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMPI: 0x57,
  PC: 0x58,
  GAS: 0x5a,
  LOG3: 0xa3,
  LOG4: 0xa4,
  CALL: 0xf1,
  STATICCALL: 0xfa,
  STOP: 0x00,
} as const

/** An operation with its arguments: numbers and bytes are pushed. */
export function op(name: keyof typeof opcodes, ...args: readonly (Code | number)[]): Code {
  const pushed = args.toReversed().map((one) => (typeof one === 'number' ? push(one) : one))
  return concatBytes(...pushed, Uint8Array.of(opcodes[name]))
}

/** Pushes a number, or up to 32 bytes. */
export function push(value: number | Uint8Array): Code {
  const bytes = typeof value === 'number' ? fromBigint(BigInt(value), 4) : value
  return concatBytes(Uint8Array.of(0x5f + bytes.length), bytes)
}

/** Where a program gives up, see {@link programOf}. */
const failAt = 3

/** Reverts unless `condition` is other than 0. */
export function demand(condition: Code): Code {
  return op('JUMPI', failAt, op('ISZERO', condition))
}

/** `body` where `condition` is other than 0. */
export function when(condition: Code, body: Code): Code {
  // From PC over PC, ADD and JUMPI to the JUMPDEST behind the body.
  const distance = push(3 + body.length)
  const jump = concatBytes(op('ISZERO', condition), distance, fromHex('580157'))
  return concatBytes(jump, body, fromHex('5b'))
}

/** The program, with the place where {@link demand} jumps to: PUSH1 8, JUMP, then a revert. */
export function programOf(...parts: readonly Code[]): Code {
  return concatBytes(fromHex('600856' + '5b600080fd' + '5b'), ...parts)
}

/** Code that makes a contract of `program`: copies what follows it and returns that. */
export function creationOf(program: Code): Code {
  const size = fromBigint(BigInt(program.length), 2)
  return concatBytes(fromHex('61'), size, fromHex('80600c6000396000f3'), program)
}

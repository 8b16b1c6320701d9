/** Single values as the EVM operations write them: numbers as text, hex, Unix time. */

import { Type, type Schema } from '../type.ts'

/** An unsigned integer of any size, base 10. */
export function decimal(description: string): Schema<string> {
  return Type.String({ description, pattern: '^(0|[1-9][0-9]*)$' })
}

/**
 * An amount in the smallest unit, as {@link decimal}. Files show whole coins beside it: `decimals` places,
 * or as many as the member with this name says, from the object on in which the amount stands.
 */
export function amount(description: string, decimals: number | string): Schema<string> {
  return Type.String({ ...decimal(description), 'x-decimals': decimals })
}

/** 32 bytes: `0x` and 64 lower-case digits. */
export function hash(description: string): Schema<string> {
  return Type.String({ description, pattern: '^0x[0-9a-f]{64}$' })
}

/** An EVM address in EIP-55 mixed case. */
export function address(description: string): Schema<string> {
  return Type.String({ description, pattern: '^0x[0-9a-fA-F]{40}$' })
}

/** Bytes of any length: `0x` and an even number of lower-case digits. */
export function hex(description: string): Schema<string> {
  return Type.String({ description, pattern: '^0x([0-9a-f]{2})*$' })
}

/** A moment that a caller names: Unix seconds. */
export function moment(description: string): Schema<number> {
  return Type.Integer({ minimum: 0, maximum: 2 ** 40, description })
}

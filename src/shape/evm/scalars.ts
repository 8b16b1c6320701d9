/** Single values as the EVM operations write them: numbers as text, hex, Unix time. */

import { Type, type Schema } from '../type.ts'

/** An address and a hash, of no chain. */
export const addressExample = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'
export const hashExample = '0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff'

/** An unsigned integer of any size, base 10. */
export function decimal(description: string): Schema<string> {
  return Type.String({ description, pattern: '^(0|[1-9][0-9]*)$', examples: ['1'] })
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
  return Type.String({ description, pattern: '^0x[0-9a-f]{64}$', examples: [hashExample] })
}

/** An EVM address in EIP-55 mixed case. */
export function address(description: string): Schema<string> {
  return Type.String({ description, pattern: '^0x[0-9a-fA-F]{40}$', examples: [addressExample] })
}

/** Bytes of any length: `0x` and an even number of lower-case digits. */
export function hex(description: string): Schema<string> {
  return Type.String({ description, pattern: '^0x([0-9a-f]{2})*$' })
}

/** A moment that a caller names: Unix seconds. */
export function moment(description: string): Schema<number> {
  return Type.Integer({ minimum: 0, maximum: 2 ** 40, description })
}

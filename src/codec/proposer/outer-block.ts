/**
 * Outer blocks of the proposervm, which wraps every chain's blocks and adds who proposed them,
 * when, and at which P-Chain height.
 *
 * Source: avalanchego vms/proposervm/block.
 */

import { faultOf } from '../../core/fault.ts'
import { hash160, sha256 } from '../../core/hash.ts'
import { decode, type Decoded } from '../cursor.ts'
import { struct, union, versioned } from '../kit.ts'
import { bytes, fixed, i64, u64 } from '../primitives.ts'

// Outer blocks have no limit of their own in nodes; a peer's message holds at most 2 MiB.
const maxInnerBytes = 4_194_304

const header = {
  parentId: fixed(32),
  timestamp: i64,
  pChainHeight: u64,
  certificate: bytes(maxInnerBytes),
  inner: bytes(maxInnerBytes),
} as const

const signature = bytes(maxInnerBytes)

/** Types of outer blocks. */
export const outerTypes = { signed: 0, option: 1, granite: 2 } as const

/**
 * An outer block: before Granite (0), an option, that is a commit or abort (1), since Granite with
 * an epoch (2). `timestamp` is Unix seconds; `certificate` is DER and empty when unsigned.
 */
export const outerBlock = versioned(
  union({
    [outerTypes.signed]: struct({ ...header, signature }),
    [outerTypes.option]: struct({ parentId: fixed(32), inner: bytes(maxInnerBytes) }),
    [outerTypes.granite]: struct({
      ...header,
      epochPChainHeight: u64,
      epochNumber: u64,
      epochStartTime: i64,
      signature,
    }),
  }),
)
/** Decoded {@link outerBlock}. */
export type OuterBlock = Decoded<typeof outerBlock>

/** Id of an outer block: hash of its bytes without the signature and that one's length. */
export function outerBlockIdOf(block: OuterBlock, whole: Uint8Array): Uint8Array {
  if (block.typeId === outerTypes.option) return sha256(whole)
  return sha256(whole.subarray(0, whole.length - block.signature.length - 4))
}

/** Node id of the proposer, 20 bytes; `undefined` for options and unsigned blocks. */
export function proposerOf(block: OuterBlock): Uint8Array | undefined {
  if (block.typeId === outerTypes.option || block.certificate.length === 0) return undefined
  return hash160(block.certificate)
}

/** A container of the Index API: its inner block, and the outer one when there is one. */
export type Container = {
  readonly inner: Uint8Array
  readonly outer: { readonly id: Uint8Array; readonly block: OuterBlock } | undefined
}

/**
 * Takes a container apart. Before its chain's proposervm fork a container is the bare inner block,
 * and the type ids collide, so both are tried: as outer block with exact length and an inner part
 * that `isInner` accepts, else as inner block.
 */
export function openContainer(
  container: Uint8Array,
  isInner: (inner: Uint8Array) => boolean,
): Container {
  const block = attempt(container)
  if (block === undefined || !isInner(block.inner)) return { inner: container, outer: undefined }
  return { inner: block.inner, outer: { id: outerBlockIdOf(block, container), block } }
}

function attempt(container: Uint8Array): OuterBlock | undefined {
  try {
    return decode(outerBlock, container)
  } catch (error) {
    if (faultOf(error)?.code === 'bad-bytes') return undefined
    throw error
  }
}

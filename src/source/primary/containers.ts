/** Containers of the Index API: the block inside, and who proposed it. */

import {
  outerTypes,
  type Container,
  openContainer,
  proposerOf,
} from '../../codec/proposer/outer-block.ts'
import { isZero } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { isEvmBlock, readEvmBlock } from './evm-block.ts'
import type { BlockBytes, CBlock, Proposer } from './primary-source.ts'

/**
 * Type ids an inner block can begin with, after version 0. Source: codec.go of platformvm and avm.
 */
const innerTypes = { P: [0, 1, 2, 3, 4, 29, 30, 31, 32], X: [20] } as const

/** The P- or X-Chain block at `height`, from its container, and the container's id. */
export function openBlock(
  chain: 'P' | 'X',
  height: number,
  container: Uint8Array,
): { readonly id: Uint8Array; readonly block: BlockBytes } {
  const types: readonly number[] = innerTypes[chain]
  const isInner = (inner: Uint8Array): boolean =>
    inner.length > 6 && isZero(inner.subarray(0, 5)) && types.includes(inner[5] ?? -1)
  const { inner, outer } = openContainer(container, isInner)
  const block = { height, bytes: inner, proposer: proposerIn(outer) }
  return { id: outer?.id ?? sha256(container), block }
}

/** The C-Chain block of a container, and the container's id. Throws `bad-bytes`. */
export function openCBlock(container: Uint8Array): {
  readonly id: Uint8Array
  readonly block: CBlock
} {
  const { inner, outer } = openContainer(container, isEvmBlock)
  const block = { ...readEvmBlock(inner), proposer: proposerIn(outer) }
  return { id: outer?.id ?? block.blockId, block }
}

function proposerIn(outer: Container['outer']): Proposer | undefined {
  if (outer === undefined) return undefined
  const { id, block } = outer
  const isOption = block.typeId === outerTypes.option
  return {
    outerId: id,
    outerParentId: block.parentId,
    nodeId: proposerOf(block),
    pChainHeight: isOption ? undefined : Number(block.pChainHeight),
    timestamp: isOption ? undefined : Number(block.timestamp),
  }
}

/** Containers of the Index API and of peers: the block inside, and who proposed it. */

import { decodePBlock } from '../../codec/primary/p-block.ts'
import { decodeXBlock } from '../../codec/primary/x-transaction.ts'
import {
  outerTypes,
  type Container,
  openContainer,
  proposerOf,
} from '../../codec/proposer/outer-block.ts'
import { isZero } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { isEvmBlock, readEvmBlock } from './evm-block.ts'
import type { BlockBytes, CBlock, PrimaryChain, Proposer } from './primary-source.ts'

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
  // A container may be a view on a message of 2,000, and a certificate is most of it.
  const block = { height, bytes: inner.slice(), proposer: proposerIn(outer) }
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

/** A container in the chain of containers: ids are those of outer blocks, where there are any. */
export type Link = { readonly id: Uint8Array; readonly parentId: Uint8Array }

/** Id of a container, proven by its bytes, and of the one before. Throws `bad-bytes`. */
export function linkOf(chain: PrimaryChain, container: Uint8Array): Link {
  if (chain === 'C') {
    const { id, block } = openCBlock(container)
    return { id, parentId: block.proposer?.outerParentId ?? block.parentId }
  }
  const { id, block } = openBlock(chain, 0, container)
  const { proposer, bytes } = block
  return { id, parentId: proposer?.outerParentId ?? innerBlock(chain, bytes).parentId }
}

/** Height that the block in a container says. Throws `bad-bytes`. */
export function heightIn(chain: PrimaryChain, container: Uint8Array): number {
  if (chain === 'C') return openCBlock(container).block.height
  return Number(innerBlock(chain, openBlock(chain, 0, container).block.bytes).height)
}

function innerBlock(
  chain: 'P' | 'X',
  bytes: Uint8Array,
): { readonly parentId: Uint8Array; readonly height: bigint } {
  return chain === 'P' ? decodePBlock(bytes) : decodeXBlock(bytes)
}

function proposerIn(outer: Container['outer']): Proposer | undefined {
  if (outer === undefined) return undefined
  const { id, block } = outer
  const isOption = block.typeId === outerTypes.option
  return {
    outerId: id,
    outerParentId: block.parentId.slice(),
    nodeId: proposerOf(block),
    pChainHeight: isOption ? undefined : Number(block.pChainHeight),
    timestamp: isOption ? undefined : Number(block.timestamp),
  }
}

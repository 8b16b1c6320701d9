/**
 * A peer in this process that serves the blocks of chains as a node does, well-behaved or not.
 *
 * What it serves are containers: ids of outer blocks, newest first, at most 2,000 or four fifths of a
 * message at a time. Source: avalanchego snow/engine/snowman/getter, chains/manager.go.
 */

import { encode } from '../../../src/codec/cursor.ts'
import { outerBlock } from '../../../src/codec/proposer/outer-block.ts'
import type { PeerMessage } from '../../../src/codec/warp/peer-message.ts'
import { keyOf } from '../../../src/core/bytes.ts'
import { linkOf } from '../../../src/source/primary/containers.ts'
import type { PrimaryChain } from '../../../src/source/primary/primary-source.ts'

/** A chain as a peer has it: what it accepted so far is up to `height`. */
export class ServedChain {
  readonly chain: PrimaryChain
  readonly #first: number
  readonly #containers: Uint8Array[] = []
  readonly #heights = new Map<string, number>()
  readonly #ids: Uint8Array[] = []
  /** Last accepted height. */
  height: number

  /** Containers of heights from `first` on. */
  constructor(chain: PrimaryChain, first: number, containers: readonly Uint8Array[]) {
    this.chain = chain
    this.#first = first
    for (const container of containers) this.#add(container)
    this.height = first + containers.length - 1
  }

  #add(container: Uint8Array): void {
    const { id } = linkOf(this.chain, container)
    this.#heights.set(keyOf(id), this.#first + this.#containers.length)
    this.#containers.push(container)
    this.#ids.push(id)
  }

  idAt(height: number): Uint8Array {
    return this.#ids[height - this.#first]!
  }

  /** Height of an accepted block. */
  heightOf(id: Uint8Array): number | undefined {
    const height = this.#heights.get(keyOf(id))
    return height !== undefined && height <= this.height ? height : undefined
  }

  /** The block with this id and those before it. */
  ancestors(id: Uint8Array): Uint8Array[] {
    const found: Uint8Array[] = []
    let bytes = 0
    let height = this.heightOf(id) ?? this.#first - 1
    while (height >= this.#first && found.length < 2_000) {
      const container = this.#containers[height - this.#first]!
      bytes += container.length + 5
      if (found.length > 0 && bytes > 1_677_721) break
      found.push(container)
      height--
    }
    return found
  }

  containers(from: number, until: number): readonly Uint8Array[] {
    return this.#containers.slice(from - this.#first, until - this.#first)
  }
}

/** A question about blocks. */
export type BlockQuestionMessage = Extract<
  PeerMessage,
  { kind: 'get-accepted-frontier' | 'get-accepted' | 'get-ancestors' | 'get' }
>

/** Returns whether a message asks about blocks. */
export function asksBlocks(message: PeerMessage): message is BlockQuestionMessage {
  return ['get-accepted-frontier', 'get-accepted', 'get-ancestors', 'get'].includes(message.kind)
}

/** Answer of a node to a question; `undefined` where it says nothing. */
export function honestAnswer(
  chain: ServedChain | undefined,
  { kind, chainId, requestId, ids }: BlockQuestionMessage,
): PeerMessage | undefined {
  const [id] = ids
  if (chain === undefined) return undefined
  const place = { chainId, requestId }
  switch (kind) {
    case 'get-accepted-frontier':
      return { kind: 'accepted-frontier', ...place, items: [chain.idAt(chain.height)] }
    case 'get-accepted':
      return {
        kind: 'accepted',
        ...place,
        items: ids.filter((one) => chain.heightOf(one) !== undefined),
      }
    case 'get-ancestors':
      return id && { kind: 'ancestors', ...place, items: chain.ancestors(id) }
    case 'get': {
      const [container] = id === undefined ? [] : chain.ancestors(id)
      return container && { kind: 'put', ...place, items: [container] }
    }
  }
}

/**
 * Inner blocks as the proposervm wraps them, without proposers; those before `fork` are bare.
 * `parentId` is that of the first.
 */
export function wrapped(
  chain: PrimaryChain,
  inner: readonly Uint8Array[],
  { fork = 1, salt = 0 }: { readonly fork?: number; readonly salt?: number } = {},
): Uint8Array[] {
  const containers: Uint8Array[] = []
  let parentId: Uint8Array = new Uint8Array(32)
  for (const [at, bytes] of inner.entries()) {
    const container =
      at < fork
        ? bytes
        : encode(outerBlock, {
            typeId: 0,
            parentId,
            timestamp: 1_700_000_000n + BigInt(at + salt),
            pChainHeight: BigInt(Math.max(0, at - 5)),
            certificate: new Uint8Array(),
            inner: bytes,
            signature: new Uint8Array(),
          })
    containers.push(container)
    parentId = linkOf(chain, container).id
  }
  return containers
}

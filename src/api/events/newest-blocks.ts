/**
 * The newest blocks of all chains served, for everybody who looks on.
 *
 * However many look on, every chain's height is read twice a second, and not at all while
 * nobody does; what is new is read and written down once.
 */

import type { Clock } from '../../core/world.ts'
import { joinedBlocks, type NewBlock } from '../../shape/events/new-block.ts'
import { latestBlocks } from '../../store/query/evm/blocks.ts'
import { indexedHeight } from '../../store/query/evm/heights.ts'
import { latestBlocks as latestPrimaryBlocks } from '../../store/query/primary/blocks.ts'
import { blockIdOf, chainNumbers, heightOfBlock } from '../../store/schema/primary/position.ts'
import type { ChainDirectory, ServedChain } from '../operation/chain-directory.ts'
import { chainNameOf } from '../primary/inputs.ts'
import type { NetworkDirectory, ServedNetwork } from '../primary/network/networks.ts'

/** Between two looks. Avalanche's chains make a block in one to two seconds. */
const lookEveryMs = 500
/**
 * Blocks of one chain in one look: a chain that indexes a thousand a second shows only its newest.
 */
const mostPerLook = 4
/** Blocks that are kept for who comes. */
const kept = 16
/**
 * After so many looks without a new block a reader gets a sign of life, so that the stream is not
 * taken for dead.
 */
const quietLooks = 30

/** Where blocks are read. */
type NewestBlocksOptions = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  readonly clock: Clock
  /** Called with the reason why a chain cannot be read now; it is read again later. */
  readonly failed: (error: unknown) => void
}

/** Reader of blocks of one chain above a height, newest first. */
type Lane = {
  readonly key: string
  readonly above: (height: number) => Promise<readonly NewBlock[]>
}

/**
 * Takes a JSON list of blocks, newest first, or `undefined` when there was nothing new for long.
 */
export type NewestBlocksReader = (blocks: string | undefined) => void

/** The newest blocks, read once for everybody of a process. */
export class NewestBlocks {
  readonly #options: NewestBlocksOptions
  readonly #seen = new Map<string, number>()
  readonly #readers = new Set<NewestBlocksReader>()
  #newest: readonly NewBlock[] = []
  #runs = false

  constructor(options: NewestBlocksOptions) {
    this.#options = options
  }

  /** Sends the newest blocks, then each new one. Returns the function that ends this. */
  read(send: NewestBlocksReader): () => void {
    if (this.#runs) send(JSON.stringify(this.#newest))
    this.#readers.add(send)
    if (!this.#runs) void this.#run()
    return () => this.#readers.delete(send)
  }

  /** Number of current readers. */
  get readers(): number {
    return this.#readers.size
  }

  async #run(): Promise<void> {
    this.#runs = true
    this.#seen.clear()
    this.#newest = []
    for (let look = 0, sentAt = 0; this.#readers.size > 0; look++) {
      const newer = await this.#look()
      this.#newest = joinedBlocks(this.#newest, newer, kept)
      const hasNewBlocks = look === 0 || newer.length > 0
      if (hasNewBlocks || look - sentAt >= quietLooks) {
        const text = hasNewBlocks ? JSON.stringify(joinedBlocks([], newer, kept)) : undefined
        for (const send of this.#readers) send(text)
        sentAt = look
      }
      await this.#options.clock.sleep(lookEveryMs).catch(() => undefined)
    }
    this.#runs = false
  }

  async #look(): Promise<readonly NewBlock[]> {
    const found = await Promise.all(
      this.#lanes().map(async ({ key, above }) => {
        try {
          const blocks = await above(this.#seen.get(key) ?? -1)
          const [first] = blocks
          if (first !== undefined) this.#seen.set(key, Number(first.blockNumber))
          return blocks
        } catch (error) {
          this.#options.failed(error)
          return []
        }
      }),
    )
    return found.flat()
  }

  #lanes(): readonly Lane[] {
    const { chains, networks } = this.#options
    return [
      ...chains.all().map(evmLane),
      ...networks.all().flatMap((network) =>
        (['P', 'X', 'C'] as const)
          // The C-Chain is here once: as an EVM chain where it is served as one.
          .filter((chain) => chains.byBlockchainId(network.chainIds[chain]) === undefined)
          .map((chain) => primaryLane(network, chain)),
      ),
    ]
  }
}

function evmLane({ facts, store, beginsAnew }: ServedChain): Lane {
  return {
    key: facts.key,
    above: async (height) => {
      const head = await indexedHeight(store, 'blocks')
      const isAnew = head < height && beginsAnew === true
      if (head <= height && !isAnew) return []
      const limit = isAnew ? mostPerLook : Math.min(head - height, mostPerLook)
      const rows = await latestBlocks(store, { before: head + 1, limit })
      return rows.map((row, at) => ({
        network: facts.network,
        chainId: String(facts.evmChainId),
        name: facts.name,
        blockNumber: String(row.height),
        blockTimestamp: row.timestamp,
        txCount: row.txCount,
        ...(isAnew && at === 0 && { beganAnew: true as const }),
      }))
    },
  }
}

function primaryLane({ network, store }: ServedNetwork, chain: 'P' | 'X' | 'C'): Lane {
  const number = chainNumbers[chain]
  const until = blockIdOf(number + 1, 0)
  return {
    key: `${network} ${chain}`,
    above: async (height) => {
      const range = { from: blockIdOf(number, height + 1), until, limit: mostPerLook }
      return (await latestPrimaryBlocks(store, range)).map((row) => ({
        network,
        blockchainId: chainNameOf[chain],
        name: `${chain}-Chain`,
        blockNumber: String(heightOfBlock(row.id)),
        blockTimestamp: row.timestamp,
        txCount: row.txCount,
      }))
    },
  }
}

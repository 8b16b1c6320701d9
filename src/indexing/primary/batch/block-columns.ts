/** The blocks of a batch as columns, for the same reason as the ledger's. */

import {
  bigs,
  bytesOf,
  type ColumnsOf,
  columnTable,
  doubles,
  readFrom,
  type RowOf,
  words,
} from '../../../core/columns.ts'
import type { Proposer } from '../../../source/primary/primary-source.ts'

/** Bytes of a node id. */
export const nodeIdBytes = 20
const ids = bytesOf(32)

/** Blocks in order. C-Chain blocks are listed when they were given. */
const blockTable = columnTable({
  height: doubles,
  /** Inner block id; on the C-Chain the EVM block hash. */
  blockId: ids,
  parentId: ids,
  /** Wire type id; names: `pBlockNames`, X 20 and C 0 are "Standard". */
  typeId: words,
  /** Chain time after the block, Unix seconds; since Banff the block's own time. */
  time: doubles,
  sizeBytes: words,
  transactionCount: words,
})

/** State of the P-Chain after a block; amounts in nAVAX. */
const platformTable = columnTable({
  /** Supply of AVAX. */
  currentSupply: bigs,
  /** Fees L1 validators accrued. */
  l1AccruedFees: bigs,
  activeL1Validators: words,
})

type KnownProposer = { readonly known: number; readonly proposer: Proposer | undefined }

/** Outer blocks by block; all empty when nothing is known of any. */
const proposerTable = columnTable({
  /** Of {@link proposerKnown}. */
  known: words,
  outerId: readFrom(ids, ({ proposer }: KnownProposer) => proposer?.outerId ?? nothing),
  outerParentId: readFrom(ids, ({ proposer }: KnownProposer) => proposer?.outerParentId ?? nothing),
  nodeId: readFrom(
    bytesOf(nodeIdBytes),
    ({ proposer }: KnownProposer) => proposer?.nodeId ?? nothing,
  ),
  pChainHeight: readFrom(doubles, ({ proposer }: KnownProposer) => proposer?.pChainHeight ?? 0),
  /** Unix seconds. */
  timestamp: readFrom(doubles, ({ proposer }: KnownProposer) => proposer?.timestamp ?? 0),
})

/** One accepted block. Key: its height. */
export type BlockRow = RowOf<typeof blockTable.kinds> & {
  readonly proposer: Proposer | undefined
  /** P only. */
  readonly platform?: RowOf<typeof platformTable.kinds>
}

/** Columns of facts about outer blocks; 0 for facts that a block does not have. */
export type ProposerColumns = ColumnsOf<typeof proposerTable>

/** Columns of blocks. Those of `platform` are empty for chains other than P. */
export type BlockColumns = ColumnsOf<typeof blockTable> & {
  readonly platform: ColumnsOf<typeof platformTable>
  readonly proposers: ProposerColumns
}

/** Known parts: nothing, an option's outer block, one with height and time, one also signed. */
export const proposerKnown = { nothing: 0, option: 1, unsigned: 2, signed: 3 } as const

const nothing = new Uint8Array(0)

/** Blocks of a batch while they grow. */
export class GrowingBlocks {
  readonly #blocks = blockTable.growing(0, undefined)
  readonly #platform = platformTable.growing(0, undefined)
  readonly #proposers = proposerTable.growing(0, undefined)

  push(row: BlockRow): void {
    if (row.proposer !== undefined) {
      // Adds the outer block of the next block; blocks before it without a known one get none.
      const proposer = row.proposer
      const { nothing, option, unsigned, signed } = proposerKnown
      while (this.#proposers.known.length < this.#blocks.height.length)
        proposerTable.append(this.#proposers, { known: nothing, proposer: undefined })
      const known = proposer.timestamp === undefined ? option : unsigned
      proposerTable.append(this.#proposers, {
        known: proposer.nodeId === undefined ? known : signed,
        proposer,
      })
    }
    blockTable.append(this.#blocks, row)
    if (row.platform !== undefined) platformTable.append(this.#platform, row.platform)
  }

  taken(): BlockColumns {
    return {
      ...blockTable.taken(this.#blocks),
      platform: platformTable.taken(this.#platform),
      proposers: proposerTable.taken(this.#proposers),
    }
  }
}

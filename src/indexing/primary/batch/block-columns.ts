/** The blocks of a batch as columns, for the same reason as the ledger's. */

import { Bigs, ByteRows, Doubles, Words } from '../../../core/growing.ts'
import type { BlockRow } from './ledger-rows.ts'

/** Blocks in order. Ids have 32 bytes each; what a block has not is 0 there. */
export type BlockColumns = {
  readonly count: number
  readonly height: Float64Array
  readonly blockId: Uint8Array
  readonly parentId: Uint8Array
  readonly typeId: Uint32Array
  /** Unix seconds. */
  readonly time: Float64Array
  readonly sizeBytes: Float64Array
  readonly transactionCount: Uint32Array
  /** P only, else empty; amounts in nAVAX. */
  readonly currentSupply: BigUint64Array
  readonly l1AccruedFees: BigUint64Array
  readonly activeL1Validators: Uint32Array
  readonly proposers: ProposerColumns
}

/** What is known of outer blocks, by block; all empty when nothing is known of any. */
export type ProposerColumns = {
  /** 1: an option's outer block, 2: one with height and time, 3: and signed. */
  readonly known: Uint32Array
  readonly outerId: Uint8Array
  readonly outerParentId: Uint8Array
  /** 20 bytes each. */
  readonly nodeId: Uint8Array
  readonly pChainHeight: Float64Array
  /** Unix seconds. */
  readonly timestamp: Float64Array
}

/** Values of {@link ProposerColumns}' `known`. */
export const proposerKnown = { nothing: 0, option: 1, unsigned: 2, signed: 3 } as const

/** Bytes of a node id. */
export const nodeIdBytes = 20
const idBytes = 32

class GrowingProposers {
  readonly #known = new Words(0)
  readonly #outerId = new ByteRows(idBytes, 0)
  readonly #outerParentId = new ByteRows(idBytes, 0)
  readonly #nodeId = new ByteRows(nodeIdBytes, 0)
  readonly #pChainHeight = new Doubles(0)
  readonly #timestamp = new Doubles(0)

  /** Adds that of the block with this row. */
  push(row: number, proposer: NonNullable<BlockRow['proposer']>): void {
    while (this.#known.length < row) this.#append(proposerKnown.nothing)
    const unsigned =
      proposer.timestamp === undefined ? proposerKnown.option : proposerKnown.unsigned
    this.#append(proposer.nodeId === undefined ? unsigned : proposerKnown.signed, proposer)
  }

  #append(known: number, proposer?: BlockRow['proposer']): void {
    this.#known.push(known)
    this.#outerId.push(proposer?.outerId ?? nothing)
    this.#outerParentId.push(proposer?.outerParentId ?? nothing)
    this.#nodeId.push(proposer?.nodeId ?? nothing)
    this.#pChainHeight.push(proposer?.pChainHeight ?? 0)
    this.#timestamp.push(proposer?.timestamp ?? 0)
  }

  taken(): ProposerColumns {
    return {
      known: this.#known.taken(),
      outerId: this.#outerId.taken(),
      outerParentId: this.#outerParentId.taken(),
      nodeId: this.#nodeId.taken(),
      pChainHeight: this.#pChainHeight.taken(),
      timestamp: this.#timestamp.taken(),
    }
  }
}

const nothing = new Uint8Array(0)

/** Blocks of a batch while they grow. */
export class GrowingBlocks {
  readonly #height = new Doubles(0)
  readonly #blockId = new ByteRows(idBytes, 0)
  readonly #parentId = new ByteRows(idBytes, 0)
  readonly #typeId = new Words(0)
  readonly #time = new Doubles(0)
  readonly #sizeBytes = new Doubles(0)
  readonly #transactionCount = new Words(0)
  readonly #currentSupply = new Bigs(0)
  readonly #l1AccruedFees = new Bigs(0)
  readonly #activeL1Validators = new Words(0)
  readonly #proposers = new GrowingProposers()

  push(row: BlockRow): void {
    if (row.proposer !== undefined) this.#proposers.push(this.#height.length, row.proposer)
    this.#height.push(row.height)
    this.#blockId.push(row.blockId)
    this.#parentId.push(row.parentId)
    this.#typeId.push(row.typeId)
    this.#time.push(row.time)
    this.#sizeBytes.push(row.sizeBytes)
    this.#transactionCount.push(row.transactionCount)
    if (row.platform === undefined) return
    this.#currentSupply.push(row.platform.currentSupply)
    this.#l1AccruedFees.push(row.platform.l1AccruedFees)
    this.#activeL1Validators.push(row.platform.activeL1Validators)
  }

  taken(): BlockColumns {
    return {
      count: this.#height.length,
      height: this.#height.taken(),
      blockId: this.#blockId.taken(),
      parentId: this.#parentId.taken(),
      typeId: this.#typeId.taken(),
      time: this.#time.taken(),
      sizeBytes: this.#sizeBytes.taken(),
      transactionCount: this.#transactionCount.taken(),
      currentSupply: this.#currentSupply.taken(),
      l1AccruedFees: this.#l1AccruedFees.taken(),
      activeL1Validators: this.#activeL1Validators.taken(),
      proposers: this.#proposers.taken(),
    }
  }
}

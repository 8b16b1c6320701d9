/**
 * Reads ranges of one chain for other processes, which index it: fetched from this process's own
 * nodes, checked and decoded here.
 *
 * Nothing is stored. Only what the hashes of blocks prove is told, so that the other process has to
 * believe no node that it does not know.
 */

import type { Compress } from '../../../codec/evm/growing-batch.ts'
import type { ChainIdentity, EvmSource, HeightRange } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import { BlockChecks } from '../read/block-checks.ts'
import { readPiece, type BlocksPiece } from '../read/block-piece.ts'
import { TakenOnTrust } from '../read/taken-on-trust.ts'

/** One chain that is read for others. */
export class RangeReader {
  readonly #parts: { readonly source: EvmSource; readonly compress: Compress }
  readonly #checks: BlockChecks
  readonly #trust = new TakenOnTrust()

  constructor(parts: {
    readonly source: EvmSource
    readonly compress: Compress
    readonly log: Log
  }) {
    this.#parts = parts
    const { source, log } = parts
    this.#checks = new BlockChecks({ log, checkEvery: 1, endpoints: () => source.endpoints() })
  }

  /** The chain, as its nodes tell it. */
  identity(signal: AbortSignal): Promise<ChainIdentity> {
    return this.#parts.source.identity(signal)
  }

  /**
   * Blocks from `range.from` on: all of the range, or fewer; undefined where hashes do not prove all
   * of them. Faults as `EvmSource.blocks`.
   */
  async read(range: HeightRange, signal: AbortSignal): Promise<BlocksPiece | undefined> {
    let isProven = true
    const piece = await readPiece(
      {
        ...this.#parts,
        checks: this.#checks,
        trust: this.#trust,
        wants: () => true,
        took: () => (isProven = false),
      },
      range,
      signal,
    )
    return isProven ? piece : undefined
  }
}

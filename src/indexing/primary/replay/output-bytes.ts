/** Outputs in wire form, as they stand in their transactions. */

import { encode } from '../../../codec/cursor.ts'
import { xOutput } from '../../../codec/primary/x-transaction.ts'
import { assert, Fault } from '../../../core/fault.ts'
import { outputTypes } from '../../../core/type-ids.ts'
import type { Owner } from '../batch/ledger-rows.ts'

/** The content of an output; see `NewUtxo` for what the fields mean. */
export type OutputFields = {
  readonly outputType: number
  readonly amount: bigint
  readonly owner: Owner
  readonly stakeableLocktime: bigint
  readonly groupId?: number | undefined
  readonly payload?: Uint8Array | undefined
}

const mostKeptBytes = 1_024
const addressSize = 20

type Memory = { readonly bytes: Uint8Array; readonly view: DataView }

/** Writes outputs, one after the other. */
export class OutputWriter {
  // Nearly every output is an amount: written here into memory used again, by size, for the next.
  readonly #kept = new Map<number, Memory>()

  /**
   * An output's bytes, to be copied before the next are read. Throws `bad-bytes` for a type no
   * chain has.
   */
  bytesOf(output: OutputFields): Uint8Array {
    const { outputType, owner } = output
    switch (outputType) {
      case outputTypes.secpTransfer:
        return this.#amount(output)
      case outputTypes.secpMint:
      case outputTypes.propertyMint:
      case outputTypes.propertyOwned:
        return encode(xOutput, { typeId: outputType, ...owner })
      case outputTypes.nftMint: {
        const { groupId } = output
        assert(groupId !== undefined, 'a right to mint NFTs has a group')
        return encode(xOutput, { typeId: outputTypes.nftMint, groupId, ...owner })
      }
      case outputTypes.nftTransfer: {
        const { groupId, payload } = output
        assert(groupId !== undefined && payload !== undefined, 'an NFT has a group and a payload')
        return encode(xOutput, { typeId: outputTypes.nftTransfer, groupId, payload, ...owner })
      }
      default:
        throw new Fault('bad-bytes', `not an output type: ${outputType}`)
    }
  }

  /** An amount, and a stakeable lock around it where there is one. Source: `codec/primary/secp.ts`. */
  #amount({ amount, owner, stakeableLocktime }: OutputFields): Uint8Array {
    const { locktime, threshold, addresses } = owner
    const start = stakeableLocktime === 0n ? 0 : 12
    const { bytes, view } = this.#memoryOf(start + 28 + addressSize * addresses.length)
    if (start > 0) {
      view.setUint32(0, outputTypes.stakeableLocked)
      view.setBigUint64(4, stakeableLocktime)
    }
    view.setUint32(start, outputTypes.secpTransfer)
    view.setBigUint64(start + 4, amount)
    view.setBigUint64(start + 12, locktime)
    view.setUint32(start + 20, threshold)
    view.setUint32(start + 24, addresses.length)
    let at = start + 28
    for (const address of addresses) {
      bytes.set(address, at)
      at += addressSize
    }
    return bytes
  }

  #memoryOf(size: number): Memory {
    const known = this.#kept.get(size)
    if (known !== undefined) return known
    const bytes = new Uint8Array(size)
    const memory = { bytes, view: new DataView(bytes.buffer) }
    if (size <= mostKeptBytes) this.#kept.set(size, memory)
    return memory
  }
}

/**
 * callTracer results into the frames worth keeping.
 *
 * The tracer marks only the frame that failed; what it called reverts with it, so `reverted`
 * is inherited from above. Kept are CALL and CALLCODE with value below the root, and every
 * creation. SELFDESTRUCT moves coins too, but the API's list has no such kind.
 */

import { clip } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { AddressBook } from './columns/address-book.ts'
import { noAddress } from './columns/column-kinds.ts'
import { frameKinds, frameTable, type TraceBatch } from './columns/columns.ts'
import { Bytes } from './columns/growing.ts'
import { hexNumberClamped } from './hex.ts'
import { type RawFrame, type RawTrace, listOf, objectOf } from './raw.ts'

/**
 * Init code of the proxy through which CREATE3 libraries deploy. Its keccak-256 is
 * 0x21c35dbe1b344a2488cf3321d6ce542f8e9f305544ff09e4993a62319a497c1f.
 *
 * Source: 0xsequence/create3 and Vectorized/solady, both with these 16 bytes.
 */
export const create3Proxy = '0x67363d3d37363d34f03d5260086018f3'

/** Frames of one transaction that are walked. 2^20 places per block are all the store has. */
const maxFrames = 1_048_575

/**
 * Decodes the traces of blocks `[from, from + blocks.length)`; each element is the answer of
 * `debug_traceBlockByNumber` with the callTracer for one block.
 *
 * Faults: `node-answer` for anything but a trace; `node-not-yet` where the node gave an error in
 * place of a transaction's trace (requesting it again, with more time, may give it).
 */
export function decodeTraces(from: number, blocks: readonly unknown[]): TraceBatch {
  const decoder = new TraceDecoder()
  for (let row = 0; row < blocks.length; row++) {
    const traces = listOf(blocks[row], 'traces of a block')
    for (let index = 0; index < traces.length; index++)
      decoder.add(row, index, objectOf(traces[index], 'trace'))
  }
  return decoder.finish(from, blocks.length)
}

/** A frame waiting to be visited. */
type Waiting = { readonly frame: RawFrame; readonly depth: number; readonly reverted: boolean }

class TraceDecoder {
  readonly #addresses = new AddressBook(256)
  readonly #arena = new Bytes(4096)
  readonly #frames = frameTable.growing(64, this.#arena)

  add(block: number, txIndex: number, trace: RawTrace): void {
    if (trace.result === undefined || trace.result === null)
      throw new Fault('node-not-yet', `no trace of transaction ${clip(String(trace.txHash))}`, {
        detail: { reason: clip(String(trace.error)) },
      })
    const proxies = new Set<unknown>()
    const waiting: Waiting[] = [
      { frame: objectOf(trace.result, 'call frame'), depth: 0, reverted: false },
    ]
    let position = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { frame, depth } = next
      const reverted = next.reverted || typeof frame.error === 'string'
      const kind = kindOf(frame, depth, proxies)
      if (kind !== 0) {
        const all = this.#frames
        all.block.push(block)
        all.txIndex.push(txIndex)
        all.position.push(position)
        all.kind.push(kind)
        all.from.push(this.#addresses.idOf(frame.from, 'caller'))
        all.to.push(this.#target(frame, kind))
        if (frame.value === undefined || frame.value === null) all.value.pushEmpty()
        else all.value.pushQuantity(frame.value, 'value')
        all.gasLimit.pushQuantity(frame.gas, 'gas')
        all.gasUsed.push(hexNumberClamped(frame.gasUsed, 'gas used'))
        all.reverted.push(reverted ? 1 : 0)
      }
      position++
      if (frame.calls === undefined || frame.calls === null) continue
      const calls = listOf(frame.calls, 'calls')
      if (position + waiting.length + calls.length > maxFrames)
        throw new Fault('node-answer', `a transaction has too many frames: ${calls.length}`)
      for (let at = calls.length - 1; at >= 0; at--)
        waiting.push({ frame: objectOf(calls[at], 'call frame'), depth: depth + 1, reverted })
    }
  }

  finish(from: number, count: number): TraceBatch {
    return {
      kind: 'traces',
      from,
      until: from + count,
      frames: frameTable.taken(this.#frames),
      arena: this.#arena.taken(),
      addresses: this.#addresses.taken(),
    }
  }

  #target(frame: RawFrame, kind: number): number {
    const creates = kind !== frameKinds.call && kind !== frameKinds.callcode
    if (frame.to === undefined || frame.to === null) {
      if (creates) return noAddress
      throw new Fault('node-answer', 'a call frame has no target')
    }
    if (creates && typeof frame.error === 'string') return noAddress
    return this.#addresses.idOf(frame.to, 'callee')
  }
}

/** The stored kind of a frame, 0 when it is not kept. Remembers CREATE3 proxies it meets. */
function kindOf(frame: RawFrame, depth: number, proxies: Set<unknown>): number {
  switch (frame.type) {
    case 'CALL':
      return depth > 0 && movesValue(frame.value) ? frameKinds.call : 0
    case 'CALLCODE':
      return depth > 0 && movesValue(frame.value) ? frameKinds.callcode : 0
    case 'CREATE':
      return proxies.has(frame.from) ? frameKinds.create3 : frameKinds.create
    case 'CREATE2':
      if (frame.input === create3Proxy) proxies.add(frame.to)
      return frameKinds.create2
    default:
      return 0
  }
}

function movesValue(value: unknown): boolean {
  return typeof value === 'string' && /[1-9a-fA-F]/.test(value.slice(2))
}

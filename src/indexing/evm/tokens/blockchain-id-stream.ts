/**
 * Learns the chain's id on the P-Chain where its node did not give it when the chain was opened.
 *
 * A node that starts refuses calls for a while, and the warp precompile appears with an upgrade. The
 * interchain messages of a chain wait for its id.
 */

import { faultOf } from '../../../core/fault.ts'
import { growingPause } from '../../../core/waiting.ts'
import { blockchainIdCall, blockchainIdIn } from '../../../source/blockchain-id.ts'
import { metaText } from '../../../store/meta.ts'
import { meta } from '../../../store/schema/control.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { quietStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'

/** Pauses between two questions, doubled each time: most chains without an id never get one. */
const pauses = { firstMs: 1_000, longestMs: 600_000 }

/** The stream. It ends when the id is stored. */
export function blockchainIdStream(chain: OpenChain): Stream {
  return quietStream('blockchain id', async (signal) => {
    for (let failures = 0; !(await isStored(chain, signal)); failures++)
      await chain.clock.sleep(growingPause(failures, pauses), signal)
  })
}

/** Reads and stores the id where it is missing. Returns false when no source has it. */
async function isStored(
  { database, source, commit }: OpenChain,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if ((await metaText(database, 'blockchainId')) !== undefined) return true
    const question = { method: 'eth_call', target: blockchainIdCall } as const
    const [answer] = await source.state([question], 'latest', signal)
    const id = answer?.kind === 'value' ? blockchainIdIn(answer.value) : undefined
    if (id === undefined) return false
    await commit(async (writer) => writer.insertNew(meta, { name: ['blockchainId'], value: [id] }))
    return true
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return false
  }
}

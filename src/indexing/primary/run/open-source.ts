/** The source of a primary network's blocks: a node, the network's peers, or a recording. */

import { Fault } from '../../../core/fault.ts'
import { recordedClock } from '../../../core/recorded-time.ts'
import type { World } from '../../../core/world.ts'
import type { StoredNetwork } from '../../../source/peers/peer-source.ts'
import { createNodeApi } from '../../../source/primary/node-api.ts'
import { createNodeSource } from '../../../source/primary/node-source.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import { openRecordedPrimary } from '../../../source/primary/recorded-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { SourceLimits } from '../../stream/chain-spec.ts'
import type { PrimaryStreamSpec } from '../../stream/stream-spec.ts'
import { openPeers } from './open-peers.ts'

/** All that the decoder's thread gives the streams of its networks. */
export type DecoderThread = {
  readonly world: World
  readonly log: Log
  readonly limits: SourceLimits
  readonly signal: AbortSignal
}

/**
 * The source that `spec` names; `stored` is what its store has, as far as that is open. Throws
 * `bad-config`.
 */
export async function openPrimarySource(
  spec: PrimaryStreamSpec,
  thread: DecoderThread,
  stored: StoredNetwork,
): Promise<PrimarySource> {
  const { world, limits, signal } = thread
  const log = thread.log.child(spec.key)
  if (spec.recording !== undefined) {
    const file = await world.files.read(spec.recording)
    if (file === undefined)
      throw new Fault('bad-config', `there is no recording: ${spec.recording}`)
    const { recordedTime } = spec
    return openRecordedPrimary(file, recordedTime && recordedClock(world.clock, recordedTime))
  }
  const api = createNodeApi({ ...limits, transport: world.transport, url: spec.nodeUrl })
  const node = spec.nodeUrl === '' ? undefined : createNodeSource(api, log)
  if (spec.peers !== undefined)
    return openPeers(spec, spec.peers, { world, log, signal, node, stored })
  if (node === undefined) throw new Fault('bad-config', 'there is neither a node nor a recording')
  return node
}

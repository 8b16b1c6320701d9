/** Opens the source a chain's specification names. */

import { Fault } from '../../../core/fault.ts'
import { recordedClock } from '../../../core/recorded-time.ts'
import type { World } from '../../../core/world.ts'
import type { EvmSource } from '../../../source/evm-source.ts'
import { openNodeSource } from '../../../source/evm/node-source.ts'
import { openRecording } from '../../../source/recorded/recording.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { ChainSpec, SourceLimits } from '../../stream/chain-spec.ts'

/** A source of `spec`. Throws `bad-config` when its recording is missing or it names nothing. */
export async function openEvmSource(
  spec: Pick<ChainSpec, 'rpcUrls' | 'recording' | 'recordedTime' | 'chainId' | 'beginsAnew'>,
  limits: SourceLimits,
  parts: { readonly world: World; readonly log: Log },
): Promise<EvmSource> {
  if (spec.recording !== undefined && spec.recording !== '') {
    const file = await parts.world.files.read(spec.recording)
    if (file === undefined)
      throw new Fault('bad-config', `recording does not exist: ${spec.recording}`)
    const { recordedTime } = spec
    const clock = recordedTime && recordedClock(parts.world.clock, recordedTime)
    const recording = openRecording(file, clock)
    if (spec.chainId !== undefined && spec.chainId !== recording.header.chainId)
      throw new Fault('bad-config', `recording is of another chain: ${recording.header.chainId}`)
    return recording
  }
  return openNodeSource({
    ...parts,
    ...limits,
    urls: spec.rpcUrls,
    expected: {
      ...(spec.chainId !== undefined && { chainId: spec.chainId }),
      anyGenesis: spec.beginsAnew,
    },
  })
}

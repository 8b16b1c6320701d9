/**
 * Opens the streams of the writer thread beside the EVM chains.
 *
 * A new stream is a member of `StreamSpec` and a case here.
 */

import type { HostParts } from './evm/chain-host.ts'
import { openMessageStream } from './icm/message-stream.ts'
import { openPrimaryStreams } from './primary/stream.ts'
import type { Stream } from './stage.ts'
import type { StreamSpec } from './stream-spec.ts'

/** Streams of `spec`, not yet running. */
export async function openStreams(spec: StreamSpec, parts: HostParts): Promise<Stream[]> {
  switch (spec.kind) {
    case 'primary':
      return openPrimaryStreams(spec, parts)
    case 'icm':
      return [await openMessageStream(spec, parts)]
  }
}

/**
 * Opens the streams of the writer thread beside the EVM chains.
 *
 * A new stream is a member of `StreamSpec` and a case here.
 */

import type { HostParts } from './evm/chain-host.ts'
import { openPrimaryStreams } from './primary/stream.ts'
import type { Stream } from './stage.ts'
import type { StreamSpec } from './stream-spec.ts'

/** What a stream needs of its thread; `changed` makes its status known. */
export type StreamParts = HostParts & {
  readonly changed: (streams: readonly Stream[]) => void
}

/** Streams of `spec`, not yet running. */
export async function openStreams(spec: StreamSpec, parts: StreamParts): Promise<Stream[]> {
  switch (spec.kind) {
    case 'primary':
      return openPrimaryStreams(spec, parts)
    case 'icm':
      return []
  }
}

/** Recordings as bytes: what `src/source/recorded/recording-file.ts` reads. */

import { constants, zstdCompressSync } from 'node:zlib'

import type { HeightRange } from '../src/source/evm-source.ts'
import {
  checkOf,
  headBytes,
  magic,
  partKinds,
  type RecordingHeader,
} from '../src/source/recorded/recording-file.ts'

/** The first bytes of a recording. */
export function openingBytes(header: RecordingHeader): Uint8Array {
  const kind = partKinds.header
  return Buffer.concat([magic, partBytes({ kind, from: 0, until: 0 }, [JSON.stringify(header)])])
}

/** One part of `lines`. */
export function partBytes(
  about: HeightRange & { readonly kind: number },
  lines: readonly string[],
): Uint8Array {
  const content = Buffer.from(lines.join('\n'), 'utf8')
  const packed = zstdCompressSync(content, {
    params: { [constants.ZSTD_c_compressionLevel]: 12, [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(about.kind, 0)
  head.writeUIntBE(about.from, 1, 6)
  head.writeUInt32BE(about.until - about.from, 7)
  head.writeUInt32BE(content.length, 11)
  head.writeUInt32BE(packed.length, 15)
  head.writeUInt16BE(checkOf(head), 19)
  return Buffer.concat([head, packed])
}

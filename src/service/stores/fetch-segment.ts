/** Fetches a segment from other Firns that offer theirs. */

import { itemAt } from '../../core/item-at.ts'
import type { Download, DownloadRequest } from '../../core/world.ts'

/** Returns whether copies come from another Firn and not from a folder. */
export function isWebAddress(copies: string): boolean {
  return /^https?:\/\//.test(copies)
}

/** A segment that the Firns at `urls` may offer; `key` is an API key of them, empty where they need none. */
export type OfferedSegment = Pick<DownloadRequest, 'urls' | 'path' | 'maxBytes' | 'check'> & {
  readonly store: string
  readonly name: string
  readonly key: string
}

/** Writes a segment and returns the Firn that had it. Throws as {@link Download}. */
export async function fetchSegment(
  download: Download,
  { urls, store, name, key, ...file }: OfferedSegment,
): Promise<string> {
  const addresses = urls.map((url) => `${url.replace(/\/+$/, '')}/v1/segments/${store}/${name}`)
  const headers: Record<string, string> = key === '' ? {} : { 'x-glacier-api-key': key }
  return itemAt(urls, addresses.indexOf(await download({ ...file, urls: addresses, headers })))
}

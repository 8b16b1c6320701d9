/** The setting `nftMetadata`. */

import { webAddressProblem } from '../../config/web-address.ts'
import { clip } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { NftFetching } from '../../indexing/stream/chain-spec.ts'

/** Where Arweave content is read when nobody says otherwise. */
const usualArweave = 'https://arweave.net/'

/**
 * Returns how NFT metadata is fetched: `undefined` for `off`. Throws `bad-config` for anything but
 * `off` or `{ gateways: [addresses], arweave: address }`.
 */
export function nftFetching(setting: unknown): NftFetching | undefined {
  if (setting === 'off' || setting === false || setting === undefined) return undefined
  if (typeof setting !== 'object' || setting === null || Array.isArray(setting))
    throw wrong(setting)
  const given = new Map<string, unknown>(Object.entries(setting))
  const gateways = given.get('gateways') ?? []
  const arweave = given.get('arweave') ?? usualArweave
  const unknown = [...given.keys()].find((name) => name !== 'gateways' && name !== 'arweave')
  if (unknown !== undefined)
    throw new Fault('bad-config', `nftMetadata has gateways and arweave only: ${unknown}`)
  if (!Array.isArray(gateways)) throw wrong(gateways)
  return { gateways: gateways.map(ipfsGateway), arweave: folderUrl(arweave).href }
}

/** `https://host` and `https://host/ipfs` as `https://host/ipfs/`. */
function ipfsGateway(value: unknown): string {
  const url = folderUrl(value)
  if (!url.pathname.endsWith('/ipfs/')) url.pathname += 'ipfs/'
  return url.href
}

function folderUrl(value: unknown): URL {
  if (typeof value !== 'string') throw wrong(value)
  const problem = webAddressProblem(value)
  if (problem !== undefined) throw new Fault('bad-config', `nftMetadata: ${problem} ${clip(value)}`)
  const url = new URL(value)
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  url.search = ''
  url.hash = ''
  return url
}

function wrong(value: unknown): Fault {
  const shown = clip(JSON.stringify(value) ?? '')
  return new Fault('bad-config', `nftMetadata must be off or { gateways: [addresses] }: ${shown}`)
}

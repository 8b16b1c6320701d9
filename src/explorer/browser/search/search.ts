/** Leads from a text in the search box to a page. */

import type { SearchHit } from '../../../shape/search-hit.ts'
import { ends, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'

const evmAddress = /^0x[0-9a-f]{40}$/i
const primaryAddress = /^(?:([PXC])-)?(avax|fuji|local|custom)1[02-9ac-hj-np-z]{38}$/i
const nodeId = /^NodeID-[1-9A-HJ-NP-Za-km-z]{20,50}$/
const message = /^(?:0x)?[0-9a-f]{64}$/i

/** The question for the API: `chain: 43114` and `1,234` become plain numbers. */
export function questionOf(typed: string): string {
  const text = typed.trim().replace(/^chain:\s*/i, '')
  return /^[0-9][0-9,_ ]*$/.test(text) ? text.replace(/[,_ ]/g, '') : text
}

/** A place, what it is called, and what distinguishes it from others of the name. */
export type Found = {
  readonly link: string
  readonly label: string
  readonly note: string
  readonly isSpam?: true
}

/** Where hits lead that are the same address on several chains: to the first. */
export function foundOf(hits: readonly [SearchHit, ...SearchHit[]], nameOf: NameOf): Found {
  const [hit] = hits
  const { kind, id, label, isLabelled } = hit
  const chains = hits.map(({ chainId = '' }) => nameOf(chainId))
  const note = isAddress(hit)
    ? `${ends(id, 6, 4)} on ${chains.join(', ')}`
    : kind === 'chain'
      ? id
      : ends(id)
  // Words for what it is name the first chain alone.
  const said = hits.length === 1 || isLabelled === true || kind === 'token' ? label : kind
  const found = { link: placeOf(hit), label: visible(said), note }
  return hit.isSpam === true ? { ...found, isSpam: true } : found
}

/** Name of a chain by its id. */
type NameOf = (chainId: string) => string

function isAddress({ id, chainId }: SearchHit): boolean {
  return chainId !== undefined && evmAddress.test(id)
}

function placeOf(hit: SearchHit): string {
  if (hit.kind === 'chain') return to('chain', hit.id)
  return hit.path.startsWith('/v1/networks/') ? placeOnPrimary(hit) : placeOnChain(hit)
}

function placeOnChain({ kind, id, chainId = '', path }: SearchHit): string {
  switch (kind) {
    case 'nft': {
      const parts = path.split('/')
      return to('chain', chainId, 'nft', parts[parts.indexOf('collections') + 1] ?? '', id)
    }
    case 'transaction':
      return to('chain', chainId, 'tx', id)
    case 'block':
      return to('chain', chainId, kind, id)
    default:
      return to('chain', chainId, 'address', id)
  }
}

function placeOnPrimary({ kind, id, blockchainId = '', network, path }: SearchHit): string {
  const [, name = network] = /^\/v1\/networks\/([^/]+)\//.exec(path) ?? []
  switch (kind) {
    case 'blockchain':
      // A chain that is not served is found as the transaction that made it, whose id it has.
      return /^[pxc]-chain$/.test(id)
        ? to('primary', name, 'blocks', id)
        : to('primary', name, 'tx', 'p-chain', id)
    case 'subnet':
      return to('primary', name, 'subnet', id)
    case 'transaction':
      return to('primary', name, 'tx', blockchainId, id)
    case 'block':
      return to('primary', name, 'block', blockchainId, id)
    case 'asset':
      return to('primary', name, 'tx', 'x-chain', id)
    case 'l1Validator':
      return to('primary', name, 'validation', id)
    case 'node':
      return to('primary', name, 'node', id)
    default:
      return to('primary', name, 'address', id.replace(/^[PXC]-/i, ''))
  }
}

/** Hits in the order offered: those of the chain on screen first, each place and each address once. */
export function offered(hits: readonly SearchHit[], here: string, nameOf: NameOf): Found[] {
  const near = (hit: SearchHit): number => Number(here !== '' && hit.chainId === here)
  const sorted = hits.toSorted(
    (a, b) => Number(a.isSpam ?? false) - Number(b.isSpam ?? false) || near(b) - near(a),
  )
  const alike = Map.groupBy(sorted, (hit) => (isAddress(hit) ? hit.id : placeOf(hit)))
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : foundOf([first, ...others], nameOf),
  )
}

/** Where a text is looked up when the API has no hit and the text has the form of a place. */
export type Elsewhere = {
  readonly chainIds: readonly string[]
  readonly networks: readonly string[]
  /** Chain one looks at; empty where one looks at none. */
  readonly here: string
}

/** Unused addresses and nodes have pages too; messages are not searched. */
export function placeByForm(
  typed: string,
  { chainIds, networks, here }: Elsewhere,
): string | undefined {
  const text = typed.trim()
  const chainId = here === '' ? chainIds[0] : here
  if (evmAddress.test(text) && chainId !== undefined) return to('chain', chainId, 'address', text)
  const network = networks[0]
  if (network === undefined) return undefined
  const [, prefix, hrp] = primaryAddress.exec(text) ?? []
  if (hrp !== undefined) {
    const wanted = hrp.toLowerCase() === 'avax' ? 'mainnet' : 'fuji'
    const name = networks.find((one) => one === wanted) ?? network
    const chain = prefix === undefined || /p/i.test(prefix) ? [] : [`${prefix.toLowerCase()}-chain`]
    return to('primary', name, 'address', text.replace(/^[PXC]-/i, ''), ...chain)
  }
  return nodeId.test(text) ? to('primary', network, 'node', text) : undefined
}

/** Id of an interchain message that what was typed may be. */
export function messageOf(typed: string): string | undefined {
  const text = typed.trim()
  return message.test(text) ? text.replace(/^0x/i, '').toLowerCase() : undefined
}

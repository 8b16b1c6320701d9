/** Addresses of the explorer: paths, and the parameters after them. */

import { metricNames, timeIntervals } from '../../../shape/metrics/metric-names.ts'

/** First parts of the paths of its pages. */
export const pages = [
  'chain',
  'messages',
  'message',
  'metrics',
  'primary',
  'l1s',
  'staking',
  'api',
] as const

/** The third parts of the paths of a chain's pages. */
const chainViews = [
  '',
  'transactions',
  'tokens',
  'collections',
  'contracts',
  'active',
  'block',
  'tx',
  'address',
  'nft',
  'broadcast',
  'gas',
] as const
/** One of them. */
export type ChainView = (typeof chainViews)[number]

/** Returns whether there is such a view of a chain. */
export function isChainView(view: string): view is ChainView {
  return chainViews.some((one) => one === view)
}

/** Lists and tabs that stand behind the address of a page of an address. */
const addressViews = [
  'native',
  'internal',
  'token-transfers',
  'erc20',
  'erc721',
  'erc1155',
  'nfts',
  'messages',
  'deployments',
  'transfers',
  'holders',
  'items',
  'code',
  'read',
  'write',
  'events',
]
/** The third parts of the paths of a primary network's pages; behind the last two stands a chain. */
const primaryViews = [
  'subnets',
  'l1',
  'subnet',
  'validation',
  'node',
  'address',
  'block',
  'tx',
  'blocks',
  'transactions',
]
const networks = ['mainnet', 'fuji', 'testnet']

/** Returns whether a path is that of a page of the explorer, or of those among them that there are. */
export function isPage(path: string, among: readonly string[] = pages): boolean {
  const place = segmentsOf(path)
  return place.length === 0 || (among.includes(place[0] ?? '') && isView(place))
}

function isView([page = '', first = '', view = '', third = '', fourth = '']: string[]): boolean {
  const isNetwork = isOneOf(networks, first)
  switch (page) {
    case 'chain':
      return first !== '' && isViewOfChain(view, fourth)
    case 'primary':
      return isNetwork && isViewOfNetwork(view, third)
    case 'l1s':
    case 'staking':
      return isNetwork
    case 'metrics':
      return isOneOf(timeIntervals, view) && isOneOf(metricNames, third)
    default:
      return true
  }
}

function isViewOfChain(view: string, list: string): boolean {
  return isChainView(view) && (view !== 'address' || isOneOf(addressViews, list))
}

function isViewOfNetwork(view: string, chain: string): boolean {
  const isOfChain = view === 'blocks' || view === 'transactions'
  return isOneOf(primaryViews, view) && (!isOfChain || /^[pxc]-chain$/.test(chain))
}

/** Returns whether a part of a path is one of some words, or absent. */
function isOneOf(words: readonly string[], part: string): boolean {
  return part === '' || words.includes(part)
}

/**
 * The segments of a place, decoded: `/chain/1/block/2?page=2` is `['chain', '1', 'block', '2']`.
 */
export function segmentsOf(place: string): string[] {
  return pathOf(place)
    .replace(/^\//, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
}

/** A place without its parameters. */
export function pathOf(place: string): string {
  return place.split('?', 1)[0] ?? ''
}

/** Parameters of a place: page, filters and order of lists. */
export function paramsOf(place: string): URLSearchParams {
  return new URLSearchParams(place.slice(pathOf(place).length))
}

/** A place with parameters changed; empty ones go. */
export function changed(place: string, changes: Readonly<Record<string, string>>): string {
  const params = paramsOf(place)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name)
    else params.set(name, value)
  }
  const text = params.toString()
  return text === '' ? pathOf(place) : `${pathOf(place)}?${text}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A stray percent sign is only text.
    return part
  }
}

/** A link to a place inside the explorer. */
export function to(...segments: readonly (string | number)[]): string {
  return `/${segments.map((segment) => encodeURIComponent(String(segment))).join('/')}`
}

/** `path` with the parameters that have a value. */
export function withQuery<Path extends string>(
  path: Path,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): Path {
  const text = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, String(value)]),
  ).toString()
  const url = text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parameters do not change what is answered
  return url as Path
}

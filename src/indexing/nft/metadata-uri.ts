/**
 * Token URIs as contracts write them, and where their documents lie.
 *
 * Nothing here trusts a URI: it is text of a stranger.
 */

import { wordOf } from '../../codec/evm/abi/abi.ts'
import { u8At } from '../../core/item-at.ts'
import type { NftStatus } from '../../core/nft-status.ts'

/** Where IPFS and Arweave content is read. */
export type Gateways = {
  /** IPFS gateways in order of preference, `https://host/ipfs/` each. */
  readonly ipfs: readonly string[]
  readonly arweave: string
}

/** The document itself, addresses to try in turn, or why there is none. */
export type UriPlan =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array }
  | { readonly kind: 'fetch'; readonly urls: readonly string[] }
  | { readonly kind: 'bad'; readonly status: NftStatus }

const invalid: UriPlan = { kind: 'bad', status: 'INVALID_TOKEN_URI' }
const tooLarge: UriPlan = { kind: 'bad', status: 'METADATA_CONTENT_TOO_LARGE' }

/** Longest document, bytes. */
export const maxDocumentBytes = 1_048_576

/** Longest address that is fetched. Longer ones are no address but a document in disguise. */
const maxUrlCharacters = 4_096

/** The way to fetch a token URI in which `{id}` is filled in already. */
export function planOf(uri: string, gateways: Gateways): UriPlan {
  const text = uri.trim()
  if (text === '') return invalid
  if (text.startsWith('{')) return inline(new TextEncoder().encode(text))
  if (/^data:/i.test(text)) return dataDocument(text)
  if (text.length > maxUrlCharacters) return invalid
  // `CID/path` of `ipfs://CID/path`, `ipfs://ipfs/CID/path` and a bare CID.
  const named = /^ipfs:(?:\/\/)?\/?(?:ipfs\/)?(.+)$/i.exec(text)?.[1]
  const content = contentPath(named ?? text)
  if (content !== undefined) return ipfsPlan(content, gateways, [])
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  switch (scheme) {
    case undefined:
      return invalid
    case 'ar':
      return arweavePlan(text, gateways)
    case 'http':
    case 'https':
      return webPlan(text, gateways)
    case 'ipfs':
      return invalid
    default:
      return { kind: 'bad', status: 'INVALID_TOKEN_URI_SCHEME' }
  }
}

/** `uri` with `{id}` as 64 lower-case hex digits. Source: ERC-1155, part Metadata. */
export function fillId(uri: string, item: bigint): string {
  return uri.replaceAll('{id}', wordOf(item.toString(16)))
}

/** Returns whether a media type is of pictures, sound or film, which no document is. */
export function isMedia(mediaType: string): boolean {
  return /^\s*(image|video|audio|font)\//i.test(mediaType)
}

function inline(bytes: Uint8Array): UriPlan {
  return bytes.length > maxDocumentBytes ? tooLarge : { kind: 'inline', bytes }
}

/** Source: RFC 2397; contracts often leave out the escapes it demands. */
function dataDocument(text: string): UriPlan {
  const comma = text.indexOf(',')
  if (comma < 0) return invalid
  const head = text.slice('data:'.length, comma)
  if (isMedia(head)) return tooLarge
  const body = withoutFragment(text.slice(comma + 1))
  // Four characters of base64 or one plain character make at most three bytes.
  if (body.length > maxDocumentBytes * 3) return tooLarge
  if (/;\s*base64\s*$/i.test(head))
    return inline(Buffer.from(percentDecoded(body).toString(), 'base64'))
  return inline(percentDecoded(body))
}

/** Bytes of a picture inside a `data:` URI; `undefined` for other URIs and above `maxBytes`. */
export function inlinePicture(uri: string, maxBytes: number): Uint8Array | undefined {
  const text = uri.trim()
  const comma = text.indexOf(',')
  if (!/^data:/i.test(text) || comma < 0 || text.length > maxBytes * 3) return undefined
  const body = text.slice(comma + 1)
  const bytes = /;\s*base64\s*$/i.test(text.slice(0, comma))
    ? Buffer.from(percentDecoded(body).toString(), 'base64')
    : percentDecoded(body)
  return bytes.length > maxBytes ? undefined : bytes
}

/**
 * Text before the fragment. Many documents have a bare `#` in their own text: only one behind
 * the last closing brace begins a fragment.
 */
function withoutFragment(body: string): string {
  const end = Math.max(body.lastIndexOf('}'), body.toLowerCase().lastIndexOf('%7d'), 0)
  const hash = body.indexOf('#', end)
  return hash < 0 ? body : body.slice(0, hash)
}

/** Bytes of percent-encoded text; a per cent sign without two digits stands for itself. */
function percentDecoded(text: string): Buffer {
  const raw = Buffer.from(text, 'utf8')
  if (!raw.includes(percent)) return raw
  let size = 0
  for (let at = 0; at < raw.length; at++) {
    const value = raw[at] === percent ? hexPair(raw, at + 1) : -1
    raw[size++] = value < 0 ? u8At(raw, at) : value
    if (value >= 0) at += 2
  }
  return raw.subarray(0, size)
}

const percent = 0x25

function hexPair(bytes: Uint8Array, at: number): number {
  const digits = String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0)
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
}

/** `path` when its first part is a content id and nothing in it climbs, however it is written. */
function contentPath(path: string): string | undefined {
  const [id = ''] = path.split(/[/?#]/)
  const isId = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,110}|f[0-9a-f]{50,140})$/.test(id)
  return isId && !climbs(path) ? path : undefined
}

/** Returns whether a reader of `path` could leave the folder it begins in. */
function climbs(path: string): boolean {
  const parts = path.split(/[/?#]/)
  return /\\|%2f|%5c|\s/i.test(path) || parts.some((part) => /^(\.|%2e){1,2}$/i.test(part))
}

function ipfsPlan(content: string, gateways: Gateways, others: readonly string[]): UriPlan {
  const urls = [...gateways.ipfs.map((gateway) => gateway + content), ...others]
  return { kind: 'fetch', urls }
}

function arweavePlan(text: string, gateways: Gateways): UriPlan {
  const path = text.replace(/^ar:(\/\/)?/i, '')
  const isId = /^[A-Za-z0-9_-]{43}(\/[^?#]*)?$/.test(path)
  return isId && !climbs(path) ? { kind: 'fetch', urls: [gateways.arweave + path] } : invalid
}

function webPlan(text: string, gateways: Gateways): UriPlan {
  const url = webUrl(text)
  if (url === undefined) return invalid
  const content = /^\/ipfs\/(.+)$/.exec(url.pathname)?.[1]
  const path = content === undefined ? undefined : contentPath(content)
  if (path !== undefined) return ipfsPlan(path + url.search, gateways, [url.href])
  return { kind: 'fetch', urls: [url.href] }
}

/** An address of the web; `undefined` for anything else, and where it carries a password. */
export function webUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined
  url.hash = ''
  return url
}

/**
 * Pictures of NFTs and logos for the explorer, which may load nothing from other hosts.
 *
 * Those of NFTs come by the same guard as metadata, and only where fetching is configured; pictures inside
 * the metadata itself (`data:`) always. What is answered is a picture of a kind by its own bytes,
 * at most 2 MiB, kept in a bounded cache, and can do nothing: it may not run, load or be framed.
 */

import type { ChainFacts } from '../../api/operation/chain-directory.ts'
import { unknownCaller, type Operation } from '../../api/operation/operation.ts'
import type { TokenNotes } from '../../api/prices/token-lists.ts'
import { setBounded, WeighedMap } from '../../core/bounded-maps.ts'
import { fromHex } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import { isObject, ownValue } from '../../core/json.ts'
import type { World } from '../../core/world.ts'
import { DocumentFetcher } from '../../indexing/nft/fetch-document.ts'
import { inlinePicture, planOf } from '../../indexing/nft/metadata-uri.ts'
import type { NftFetching } from '../../indexing/stream/chain-spec.ts'

/** Longest picture, bytes. */
export const maxPictureBytes = 2_097_152

/** All pictures kept together, bytes: two pages of tiles of the longest. */
export const maxKeptBytes = 67_108_864

/** Tokens of which it is remembered for a while that there is no picture. */
const maxMissing = 10_000
const missingForMs = 600_000

/** Fetches under way at most; a further request is answered as if there were no picture for now. */
const maxFetches = 16

/** An NFT, or of a logo a chain or a token: as the path of the request names it. */
export type PictureOf = {
  readonly chainId: string
  readonly address: string
  readonly tokenId: string
}

/** A picture as it is sent. */
export type Picture = { readonly type: PictureType; readonly bytes: Uint8Array }

/** Finds a picture; `undefined` where there is none that is shown. Never throws. */
export type FindPicture = (of: PictureOf) => Promise<Picture | undefined>

/** Parameters. */
type PictureOptions = {
  readonly world: World
  /** Absent where nothing is fetched. */
  readonly fetching: NftFetching | undefined
  /** URI of the picture of an NFT as its metadata gives it. */
  readonly imageUri: (of: PictureOf) => Promise<string | undefined>
}

/** Opens the pictures. */
export function createPictures({ world, fetching, imageUri }: PictureOptions): FindPicture {
  const fetch = pictureFetcher(world, fetching)
  const kept = new WeighedMap<string, Picture>(
    { most: maxKeptBytes },
    (_, { bytes }) => bytes.length,
  )
  const missing = new Map<string, number>()
  const underWay = new Map<string, Promise<Picture | undefined>>()
  const fetched = async (uri: string): Promise<Picture | undefined> => {
    const bytes = await fetch(uri)
    const type = bytes === undefined ? undefined : pictureType(bytes)
    if (bytes === undefined || type === undefined) {
      setBounded(missing, uri, world.clock.monotonic() + missingForMs, maxMissing)
      return undefined
    }
    const picture = { type, bytes }
    kept.set(uri, picture)
    return picture
  }
  return async (of) => {
    const uri = await imageUri(of)
    if (uri === undefined) return undefined
    const inline = inlinePicture(uri, maxPictureBytes)
    const type = inline === undefined ? undefined : pictureType(inline)
    if (inline !== undefined) return type === undefined ? undefined : { type, bytes: inline }
    const held = kept.get(uri) ?? underWay.get(uri)
    if (held !== undefined) return held
    if ((missing.get(uri) ?? 0) > world.clock.monotonic() || underWay.size >= maxFetches)
      return undefined
    const one = fetched(uri).finally(() => underWay.delete(uri))
    underWay.set(uri, one)
    return one
  }
}

function pictureFetcher(
  world: World,
  fetching: NftFetching | undefined,
): (uri: string) => Promise<Uint8Array | undefined> {
  const { publicTransport, transport, clock } = world
  if (fetching === undefined || publicTransport === undefined)
    return () => Promise.resolve(undefined)
  const gateways = { ipfs: fetching.gateways, arweave: fetching.arweave }
  const fetcher = new DocumentFetcher({
    transport: publicTransport,
    clock,
    trusted: { prefixes: [...fetching.gateways, fetching.arweave], transport },
    wanted: { accept: 'image/*', maxBytes: maxPictureBytes, takesMedia: true },
  })
  return async (uri) => {
    const plan = planOf(uri, gateways)
    if (plan.kind !== 'fetch') return undefined
    const found = await fetcher.first(plan.urls, new AbortController().signal)
    return found.kind === 'document' ? found.bytes : undefined
  }
}

/** Calls the operation that describes an NFT; `undefined` for what it does not know. */
export function imageUriOf(operations: readonly Operation[]): PictureOptions['imageUri'] {
  const details = operations.find(({ contract }) => contract.id === 'getTokenDetails')
  return async ({ chainId, address, tokenId }) => {
    if (!/^0x[0-9a-f]{40}$/i.test(address) || !/^\d{1,78}$/.test(tokenId)) return undefined
    try {
      const answer = await details?.answer({
        path: { chainId, address, tokenId },
        query: {},
        body: undefined,
        signal: new AbortController().signal,
        caller: unknownCaller,
        charge: () => Promise.resolve(),
      })
      const metadata = isObject(answer?.body) ? ownValue(answer.body, 'metadata') : undefined
      const uri = isObject(metadata) ? ownValue(metadata, 'imageUri') : undefined
      return typeof uri === 'string' ? uri : undefined
    } catch (error) {
      // A chain or token that is not known has no picture either.
      if (faultOf(error) === undefined) throw error
      return undefined
    }
  }
}

/** The configured logo of a chain (`address` is empty), or of a token in a list. */
export function logoUriOf(
  chains: () => readonly { readonly facts: ChainFacts }[],
  notes: TokenNotes,
): PictureOptions['imageUri'] {
  return async ({ chainId, address }) => {
    const facts = chains().find((one) => String(one.facts.evmChainId) === chainId)?.facts
    if (facts === undefined || address === '') return facts?.logoUri
    return /^0x[0-9a-f]{40}$/i.test(address) ? notes(facts, fromHex(address))?.logoUri : undefined
  }
}

/**
 * Picture shown where there is none: an answer of 404 would be an error in the console of
 * whoever looks at a page of NFTs.
 */
const blank: Picture = {
  type: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#7b8a97"><path d="M4 18l5-6 4 4 3-3 4 5z"/><circle cx="9" cy="8" r="1.5"/></svg>',
  ),
}

const day = 86_400

/**
 * The answer for a picture, or for none. It can neither run nor load anything, wherever it is
 * opened.
 */
export function pictureAnswer(picture: Picture | undefined): {
  readonly status: 200
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
} {
  const { type, bytes } = picture ?? blank
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      // An <img> shows it all the same; a tab of its own saves it.
      ...(type === 'image/svg+xml' ? { 'content-disposition': 'attachment' } : {}),
      'cache-control': `private, max-age=${picture === undefined ? 60 : day}`,
    },
    body: bytes,
  }
}

/** Media types that are shown. */
type PictureType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/avif'
  | 'image/svg+xml'

// Source: mimesniff.spec.whatwg.org, image type pattern matching; AVIF: ISO 14496-12 file type box.
const patterns: readonly (readonly [PictureType, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  // `GIF87a` and `GIF89a`.
  ['image/gif', /^47494638(37|39)61/],
  // `RIFF`, a length, `WEBPVP`.
  ['image/webp', /^52494646.{8}574542505650/],
  // A length, `ftypavif` or `ftypavis`.
  ['image/avif', /^.{8}66747970617669(66|73)/],
]

// Only the head counts: a text that becomes a picture further on is no picture.
const headBytes = 1_024

/**
 * The kind of a picture by its bytes, because names and headers of strangers prove nothing. Only
 * the kinds here are ever shown.
 */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes))
  const hex = head.toString('hex', 0, 16)
  const found = patterns.find(([, pattern]) => pattern.test(hex))
  return found?.[0] ?? (isSvg(head.toString('latin1')) ? 'image/svg+xml' : undefined)
}

/**
 * An `svg` element after nothing but a mark of the encoding, a declaration, comments and a type.
 */
function isSvg(head: string): boolean {
  const text = head
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .replace(/^<\?xml[^>]*\?>\s*/, '')
    .replace(/^(<!--[^]*?-->\s*)*/, '')
    .replace(/^<!DOCTYPE svg[^>[]*>\s*/i, '')
  return /^<svg[\s>/]/.test(text)
}

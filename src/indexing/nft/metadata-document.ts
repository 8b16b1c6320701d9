/** Metadata documents of NFTs: JSON of strangers into fields we show. */

import { isObject, jsonOf } from '../../core/json.ts'
import type { NftFields, NftStatus } from '../../core/nft-status.ts'

/** Outcome of fetching a document. */
export type DocumentResult = { readonly status: NftStatus; readonly fields: NftFields }

// Limits of what is kept: a picture inside a document is the longest thing people write.
const maxPictureCharacters = 65_536
const maxTextCharacters = 8_192
const maxNameCharacters = 512
const maxJsonCharacters = 16_384

/** Objects and lists inside each other; deeper ones would overflow the stack when written. */
const maxDepth = 32

/**
 * Reads a document; `filled` is what its texts become. Never throws: any bytes give a state.
 */
export function readDocument(
  bytes: Uint8Array,
  filled: (text: string) => string = (text) => text,
): DocumentResult {
  const text = new TextDecoder('utf-8').decode(bytes)
  if (depthOf(text) > maxDepth) return { status: 'INVALID_METADATA_JSON', fields: {} }
  const value = jsonOf(text, (_, each) => (typeof each === 'string' ? filled(each) : each))
  if (value === undefined) return { status: 'INVALID_METADATA_JSON', fields: {} }
  if (!isObject(value)) return { status: 'INVALID_METADATA', fields: {} }
  return { status: 'INDEXED', fields: fieldsOf(value) }
}

type JsonObject = Readonly<Record<string, unknown>>

/** Depth of brackets; those in strings do not count. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, ++depth)
    else if (code === closeBrace || code === closeBracket) depth--
  }
  return deepest
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Source: ERC-721 and ERC-1155 metadata schemas, and the names marketplaces added. */
function fieldsOf(document: JsonObject): NftFields {
  const text = (names: readonly string[], most: number): string | undefined => {
    for (const name of names) {
      const value = shownText(own(document, name), most)
      if (value !== undefined) return value
    }
    return undefined
  }
  const fields = {
    name: text(['name'], maxNameCharacters),
    symbol: text(['symbol'], maxNameCharacters),
    imageUri: text(['image', 'image_url', 'image_data'], maxPictureCharacters),
    description: text(['description'], maxTextCharacters),
    animationUri: text(['animation_url'], maxPictureCharacters),
    externalUrl: text(['external_url'], maxTextCharacters),
    background: text(['background_color'], maxNameCharacters),
    attributes: jsonText(own(document, 'attributes')),
    properties: jsonText(own(document, 'properties')),
    decimals: decimalsOf(own(document, 'decimals')),
  }
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries of `fields` that are there
  return Object.fromEntries(known) as NftFields
}

function own(document: JsonObject, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined
}

/** Text and numbers; anything else says nothing. Texts beyond `most` are cut, pictures dropped. */
function shownText(value: unknown, most: number): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value === '') return undefined
  const clean = value.replaceAll('\0', '').toWellFormed()
  if (clean.length <= most) return clean
  return most === maxPictureCharacters ? undefined : clean.slice(0, most).toWellFormed()
}

function jsonText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = JSON.stringify(value)
  return text.length <= maxJsonCharacters ? text : undefined
}

function decimalsOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255
    ? value
    : undefined
}

/** Answers of contracts about the URIs of their tokens. */

import { stringIn, wordOf } from '../../codec/evm/abi/abi.ts'
import { to0x } from '../../core/bytes.ts'
import type { NftStatus } from '../../core/nft-status.ts'
import type { EvmSource, StateAnswer, StateCall } from '../../source/evm-source.ts'
import { fillId, maxDocumentBytes } from './metadata-uri.ts'
import type { NftItem } from './nft-queue.ts'

/** A URI, the reason why there is none, or that no source has it now. */
export type UriAnswer =
  | { readonly kind: 'uri'; readonly uri: string }
  | { readonly kind: 'bad'; readonly status: NftStatus }
  | { readonly kind: 'not-served' }

/** `tokenURI(uint256)`, `uri(uint256)`, `ownerOf(uint256)`. Source: ERC-721, ERC-1155. */
const selectors = { tokenUri: 'c87b56dd', uri: '0e89341c', ownerOf: '6352211e' } as const

/** Answers as long as this hold a document of the longest kind in base64, and its frame. */
const maxAnswerBytes = Math.ceil(maxDocumentBytes * 1.4)

/** Control characters, which no URI has and no engine stores. */
const unseen = /\p{Cc}/gu

/** Reads the URIs of `items`, in their order. Throws what the source throws. */
export async function readUris(
  source: EvmSource,
  items: readonly NftItem[],
  signal: AbortSignal,
): Promise<UriAnswer[]> {
  const calls = items.map((item) =>
    callTo(item, item.standard === 721 ? selectors.tokenUri : selectors.uri),
  )
  const answers = await source.state(calls, 'latest', signal)
  const reverted = items.filter(
    ({ standard }, at) => standard === 721 && answers[at]?.kind === 'reverted',
  )
  const owners =
    reverted.length === 0
      ? []
      : await source.state(
          reverted.map((item) => callTo(item, selectors.ownerOf)),
          'latest',
          signal,
        )
  const missing = new Set(reverted.filter((_, at) => owners[at]?.kind === 'reverted'))
  return items.map((item, at) =>
    missing.has(item) ? { kind: 'bad', status: 'MISSING_TOKEN' } : answerOf(answers[at], item),
  )
}

function callTo({ contract, item }: NftItem, selector: string): StateCall {
  const data = `0x${selector}${wordOf(item.toString(16))}`
  return { method: 'eth_call', target: { to: to0x(contract), data } }
}

function answerOf(answer: StateAnswer | undefined, { standard, item }: NftItem): UriAnswer {
  switch (answer?.kind) {
    case undefined:
    case 'not-served':
      return { kind: 'not-served' }
    case 'reverted':
      return { kind: 'bad', status: 'INVALID_TOKEN_URI' }
    case 'value': {
      if (answer.value.length > 2 + maxAnswerBytes * 2)
        return { kind: 'bad', status: 'METADATA_CONTENT_TOO_LARGE' }
      const uri = abiString(answer.value)
      if (uri === undefined || uri === '') return { kind: 'bad', status: 'INVALID_TOKEN_URI' }
      return { kind: 'uri', uri: standard === 1155 ? fillId(uri, item) : uri }
    }
  }
}

/** Text of an ABI `string`; `undefined` when offset or length point outside. */
export function abiString(hex: string): string | undefined {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) return undefined
  const content = stringIn(Buffer.from(hex.slice(2), 'hex'))
  if (content === undefined) return undefined
  return new TextDecoder('utf-8').decode(content).replace(unseen, '')
}

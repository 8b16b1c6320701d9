/** Answers of contracts about themselves, cleaned for storing and showing. */

import { stringIn } from '../../../codec/evm/abi/abi.ts'
import { fromHex } from '../../../core/bytes.ts'
import type { StateAnswer } from '../../../source/evm-source.ts'

/** Longest name or symbol kept, units of UTF-16. */
const maxCharacters = 255

/** Bytes of an answer that are looked at: a string of 255 four-byte characters and its head. */
const maxAnswerBytes = 4_096

/**
 * Control characters, and those that show nothing or turn the direction of text. Joiners stay between
 * pictures and between letters of scripts that are written with them.
 */
const unseen =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]|(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\p{L}\p{M}])[\u200c\u200d](?:\p{Extended_Pictographic}|(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\p{L}\p{M}]))[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/**
 * A name or symbol: an ABI `string`, or a `bytes32` filled up with zeros as old tokens have it.
 *
 * Bytes that are no UTF-8 are replaced, what cannot be seen is removed, the rest cut behind a whole
 * character, at 255 units of UTF-16. Absent when the contract gives nothing of the kind.
 */
export function tokenText(answer: StateAnswer | undefined): string | undefined {
  const bytes = bytesOf(answer)
  if (bytes === undefined) return undefined
  const content =
    bytes.length === 32 ? untilZero(bytes) : stringIn(bytes, bytes.length === maxAnswerBytes)
  if (content === undefined) return undefined
  const text = new TextDecoder('utf-8').decode(content).replace(unseen, '').trim()
  return text === '' ? undefined : cut(text)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The first whole characters, as people see them; nothing where the first alone exceeds the limit.
 */
function cut(text: string): string | undefined {
  if (text.length <= maxCharacters) return text
  const next = characters.segment(text).containing(maxCharacters)
  return next === undefined || next.index === 0 ? undefined : text.slice(0, next.index)
}

/** Decimals of a token, 0 to 255. Absent when the contract gives none, or more. */
export function tokenDecimals(answer: StateAnswer | undefined): number | undefined {
  const bytes = bytesOf(answer)
  if (bytes === undefined || bytes.length < 32) return undefined
  for (let at = 0; at < 31; at++) if (bytes[at] !== 0) return undefined
  return bytes[31]
}

/** Returns whether the answer is the ABI `bool` true, and nothing else. */
export function isTrue(answer: StateAnswer | undefined): boolean {
  return tokenDecimals(answer) === 1
}

function bytesOf(answer: StateAnswer | undefined): Uint8Array | undefined {
  if (answer?.kind !== 'value' || answer.value.length < 66) return undefined
  const text = answer.value.slice(0, 2 + maxAnswerBytes * 2)
  return text.length % 2 === 0 ? fromHex(text) : undefined
}

function untilZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

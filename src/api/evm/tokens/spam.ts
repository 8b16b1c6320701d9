/**
 * Recognises tokens that look like spam.
 *
 * The operator's lists decide first, then its name and symbol: addresses of web sites, calls to claim or visit, invisible characters, letters of
 * several scripts made to look like another token, and the symbol of the chain's own coin.
 */

import type { ChainFacts } from '../../operation/chain-directory.ts'
import type { TokenNote } from '../../prices/token-lists.ts'

/** Facts that the judgement uses. */
export type SpamEvidence = {
  readonly name: string | undefined
  readonly symbol: string | undefined
}

const baits: readonly RegExp[] = [
  /https?:|www\.|\bt\.me\b|t\.ly\b|bit\.ly/i,
  /[\w-]\.(com|net|org|io|xyz|app|site|online|top|live|vip|click|link|gift|claims?|events?|info|lol|cc|gg|ru|cn|tk|example|co|us|pro|club|space|website|network)\b/i,
  /\b(claim|visit|airdrop)/i,
  /\$.*(reward|bonus|voucher|gift)|(reward|bonus|voucher|gift).*\$/i,
  /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/,
]

/** Returns whether a spam filter leaves out `token` of chain `facts`. */
export function looksLikeSpam(
  token: SpamEvidence,
  note: TokenNote | undefined,
  facts: ChainFacts,
): boolean {
  if (note?.reputation !== undefined) return note.reputation === 'Malicious'
  if (note?.listed === true) return false
  if (token.symbol !== undefined && token.symbol === facts.symbol) return true
  const text = `${token.name ?? ''}\n${token.symbol ?? ''}`
  return baits.some((bait) => bait.test(text)) || mixesScripts(text)
}

/** Latin beside Cyrillic or Greek letters: one of them is there to deceive. */
function mixesScripts(text: string): boolean {
  return /\p{Script=Latin}/u.test(text) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text)
}

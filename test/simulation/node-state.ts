/**
 * Answers of contracts of a made-up chain: tokens with names, and balances that fit their logs.
 */

import type { History } from './history.ts'

const revert = { code: 3, message: 'execution reverted' }

/** Result of `eth_call` at `height`, or the error of the contract. */
export function callResult(
  history: History,
  call: { readonly to: string; readonly data: string; readonly height: number },
): { readonly text: string } | { readonly error: object } {
  const to = call.to.toLowerCase()
  const selector = call.data.slice(0, 10)
  const isNft = to === history.nft
  // The warp precompile's own blockchain id.
  if (selector === '0x4213cf78') return { text: quoted(`0x${'5b'.repeat(32)}`) }
  const token = history.tokens.indexOf(to)
  if (token < 0 && !isNft) return { error: revert }
  const name = isNft ? 'Deeds' : `Coin ${token}`
  switch (selector) {
    case '0x06fdde03':
      return { text: quoted(textWord(name)) }
    case '0x95d89b41':
      return { text: quoted(textWord(isNft ? 'DEED' : `C${token}`)) }
    case '0x313ce567':
      return isNft ? { error: revert } : { text: quoted(word(18n)) }
    case '0x01ffc9a7':
      return isNft ? { text: quoted(word(supports(call.data) ? 1n : 0n)) } : { error: revert }
    case '0x70a08231':
      return { text: quoted(word(balanceOf(history, to, call))) }
    default:
      return { error: revert }
  }
}

/** ERC-165 and ERC-721. */
function supports(data: string): boolean {
  return ['01ffc9a7', '80ac58cd'].includes(data.slice(10, 18))
}

function balanceOf(
  history: History,
  token: string,
  { data, height }: { readonly data: string; readonly height: number },
): bigint {
  const holder = `0x${data.slice(34, 74)}`
  let sum = 0n
  for (const moved of history.transfers) {
    if (moved.height > height || moved.token !== token) continue
    const amount = token === history.nft ? 1n : BigInt(moved.amount)
    if (moved.from === holder) sum -= amount
    if (moved.to === holder) sum += amount
  }
  return sum
}

function textWord(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('hex')
  return `${word(32n)}${word(BigInt(text.length)).slice(2)}${bytes.padEnd(64, '0')}`
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

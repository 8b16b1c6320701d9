/**
 * Values as people read them. Amounts stay whole numbers until they are text: no fraction of a
 * coin is ever rounded, it is shown whole or visibly cut.
 */

import type { ChainStatus } from '../../../shape/status.ts'

type Heights = { readonly indexedHeight: number; readonly headHeight: number }

const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 })
const twoDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 })
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })

/** Groups the digits of a whole number given as text or number: `1,234,567`. */
export function count(value: string | number | bigint): string {
  return counts.format(typeof value === 'string' ? BigInt(value) : value)
}

const precise = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 9 })

/** A number of a series: whole, or to nine digits; more are the noise of a fraction in two's powers. */
export function figure(value: number): string {
  return Number.isInteger(value) ? counts.format(value) : precise.format(value)
}

/** A number of things: `1 reward`, `1,200 rewards`. */
export function counted(size: number, thing: string): string {
  return `${count(size)} ${thing}${size === 1 ? '' : 's'}`
}

/** A number in few characters, for axes: `1.23M`. */
export function short(value: number): string {
  const size = Math.abs(value)
  return size < 0.01 && size > 0 ? twoDigits.format(value) : compact.format(value)
}

/**
 * An amount of smallest units as a decimal of whole ones, exact, zeros at the end left out; of a token whose
 * decimals are not known the units.
 */
export function amount(units: string, decimals: number | null): string {
  if (decimals === null) return `${units} units`
  const value = BigInt(units)
  const one = 10n ** BigInt(decimals)
  const sign = value < 0n ? '−' : ''
  const size = value < 0n ? -value : value
  const fraction = (size % one).toString().padStart(decimals, '0').replace(/0+$/, '')
  const whole = sign + counts.format(size / one)
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`
}

/** A price of gas in gwei, one far below in wei. */
export function gasPrice(wei: string): string {
  return BigInt(wei) < 1_000_000n && wei !== '0' ? `${count(wei)} wei` : `${amount(wei, 9)} gwei`
}

/**
 * {@link amount} cut after six digits of the fraction where it can have more than nine. `…` says
 * that something is missing, `<` that all of it is.
 */
export function cutAmount(units: string, decimals: number | null): string {
  // Nine are a column's width still; of eighteen the first six say enough.
  const digits = (decimals ?? 0) <= 9 ? 9 : 6
  const text = amount(units, decimals)
  const dot = text.indexOf('.')
  if (dot < 0 || text.length - dot - 1 <= digits) return text
  const cut = text.slice(0, dot + 1 + digits)
  return /[1-9]/.test(cut) ? `${cut}…` : `< ${cut.slice(0, -1)}1`
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Hex of an id of 32 bytes in cb58, whose last four bytes are a checksum. */
export function hexOfCb58(id: string): string {
  let number = 0n
  for (const sign of id) number = number * 58n + BigInt(base58.indexOf(sign))
  return `0x${(number >> 32n).toString(16).padStart(64, '0')}`
}

/** A number whole where it is short and whole, else in few characters. */
export function brief(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1_000_000
    ? counts.format(value)
    : short(value)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A tick of a time axis: `Apr 7`, and the hour where hours are distinguished. */
export function tick(seconds: number, withHours: boolean): string {
  const date = new Date(seconds * 1_000)
  const day = `${months[date.getUTCMonth()]} ${date.getUTCDate()}`
  return withHours ? `${day} ${date.toISOString().slice(11, 16)}` : day
}

/** Ticks of a time axis; over years the first of each year that is seen names it. */
export function ticks(moments: readonly number[], withHours: boolean): string[] {
  const years = moments.map((seconds) => new Date(seconds * 1_000).getUTCFullYear())
  const isLong = years[0] !== years.at(-1)
  return moments.map((seconds, at) => {
    const text = tick(seconds, withHours)
    return isLong && years[at] !== years[at - 1] ? `${text}, ${years[at]}` : text
  })
}

// Zero-width, bidi, control and other signs without a picture, and spaces that are not the usual one.
const unseen = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu

/** Text from outside, with every invisible character named: `A⟨200B⟩VAX`. */
export function visible(text: string): string {
  return text.replace(unseen, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `⟨${code.padStart(4, '0')}⟩`
  })
}

/** {@link visible} and kept short: names of tokens can be anything. */
export function clipped(text: string): string {
  const seen = visible(text)
  return seen.length > 24 ? ends(seen, 16, 6) : seen
}

/** A name its owner chose, never without the address it stands for: `AVAX 0x12ab…89ef`. */
export function named(name: string | undefined, address: string): string {
  const short = ends(address, 6, 4)
  return name === undefined || name.trim() === '' ? short : `${clipped(name)} ${short}`
}

type Asset = { readonly symbol: string; readonly assetId?: string }

// AVAX of mainnet, Fuji, networks with the local genesis, and that genesis as network 1337: the
// demo. Source: avalanchego genesis.
const avaxIds: readonly string[] = [
  'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
  'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
  '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  '28N55gFiYRrHWTopC4mybgvTw92x4EmWiZBLCRBgjXFyBgx9UN',
]

/** Symbol of an asset. Its maker chooses it freely, so that all but AVAX come with their id. */
export function assetName({ symbol, assetId }: Asset): string {
  return assetId === undefined || avaxIds.includes(assetId) ? symbol : named(symbol, assetId)
}

/** The two ends of a long id. */
export function ends(text: string, head = 8, tail = 6): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

const steps = [
  [31_536_000, 'y'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** A span of seconds in one unit: `3 d`. */
export function span(seconds: number): string {
  const size = Math.max(0, Math.round(seconds))
  const step = steps.find(([length]) => size >= length) ?? steps[4]
  return `${Math.floor(size / step[0])} ${step[1]}`
}

/** Span from sending to delivery; empty where the clocks of two chains say it came before. */
export function took(sent: number, delivered: number): string {
  return delivered < sent ? '' : span(delivered - sent)
}

/** A part of a whole in percent, two decimals: `66.67 %`; a dash where the whole is nothing. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percentage = (part / whole) * 100
  return percentage > 0 && percentage < 0.01 ? '< 0.01 %' : percent(percentage.toFixed(2))
}

/** A percentage as the API writes it, zeros at its end left out: `2.0000` is `2 %`. */
export function percent(text: string): string {
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text} %`
}

/** Returns progress as text: `41 of 1,000`; empty while neither height is known. */
export function progress({ indexedHeight, headHeight }: Heights): string {
  if (headHeight < 0) return indexedHeight < 0 ? '' : count(indexedHeight)
  return `${indexedHeight < 0 ? 'nothing' : count(indexedHeight)} of ${count(headHeight)}`
}

/** Of all stages together: `52 % · traces, 1,210 blocks/s · 12 min left`. */
export function speed({ stages, overall }: Pick<ChainStatus, 'stages' | 'overall'>): string {
  const slowest = stages.find(({ stage }) => stage === overall?.stage)
  if (overall === undefined || slowest === undefined) return ''
  const blocks = Math.round(slowest.blocksPerSecond)
  const rate = `${slowest.stage}, ${count(blocks)} ${blocks === 1 ? 'block' : 'blocks'}/s`
  const done = `${Math.floor(overall.share * 100)} % · ${rate}`
  return overall.etaSeconds === undefined ? done : `${done} · ${span(overall.etaSeconds)} left`
}

/** Unix seconds as ISO date and time in UTC: `2026-04-07 09:57:57`. */
export function moment(seconds: number): string {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * The reason why something is not shown. State that no node and no recording has (503) is no error.
 */
export function failureText({ status, message }: { status: number; message: string }): string {
  if (status === 503) return `Not known: ${message}`
  return status > 0 ? `${message} (${status})` : message
}

/** `camelCase` as words: `cumulativeTxCount` becomes `Cumulative tx count`. */
export function words(name: string): string {
  const text = name
    .replace(/([a-z])([A-Z0-9])|([0-9])([A-Z])/g, '$1$3 $2$4')
    .replaceAll('_', ' ')
    .toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Money for reading: `1,234.5 USD`; small sums with the digits that matter. */
export function money(value: number, currencyCode: string): string {
  const digits =
    Math.abs(value) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 }
  return `${value.toLocaleString('en-US', digits)} ${currencyCode.toUpperCase()}`
}

/** `22 November 2026`, in UTC. */
export function day(seconds: number): string {
  const parts = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(seconds * 1_000).toLocaleDateString('en-GB', parts)
}

/**
 * Attributes of an NFT as strangers write them: `[{ trait_type, value }]` or an object as pairs;
 * nothing for other texts.
 */
export function attributesOf(text: string | undefined): (readonly [string, string])[] {
  const plain = (value: unknown): string =>
    visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 200)
  try {
    const given: unknown = JSON.parse(text ?? '')
    if (typeof given !== 'object' || given === null) return []
    if (!Array.isArray(given))
      return Object.entries(given).map(([name, value]) => [plain(name), plain(value)])
    return given.flatMap((one: unknown) =>
      typeof one === 'object' && one !== null && 'trait_type' in one && 'value' in one
        ? [[plain(one.trait_type), plain(one.value)] as const]
        : [],
    )
  } catch {
    // Metadata is the text of strangers: what is no JSON has no attributes.
    return []
  }
}

/**
 * A look at tokens: whether their code is still the one that was seen, whether they are named as stored,
 * and whether `balanceOf` gives some of their holders what logs give them, all after one block.
 *
 * One holder that differs makes a token inexact for everybody: rebasing tokens, fees that are not logged,
 * coins that are taken without a log and transfers that never happened all show here. It counts as exact
 * again once that holder and all others of several looks in a row have what the logs say.
 */

import { balanceOfData } from '../../../codec/evm/abi/abi.ts'
import { equalBytes, fromHex, isZero, to0x, toBigint, toHex } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Random } from '../../../core/world.ts'
import type { StateAnswer, StateCall } from '../../../source/evm-source.ts'
import { type FoundRow, type Reader, statement } from '../../../store/engine/database.ts'
import {
  type BalanceAt,
  balancesOfPairs,
  countsOfToken,
  drawHolders,
} from '../../../store/query/evm/balances.ts'
import { address, token } from '../../../store/schema/evm.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { factsOf, questionsTo, questionTo } from './token-metadata.ts'

/** A token to look at. */
export type WantedToken = {
  readonly id: number
  /** Holders whose balance is in doubt. */
  readonly holders: readonly number[]
  /** True where something happened to it that its transfers do not explain. */
  readonly isDoubted: boolean
}

/** Result of a look; `isAnswered` is false where no source has the state of this block. */
export type Look = {
  readonly id: number
  readonly isAnswered: boolean
  readonly isChanged: boolean
}

/**
 * Newest transfers whose ends are read, and random holders: for a token in doubt this many more.
 */
const newestTransfers = 12
const mostByChance = 32
const mostInDoubt = 256

/** Looks in a row that must agree before a token counts as exact again. */
const looksToAgree = 3

/** Storage slots. Source: ERC-1967. */
const slots = {
  implementation: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
} as const

/** Code before the address of a minimal proxy. Source: ERC-1167. */
const minimalProxy = fromHex('363d3d373d3d3d363d73')

const recentEnds = statement(
  `select f.from_id, f.to_id from transfer_by_token k join transfer f on f.pos = k.pos
   where k.token_id = ? order by k.pos desc limit ?`,
  { over: 'newest' },
)

const stored = {
  table: token,
  key: ['id'],
  select: [
    'standard',
    'name',
    'symbol',
    'decimals',
    'metadata_height',
    'code',
    'source',
    'inexact_height',
    'inexact_holder',
    'agreed',
  ],
} as const
const addressOfId = { table: address, key: ['id'], select: ['bytes'] } as const

/** A token with its holders, and the answers about it. */
type Subject = {
  readonly id: number
  readonly address: Uint8Array
  readonly row: FoundRow<typeof token, typeof stored.select>
  readonly holders: readonly Holder[]
  readonly counts: { readonly transfers: number; readonly holders: number }
}
type Holder = { readonly id: number; readonly address: Uint8Array; readonly sum: bigint }

/**
 * Looks at tokens after block `height`, which must be stored, and stores what it finds.
 *
 * Cost: for each token a count of its transfers and holders, a scan of some of these and a look-up of the
 * balance of each drawn one; three requests to a node.
 */
export async function lookAtTokens(
  { database, source, commit }: OpenChain,
  wanted: readonly WantedToken[],
  at: { readonly height: number; readonly nowSeconds: number; readonly random: Random },
  signal: AbortSignal,
): Promise<Look[]> {
  const subjects = await subjectsOf(database, wanted, at)
  const read = (calls: readonly StateCall[]): Promise<readonly StateAnswer[]> =>
    calls.length === 0 ? Promise.resolve([]) : source.state(calls, at.height, signal)
  const targets = subjects.map((subject) => to0x(subject.address))
  const codes = await read(targets.map((target) => ({ method: 'eth_getCode', target })))
  const renewed = subjects.filter((subject, place) => codeChange(subject, codes[place]) !== 'none')
  const sources = await read(
    renewed.flatMap(({ address: of }) =>
      [slots.beacon, slots.implementation].map((slot): StateCall => ({
        method: 'eth_getStorageAt',
        target: to0x(of),
        slot,
      })),
    ),
  )
  const calls = subjects.map((subject) => {
    const to = to0x(subject.address)
    const balances = subject.holders.map((holder) =>
      questionTo(to, balanceOfData(toHex(holder.address))),
    )
    return [...questionsTo(to), ...balances]
  })
  const answers = await read(calls.flat())
  const looks: Look[] = []
  if (answers.every(({ kind }) => kind === 'not-served'))
    return subjects.map(({ id }) => ({ id, isAnswered: false, isChanged: false }))
  let from = 0
  await commit(async (writer) => {
    for (const [place, subject] of subjects.entries()) {
      const until = from + itemAt(calls, place).length
      const own = answers.slice(from, until)
      from = until
      const nth = renewed.indexOf(subject) * 2
      const columns = found(subject, at, {
        code: codes[place],
        sources: nth < 0 ? [] : sources.slice(nth, nth + 2),
        own,
      })
      const { id } = subject
      looks.push({ id, isAnswered: true, isChanged: isChanged(columns) })
      Object.assign(columns, subject.counts)
      const named = Object.entries(columns).map(([name, value]) => [name, [value]] as const)
      await writer.update(token, { id: [id], ...Object.fromEntries(named) })
    }
  })
  return looks
}

async function subjectsOf(
  database: Reader,
  wanted: readonly WantedToken[],
  { height, random }: { readonly height: number; readonly random: Random },
): Promise<Subject[]> {
  const ids = wanted.map(({ id }) => id)
  const rows = await database.lookup(stored, [ids])
  const addresses = await database.lookup(addressOfId, [ids])
  const subjects: Subject[] = []
  for (const [place, one] of wanted.entries()) {
    const [row, known] = [rows[place], addresses[place]]
    if (row === undefined || known === undefined) continue
    const doubted = row[8]
    const first = doubted === null ? one.holders : [doubted, ...one.holders]
    const drawn = row[0] === 20 ? await drawnHolders(database, random, { ...one, first }) : []
    const of = { tokenId: one.id, holders: drawn, first, height }
    const holders = await withSums(database, of)
    const counts = await countsOfToken(database, one.id)
    subjects.push({ id: one.id, address: known[0], row, holders, counts })
  }
  return subjects
}

/** Holders to read: those in doubt, the ends of the newest transfers, and some by chance. */
async function drawnHolders(
  database: Reader,
  random: Random,
  { id, isDoubted, first }: WantedToken & { readonly first: readonly number[] },
): Promise<number[]> {
  const holders = new Set<number>(first)
  for (const ends of await database.all(recentEnds, [id, newestTransfers]))
    for (const end of ends) holders.add(end)
  const most = (known: number): number =>
    isDoubted ? mostInDoubt : Math.min(mostByChance, Math.ceil(Math.sqrt(known)))
  const range = { tokenId: id, at: Number.MAX_SAFE_INTEGER, most }
  for (const drawn of await drawHolders(database, random, range)) holders.add(drawn)
  return [...holders]
}

/** The holders that have a logged balance, with it; of the `first` also those that logs give 0. */
async function withSums(
  database: Reader,
  of: {
    readonly tokenId: number
    readonly holders: readonly number[]
    readonly first: readonly number[]
    readonly height: number
  },
): Promise<Holder[]> {
  const { holders: addressIds, height } = of
  const tokenIds = addressIds.map(() => of.tokenId)
  const sums = await balancesOfPairs(database, { addressIds, tokenIds, height })
  const addresses = await database.lookup(addressOfId, [addressIds])
  // The zero address has no balance, and a holder of later blocks none yet.
  return addressIds.flatMap((id, place) => {
    const [sum, known] = [sums[place], addresses[place]]
    if (known === undefined || (sum === undefined && !of.first.includes(id))) return []
    return [{ id, address: known[0], sum: sum === undefined ? 0n : signed(sum) }]
  })
}

function signed({ value, negative }: BalanceAt): bigint {
  return negative === 1 ? -toBigint(value) : toBigint(value)
}

type Answers = {
  readonly code: StateAnswer | undefined
  readonly sources: readonly StateAnswer[]
  /** To the questions about the subject. */
  readonly own: readonly StateAnswer[]
}

type Found = Record<string, number | string | Uint8Array | null>

/** Columns that change. */
function found(
  subject: Subject,
  at: { readonly height: number; readonly nowSeconds: number },
  { code, sources, own }: Answers,
): Found {
  const found: Found = { compared_at: at.nowSeconds }
  const change = codeChange(subject, code)
  if (change !== 'none') found['code'] = hashOf(code)
  if (sources.length > 0) found['source'] = sourceIn(sources, code) ?? null
  const named = own.slice(0, own.length - subject.holders.length)
  const { differs, count } = compared(subject, own.slice(named.length))
  if (change === 'anew') {
    // What was known is about another contract: its name is read again, and its balances from here
    // on.
    found['metadata_height'] = 0
    inexact(found, { height: at.height, reason: 'the code of the contract changed' })
  } else if (isRenamed(subject, named)) found['metadata_height'] = 0
  else if (subject.row[4] > 0) found['metadata_at'] = at.nowSeconds
  if (differs !== undefined) {
    if (subject.row[7] === null || change === 'anew')
      inexact(found, { height: at.height, ...differs })
    found['agreed'] = 0
  } else if (count > 0 && subject.row[7] !== null && change !== 'anew')
    agree(found, subject.row[9] + 1)
  return found
}

function inexact(
  found: Found,
  of: { readonly height: number; readonly holder?: number; readonly reason: string },
): void {
  found['inexact_height'] = of.height
  found['inexact_holder'] = of.holder ?? null
  found['inexact_reason'] = of.reason
  found['agreed'] = 0
}

function agree(found: Found, looks: number): void {
  found['agreed'] = looks
  if (looks < looksToAgree) return
  found['inexact_height'] = null
  found['inexact_holder'] = null
  found['inexact_reason'] = null
}

function isChanged(found: Found): boolean {
  return (
    found['metadata_height'] === 0 ||
    typeof found['inexact_reason'] === 'string' ||
    Number(found['agreed']) > 0
  )
}

/** `new` where the code was not known yet, `anew` where it changed. */
function codeChange({ row }: Subject, code: StateAnswer | undefined): 'none' | 'new' | 'anew' {
  if (code?.kind !== 'value') return 'none'
  const before = row[5]
  if (before === null) return 'new'
  return equalBytes(before, hashOf(code)) ? 'none' : 'anew'
}

function hashOf(code: StateAnswer | undefined): Uint8Array {
  return keccak256(codeOf(code)).slice(0, 8)
}

function codeOf(code: StateAnswer | undefined): Uint8Array {
  return code?.kind === 'value' && code.value.length % 2 === 0
    ? fromHex(code.value)
    : new Uint8Array()
}

/** The contract whose code a proxy runs, or its beacon. */
function sourceIn(
  sources: readonly StateAnswer[],
  code: StateAnswer | undefined,
): Uint8Array | undefined {
  for (const answer of sources) {
    if (answer.kind !== 'value' || answer.value.length !== 66) continue
    const named = fromHex(answer.value).subarray(12)
    if (!isZero(named)) return named
  }
  const bytes = codeOf(code)
  const at = minimalProxy.length
  return equalBytes(bytes.subarray(0, at), minimalProxy) ? bytes.slice(at, at + 20) : undefined
}

function isRenamed({ row }: Subject, answers: readonly StateAnswer[]): boolean {
  if (row[4] === 0 || answers.some(({ kind }) => kind === 'not-served')) return false
  const { name = null, symbol = null, decimals = null } = factsOf(answers, row[0])
  return name !== row[1] || symbol !== row[2] || decimals !== row[3]
}

/** Compares holders up to the first whose balance differs between contract and logs. */
function compared(
  { holders }: Subject,
  answers: readonly StateAnswer[],
): {
  readonly count: number
  readonly differs?: { readonly holder: number; readonly reason: string }
} {
  let count = 0
  for (const [place, { id, address: holder, sum }] of holders.entries()) {
    const answer = answers[place]
    if (answer === undefined || answer.kind === 'not-served') continue
    count++
    const found = answer.kind === 'value' ? firstWord(answer.value) : 0n
    if (found === sum) continue
    const reason = `${to0x(holder)} has ${found} by balanceOf and ${sum} by logs`
    return { count, differs: { holder: id, reason } }
  }
  return { count }
}

/** A contract that answers nonsense counts as 0. */
function firstWord(value: string): bigint {
  return value.length < 66 ? 0n : toBigint(fromHex(value.slice(0, 66)))
}

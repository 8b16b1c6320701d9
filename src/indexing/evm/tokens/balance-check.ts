/**
 * True when the logs of a token tell its balances: running sums against `balanceOf`.
 *
 * Rebasing tokens, fees that are not logged and transfers that never happened all show here. A
 * token whose sums agreed often enough is answered from the store; one that ever disagreed, or
 * whose sums fell below nothing, is asked of a node from then on.
 */

import { equalBytes, fromHex, to0x, toHex } from '../../../core/bytes.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { StateAnswer, StateCall } from '../../../source/evm-source.ts'
import { statement } from '../../../store/engine/database.ts'
import { addressesOfIds } from '../../../store/query/evm/address-id.ts'
import { type BalanceAt, balanceAt } from '../../../store/query/evm/balance-at.ts'
import { bytesAt, integerAt } from '../../../store/query/row-values.ts'
import { token } from '../../../store/schema/evm.ts'
import type { TokenParts } from './token-metadata.ts'

/** Values of `token.exactness`. */
export const exactness = { unknown: 0, exact: 1, inexact: 2 } as const

/** Transfers looked at for holders, and holders asked, in one check of a token. */
const transfersPerCheck = 60
const holdersPerCheck = 24

/** Holders that must agree before a token counts as exact. Fewer do when it has no more. */
const enoughHolders = 10

/** `balanceOf(address)` */
const balanceOfSelector = '0x70a08231'

const fungible = statement(
  `select t.id, a.bytes, t.exactness, t.checked, t.standard
   from token t join address a on a.id = t.id
   where t.id > ? and t.standard = 20 order by t.id limit ?`,
)

const recentTransfers = statement(
  `select f.from_id, f.to_id, k.pos from transfer_by_token k join transfer f on f.pos = k.pos
   where k.token_id = ? order by k.pos desc limit ?`,
  { over: 'newest' },
)

const newestOfToken = statement(
  'select pos from transfer_by_token where token_id = ? order by pos desc limit 1',
  { over: 'newest' },
)

/** A token to check. */
export type CheckedToken = {
  readonly id: number
  readonly address: Uint8Array
  readonly exactness: number
  readonly checked: number
}

/** The amount that an address holds by the logs. */
type Sum = BalanceAt & { readonly holder: Uint8Array }

/** Fungible tokens after number `after`, in order. */
export async function tokensToCheck(
  parts: TokenParts,
  after: number,
  limit: number,
): Promise<CheckedToken[]> {
  const rows = await parts.database.all(fungible, [after, limit])
  return rows.map((row) => ({
    id: integerAt(row, 0),
    address: bytesAt(row, 1),
    exactness: integerAt(row, 2),
    checked: integerAt(row, 3),
  }))
}

/** Position of the newest transfer of a token, -1 when it has none: what a check depends on. */
export async function newestTransfer(parts: TokenParts, of: CheckedToken): Promise<number> {
  const row = await parts.database.get(newestOfToken, [of.id])
  return row === undefined ? -1 : integerAt(row, 0)
}

/**
 * Checks one token at `height`, which must be committed. Returns false when no source has that
 * state. Cost: one range scan, a look-up per holder, and one batch of calls.
 */
export async function checkToken(
  parts: TokenParts,
  of: CheckedToken,
  height: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { holders, all } = await holdersOf(parts, of.id)
  const addresses = await addressesOfIds(parts.database, holders)
  const sums: Sum[] = []
  for (const [at, addressId] of holders.entries()) {
    const sum = await balanceAt(parts.database, { addressId, tokenId: of.id, height })
    // The zero address has no balance row, and a holder of later blocks none yet.
    if (sum !== undefined) sums.push({ ...sum, holder: itemAt(addresses, at) })
  }
  if (sums.length === 0) return true
  if (sums.some(({ negative }) => negative === 1)) {
    await store(parts, of, exactness.inexact, 0)
    return true
  }
  const calls = sums.map(({ holder }) => balanceCall(of.address, holder))
  const answers = await parts.source.state(calls, height, signal)
  const verdict = judged(sums, answers)
  if (verdict === undefined) return false
  const enough = of.checked + verdict.agreed >= 2 * enoughHolders && verdict.agreed >= enoughHolders
  const exact = enough || (all && verdict.agreed === sums.length)
  if (verdict.differs) await store(parts, of, exactness.inexact, verdict.agreed)
  else if (verdict.agreed > 0)
    await store(parts, of, exact ? exactness.exact : of.exactness, verdict.agreed)
  return true
}

/** Compares sums with answers; `undefined` when there is no answer at all. */
function judged(
  sums: readonly Sum[],
  answers: readonly StateAnswer[],
): { readonly agreed: number; readonly differs: boolean } | undefined {
  let agreed = 0
  let differs = false
  let told = false
  for (const [at, { value }] of sums.entries()) {
    const answer = answers[at]
    if (answer === undefined || answer.kind === 'not-served') continue
    told = true
    if (answer.kind === 'value' && equalBytes(minimal(answer.value), value)) agreed++
    else differs = true
  }
  return told ? { agreed, differs } : undefined
}

/** Holders of the newest transfers, and whether these are all the token ever had. */
async function holdersOf(
  parts: TokenParts,
  id: number,
): Promise<{ readonly holders: readonly number[]; readonly all: boolean }> {
  const rows = await parts.database.all(recentTransfers, [id, transfersPerCheck])
  const holders = new Set<number>()
  for (const [from, to] of rows) {
    holders.add(Number(from))
    holders.add(Number(to))
  }
  return {
    holders: [...holders].slice(0, holdersPerCheck),
    all: rows.length < transfersPerCheck && holders.size <= holdersPerCheck,
  }
}

async function store(
  parts: TokenParts,
  of: CheckedToken,
  verdict: number,
  agreed: number,
): Promise<void> {
  await parts.commit(async (writer) => {
    await writer.update(token, {
      id: [of.id],
      // A token that was inexact once stays so, because its logs lied.
      exactness: [of.exactness === exactness.inexact ? exactness.inexact : verdict],
      checked: [of.checked + agreed],
    })
  })
}

function balanceCall(of: Uint8Array, holder: Uint8Array): StateCall {
  const data = `${balanceOfSelector}${'0'.repeat(24)}${toHex(holder)}`
  return { method: 'eth_call', target: { to: to0x(of), data } }
}

/** A word without its leading zero bytes; too short or empty answers stay what they are. */
function minimal(value: string): Uint8Array {
  if (value.length < 66) return Uint8Array.of(0)
  const word = fromHex(value.slice(0, 66))
  const first = word.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array() : word.subarray(first)
}

/**
 * Why a transaction failed: from the node's trace, or from executing it again.
 *
 * Source: Solidity documentation, Panic via assert and Error via require; ABI of `Error(string)`.
 */

import { readAbi } from '../../../codec/evm/abi/abi.ts'
import { createGenerations } from '../../../core/bounded-maps.ts'
import { fromHex, to0x } from '../../../core/bytes.ts'
import { isObject } from '../../../core/json.ts'
import type { Clock } from '../../../core/world.ts'
import type { Decoded } from '../../../shape/evm/log.ts'
import type { TransactionRevertReason as RevertReason } from '../../../shape/evm/transaction.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import type { TransactionRow } from '../../../store/query/evm/transactions.ts'
import type { Outcome, ServedChain } from '../../operation/chain-directory.ts'
import { type AbiBook, createAbiBook } from '../abi/abi-book.ts'
import { answerOfNode } from '../answers.ts'

const noContract = { chainId: '', address: '' }

/** Errors that the compiler itself makes. */
const builtIn = createAbiBook([
  {
    entries: readAbi([
      { type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] },
      { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
    ]),
  },
])

const panics: ReadonlyMap<number, string> = new Map([
  [0x00, 'the compiler inserted a panic'],
  [0x01, 'an assertion failed'],
  [0x11, 'arithmetic overflow or underflow'],
  [0x12, 'division or modulo by zero'],
  [0x21, 'a value is not one of the enum'],
  [0x22, 'a byte array in storage is encoded wrongly'],
  [0x31, 'pop of an empty array'],
  [0x32, 'an index is out of bounds'],
  [0x41, 'too much memory was requested'],
  [0x51, 'an internal function that was never set was called'],
])

/** A failed transaction whose reason is wanted. */
export type Failed = {
  readonly chain: ServedChain
  readonly row: TransactionRow
  /** `0x` hex, as `from` and `to`. */
  readonly input: string
  readonly from: string
  readonly to: string | undefined
  readonly abis: AbiBook
}

type FoundReason = Pick<RevertReason, 'source'> & {
  readonly data: Uint8Array
  /** Name of the failure, where the node gives one. */
  readonly error?: string | undefined
}

/** Finds reasons; `undefined` where no node gives one. */
export type RevertReasons = (
  failed: Failed,
  signal: AbortSignal,
) => Promise<RevertReason | undefined>

// What a node gave for a transaction holds for ever; some 500 bytes each.
const reasonsKept = 2_000

/** Reasons as nodes give them, read once. */
export function createRevertReasons(clock: Clock): RevertReasons {
  const known = createGenerations<string, FoundReason>(reasonsKept)
  return async (failed, signal) => {
    const { row } = failed
    // Tried on the state before its block, the first transaction fails as it did; to trace another one
    // a node executes all before it.
    const ways =
      placeOf(row.pos) === 0 ? [reasonByReplay, reasonByTrace] : [reasonByTrace, reasonByReplay]
    let found = known.get(row.hash)
    for (const way of ways)
      found ??= await answerOfNode(clock, signal, (until) => way(failed, until))
    if (found === undefined) return undefined
    known.set(row.hash, found)
    const { data, error, source } = found
    const decoded = errorOf(failed.abis, contractOf(failed.chain, failed.to), data)
    return {
      message: decoded === undefined ? failureText(error) : wordsOf(decoded),
      source,
      data: data.length === 0 ? undefined : to0x(data),
      decoded,
    }
  }
}

function failureText(error = 'reverted'): string {
  return error === 'reverted' ? 'reverted without a reason' : error
}

/** The reason why a call of `to` failed, in the bytes that it gave or by what the node says. */
export function reasonText(
  { chain, to, abis }: Pick<Failed, 'chain' | 'to' | 'abis'>,
  { bytes, reason }: Extract<Outcome, { kind: 'reverted' }>,
): string {
  const decoded = errorOf(abis, contractOf(chain, to), bytes)
  return decoded === undefined ? failureText(reason) : wordsOf(decoded)
}

function contractOf(
  { facts }: ServedChain,
  to: string | undefined,
): { readonly chainId: string; readonly address: string } {
  return { chainId: String(facts.evmChainId), address: to?.toLowerCase() ?? '' }
}

function errorOf(
  abis: AbiBook,
  contract: ReturnType<typeof contractOf>,
  data: Uint8Array,
): Decoded | undefined {
  return builtIn.error(noContract, data) ?? abis.error(contract, data)
}

async function reasonByTrace(
  { chain, row }: Failed,
  signal: AbortSignal,
): Promise<FoundReason | undefined> {
  const traces = chain.wantsTraces ? await chain.traces?.(heightOf(row.pos), signal) : undefined
  const trace = traces?.[placeOf(row.pos)]
  const frame = isObject(trace) && isObject(trace['result']) ? trace['result'] : undefined
  if (frame === undefined || typeof frame['error'] !== 'string') return undefined
  const output = typeof frame['output'] === 'string' ? frame['output'] : '0x'
  return { source: 'trace', data: fromHex(output), error: frame['error'].slice(0, 200) }
}

async function reasonByReplay(
  { chain, row, input, from, to }: Failed,
  signal: AbortSignal,
): Promise<FoundReason | undefined> {
  const height = heightOf(row.pos) - 1
  if (height < 0) return undefined
  const tried = {
    from,
    to,
    data: input,
    value: quantity(row.value),
    gas: quantity(row.gasLimit),
  }
  const [outcome] = await chain.state.tried([tried], height, signal)
  if (outcome?.kind !== 'reverted') return undefined
  return { source: 'replay', data: outcome.bytes, error: outcome.reason }
}

/** Big-endian hex, `0x` for zero, as JSON-RPC has numbers. */
function quantity(hex: string): string {
  return `0x${BigInt(hex === '0x' ? 0 : hex).toString(16)}`
}

/** Text of `Error`, meaning of `Panic`, and any other error with its arguments. */
function wordsOf({ name, parameters }: Decoded): string {
  const [first] = parameters
  if (name === 'Error' && first !== undefined) return first.value
  if (name === 'Panic' && first !== undefined) {
    const code = Number(first.value)
    const meaning = panics.get(code) ?? 'a panic that is not known'
    return `${meaning} (panic 0x${code.toString(16).padStart(2, '0')})`
  }
  const shown = parameters.map((each) =>
    each.name === '' ? each.value : `${each.name}: ${each.value}`,
  )
  return `${name}(${shown.join(', ')})`
}

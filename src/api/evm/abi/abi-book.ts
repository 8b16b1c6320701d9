/** Decodes logs, inputs and errors by ABIs: the operator's, and those of verified contracts. */

import {
  type AbiEntry,
  type AbiParameter,
  type AbiValue,
  eventValues,
  inputValues,
} from '../../../codec/evm/abi/abi.ts'
import { fromHex, keyOf, toHex } from '../../../core/bytes.ts'
import type { Decoded } from '../../../shape/evm/log.ts'

/** An ABI, and for which contracts it counts. */
export type GivenAbi = {
  /** EVM chain id in decimal; absent: on every chain. */
  readonly chainId?: string | undefined
  /** `0x` and lower-case digits; absent: every contract whose logs and inputs fit. */
  readonly address?: string | undefined
  readonly entries: readonly AbiEntry[]
  /** With the other ABIs of the address these are all methods that can be called there. */
  readonly isWhole?: boolean
}

/** A contract of a chain, lower-case. */
type Contract = { readonly chainId: string; readonly address: string }

/** Finds what bytes say. */
export type AbiBook = {
  /** Topics 32 bytes each; `undefined` where no ABI has an event that fits. */
  readonly log: (
    contract: Contract,
    topics: readonly Uint8Array[],
    data: Uint8Array,
  ) => Decoded | undefined
  /** `undefined` where no ABI has a method that fits. */
  readonly input: (contract: Contract, input: Uint8Array) => Decoded | undefined
  /** Of what a call reverted with; `undefined` where no ABI has an error that fits. */
  readonly error: (contract: Contract, data: Uint8Array) => Decoded | undefined
  /** Events of the ABIs that count for a contract. */
  readonly eventsOf: (contract: Contract) => readonly AbiEntry[]
  /** Returns whether a contract has no other methods than these ABIs say. */
  readonly isWhole: (contract: Contract) => boolean
}

/** No ABIs. */
export const noAbis: AbiBook = {
  log: () => undefined,
  input: () => undefined,
  error: () => undefined,
  eventsOf: () => [],
  isWhole: () => false,
}

/** `first`, and where that has nothing `second`; no method of `second` where `first` has all. */
export function joinedBooks(first: AbiBook, second: AbiBook): AbiBook {
  if (second === noAbis) return first
  return {
    log: (...log) => first.log(...log) ?? second.log(...log),
    input: (contract, input) =>
      first.input(contract, input) ??
      (first.isWhole(contract) ? undefined : second.input(contract, input)),
    error: (...error) => first.error(...error) ?? second.error(...error),
    eventsOf: (contract) => [...first.eventsOf(contract), ...second.eventsOf(contract)],
    isWhole: (contract) => first.isWhole(contract) || second.isWhole(contract),
  }
}

const selectorBytes = 4

/** A book of `abis`. An ABI of one contract wins over an ABI of all. */
export function createAbiBook(abis: readonly GivenAbi[]): AbiBook {
  if (abis.length === 0) return noAbis
  const entries = new Map<string, AbiEntry[]>()
  const whole = new Set<string>()
  for (const { chainId = '', address = '', entries: all, isWhole } of abis) {
    if (isWhole === true) whole.add(`${chainId} ${address}`)
    for (const entry of all) {
      const { kind } = entry
      const hash = kind === 'event' ? entry.hash : entry.hash.subarray(0, selectorBytes)
      const key = `${chainId} ${address} ${kind} ${keyOf(hash)}`
      const known = entries.get(key)
      if (known === undefined) entries.set(key, [entry])
      else known.push(entry)
    }
  }
  const candidates = (
    { chainId, address }: Contract,
    kind: AbiEntry['kind'],
    hash: Uint8Array,
  ): readonly AbiEntry[] =>
    [`${chainId} ${address}`, ` ${address}`, `${chainId} `, ' '].flatMap(
      (of) => entries.get(`${of} ${kind} ${keyOf(hash)}`) ?? [],
    )
  const bySelector = (
    contract: Contract,
    kind: 'function' | 'error',
    bytes: Uint8Array,
  ): Decoded | undefined => {
    if (bytes.length < selectorBytes) return undefined
    const rest = bytes.subarray(selectorBytes)
    const fitting = candidates(contract, kind, bytes.subarray(0, selectorBytes))
    return firstThatFits(fitting, (entry) => inputValues(entry, rest))
  }
  return {
    log: (contract, topics, data) => {
      const [first] = topics
      if (first === undefined) return undefined
      return firstThatFits(candidates(contract, 'event', first), (entry) =>
        eventValues(entry, topics, data),
      )
    },
    input: (contract, input) => bySelector(contract, 'function', input),
    error: (contract, data) => bySelector(contract, 'error', data),
    eventsOf: (contract) =>
      abis
        .filter(
          ({ chainId = contract.chainId, address = contract.address }) =>
            address === contract.address && chainId === contract.chainId,
        )
        .flatMap(({ entries: all }) => all.filter(({ kind }) => kind === 'event')),
    isWhole: ({ chainId, address }) => whole.has(`${chainId} ${address}`),
  }
}

/** Arguments of a constructor; `undefined` where there is none, or the bytes are others. */
export function constructorValues(abi: readonly AbiEntry[], data: Uint8Array): Decoded | undefined {
  const constructors = abi.filter(({ kind }) => kind === 'constructor')
  return firstThatFits(constructors, (entry) => inputValues(entry, data))
}

function firstThatFits(
  candidates: readonly AbiEntry[],
  valuesOf: (entry: AbiEntry) => readonly AbiValue[] | undefined,
): Decoded | undefined {
  for (const entry of candidates) {
    const values = valuesOf(entry)
    if (values === undefined) continue
    const { kind, name, signature, parameters } = entry
    const shown = parameters.map((parameter, at) => ({
      ...describe(parameter, kind),
      value: textOf(values[at] ?? ''),
    }))
    return { name, signature, parameters: shown }
  }
  return undefined
}

function describe(
  { name, type, indexed }: AbiParameter,
  kind: AbiEntry['kind'],
): { name: string; type: string; indexed?: boolean | undefined } {
  return { name, type, indexed: kind === 'event' ? indexed : undefined }
}

/** A value as answers have it: lists and tuples as JSON. */
export function textOf(value: AbiValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A node's log, decoded; `undefined` when no ABI fits or the value is not a log. */
export function decodedLog(
  book: AbiBook,
  chainId: string,
  log: { readonly address: string; readonly topics: readonly string[]; readonly data: string },
): Decoded | undefined {
  const isHex = [log.address, ...log.topics, log.data].every((text) =>
    /^0x([0-9a-fA-F]{2})*$/.test(text),
  )
  if (!isHex) return undefined
  const contract = { chainId, address: `0x${toHex(fromHex(log.address))}` }
  return book.log(contract, log.topics.map(fromHex), fromHex(log.data))
}

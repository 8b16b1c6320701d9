/**
 * Names of addresses by a registry on their own chain, in the way of the Ethereum Name Service: an address says what it is
 * called (its reverse record), and the name must lead back to it. Source: ERC-137, ERC-181.
 *
 * A page never waits for them: what is not known is read from the node behind it, and is there a moment later. Names have
 * small letters, digits, hyphens and dots alone, so that none looks like another.
 */

import { stringIn } from '../../codec/evm/abi/abi.ts'
import { createGenerations, type Generations } from '../../core/bounded-maps.ts'
import { concatBytes, equalBytes, fromHex, isZero, keyOf, toHex } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Clock } from '../../core/world.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { answerOfNode } from './answers.ts'

/** Names of the chains that have a registry. */
export type RegistryNames = {
  /** Names of addresses, in their order: `undefined` where it is not known yet, empty where they have no name. */
  readonly of: (
    chain: ServedChain,
    addresses: readonly Uint8Array[],
  ) => readonly (string | undefined)[]
  /** The address that has a name; `undefined` where none has, or no node answers in time. */
  readonly addressOf: (
    chain: ServedChain,
    name: string,
    signal: AbortSignal,
  ) => Promise<Uint8Array | undefined>
}

/** A name or its absence is believed so long, and a node that did not answer is left alone. */
const freshMs = 600_000
const pauseMs = 60_000

// Some 200 bytes each: two generations are 4 MB a chain.
const generationSize = 10_000
/** Addresses that wait to be looked up; those beyond come when they are shown again. */
const mostWaiting = 2_000
/** Looked up at once: four times as many calls. */
const perRound = 50

const nameForm = /^(?=.{3,255}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/

const selectors = {
  resolver: fromHex('0178b8bf'),
  name: fromHex('691f3431'),
  addr: fromHex('3b3b57de'),
} as const

/** The node of a name in the registry. Source: ERC-137, namehash. */
export function nodeOf(name: string): Uint8Array {
  let node: Uint8Array = new Uint8Array(32)
  for (const label of name.split('.').toReversed())
    node = keccak256(concatBytes(node, keccak256(new TextEncoder().encode(label))))
  return node
}

type Known = { readonly name: string; readonly until: number }

type OfChain = {
  readonly known: Generations<string, Known>
  readonly waiting: Map<string, Uint8Array>
  isReading: boolean
  restUntil: number
}

/** Makes the names of all chains. */
export function createRegistryNames(clock: Clock): RegistryNames {
  const chains = new WeakMap<ServedChain['store'], OfChain>()
  const ofChain = ({ store }: ServedChain): OfChain => {
    const kept = chains.get(store) ?? {
      known: createGenerations<string, Known>(generationSize),
      waiting: new Map<string, Uint8Array>(),
      isReading: false,
      restUntil: 0,
    }
    chains.set(store, kept)
    return kept
  }
  return {
    of: (chain, addresses) => {
      if (chain.facts.nameRegistry === undefined) return []
      const { known, waiting } = ofChain(chain)
      const now = clock.monotonic()
      const names = addresses.map((address) => {
        const key = keyOf(address)
        const entry = known.get(key)
        if ((entry === undefined || entry.until <= now) && waiting.size < mostWaiting)
          waiting.set(key, address)
        return entry?.name
      })
      void readWaiting(chain, ofChain(chain), clock)
      return names
    },
    addressOf: async (chain, name, signal) => {
      const { nameRegistry: registry } = chain.facts
      if (registry === undefined || !nameForm.test(name)) return undefined
      const found = await answerOfNode(clock, signal, (until) =>
        ownersOf(chain, registry, [name], until),
      )
      return found?.[0]
    },
  }
}

const endless = new AbortController().signal

/** Looks up what waits, until nothing does or the node does not answer. */
async function readWaiting(chain: ServedChain, names: OfChain, clock: Clock): Promise<void> {
  const { known, waiting } = names
  const registry = chain.facts.nameRegistry
  if (names.isReading || registry === undefined || clock.monotonic() < names.restUntil) return
  names.isReading = true
  try {
    while (waiting.size > 0) {
      const round = [...waiting].slice(0, perRound)
      const addresses = round.map(([, address]) => address)
      const found = await namesOf(chain, registry, addresses, endless)
      const until = clock.monotonic() + freshMs
      for (const [at, [key]] of round.entries()) {
        known.set(key, { name: found[at] ?? '', until })
        waiting.delete(key)
      }
    }
  } catch {
    // Nobody waits for it, and no page may fail for it.
    names.restUntil = clock.monotonic() + pauseMs
  } finally {
    names.isReading = false
  }
}

/** Names of addresses that lead back to them. Rejects with `not-served`. */
async function namesOf(
  chain: ServedChain,
  registry: Uint8Array,
  addresses: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  const nodes = addresses.map((address) => nodeOf(`${toHex(address)}.addr.reverse`))
  const answers = await askedResolvers(chain, { registry, nodes, selector: 'name' }, signal)
  const said = answers.map((answer) => {
    const text = answer && stringIn(answer)
    const name = text === undefined ? '' : new TextDecoder().decode(text)
    return nameForm.test(name) ? name : undefined
  })
  const named = said.flatMap((name, at) => (name === undefined ? [] : [{ name, at }]))
  const owners = await ownersOf(
    chain,
    registry,
    named.map(({ name }) => name),
    signal,
  )
  const names: (string | undefined)[] = addresses.map(() => undefined)
  for (const [place, { name, at }] of named.entries()) {
    const owner = owners[place]
    if (owner !== undefined && equalBytes(owner, itemAt(addresses, at))) names[at] = name
  }
  return names
}

/** Addresses that names lead to. */
async function ownersOf(
  chain: ServedChain,
  registry: Uint8Array,
  names: readonly string[],
  signal: AbortSignal,
): Promise<(Uint8Array | undefined)[]> {
  const nodes = names.map(nodeOf)
  const answers = await askedResolvers(chain, { registry, nodes, selector: 'addr' }, signal)
  return answers.map(addressIn)
}

/** Answers of the resolver of each node. */
async function askedResolvers(
  { state }: ServedChain,
  {
    registry,
    nodes,
    selector,
  }: {
    readonly registry: Uint8Array
    readonly nodes: readonly Uint8Array[]
    readonly selector: 'name' | 'addr'
  },
  signal: AbortSignal,
): Promise<(Uint8Array | undefined)[]> {
  if (nodes.length === 0) return []
  const found = await state.calls(
    nodes.map((node) => ({ to: registry, data: concatBytes(selectors.resolver, node) })),
    undefined,
    signal,
  )
  const resolvers = found.flatMap((answer, at) => {
    const resolver = addressIn(answer)
    return resolver === undefined ? [] : [{ resolver, at }]
  })
  const answers: (Uint8Array | undefined)[] = nodes.map(() => undefined)
  if (resolvers.length === 0) return answers
  const said = await state.calls(
    resolvers.map(({ resolver, at }) => ({
      to: resolver,
      data: concatBytes(selectors[selector], itemAt(nodes, at)),
    })),
    undefined,
    signal,
  )
  for (const [place, { at }] of resolvers.entries()) answers[at] = said[place]
  return answers
}

/** The address in an answer of one word; none for zero and for anything else. */
function addressIn(answer: Uint8Array | undefined): Uint8Array | undefined {
  if (answer?.length !== 32 || !isZero(answer.subarray(0, 12))) return undefined
  const address = answer.subarray(12)
  return isZero(address) ? undefined : address
}

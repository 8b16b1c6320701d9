/** Claims about contracts, proved one after another and kept. */

import { locks } from 'node:worker_threads'

import { methodsOf } from '../../../codec/evm/abi/abi.ts'
import { compile, type CompileLimits } from '../../../contracts/compiler.ts'
import type { Compilers } from '../../../contracts/compilers.ts'
import { type Claim, verifyClaim } from '../../../contracts/verify.ts'
import { equalBytes, to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { unlessAborted } from '../../../core/waiting.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import {
  contractAt,
  matches,
  putContracts,
  type VerifiedContract,
} from '../../../store/query/verified-contracts.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { Caller } from '../../operation/operation.ts'
import { creationCode } from './creation-code.ts'

/** Compilers that prove claims, their limits, and the store that keeps what is proved. */
export type VerificationOptions = {
  readonly store: Database
  /** Absent where no compilers are set: nothing is verified then. */
  readonly compilers: Compilers | undefined
  readonly limits: CompileLimits
  readonly clock: Clock
}

/** The queue. */
export type VerificationQueue = {
  /**
   * Proves a claim and keeps it, also after its caller has left. Throws `bad-parameter` with the reason where it does
   * not hold, and `overloaded` where too many wait.
   */
  readonly verify: (
    chain: ServedChain,
    address: Uint8Array,
    of: {
      readonly claim: Claim
      readonly caller: Pick<Caller, 'name'>
      readonly signal: AbortSignal
    },
  ) => Promise<VerifiedContract>
  /** Number of claims before that of a contract, 0 while it is compiled; `undefined` where none waits in this thread. */
  readonly ahead: (chain: ServedChain, address: Uint8Array) => number | undefined
}

// One is compiled at a time in the whole process, for it takes a core and a good part of the memory.
const compilerLock = 'compiler'
const mostQueued = 6
const mostQueuedPerCaller = 2
/** Times a processor's time that a compiler may take on a machine that has much else to do. */
const mostSlowness = 10

type Waiting = { readonly caller: string; readonly place: string }

/** A queue, of each caller few at once; `changed` is called with each contract that is new. */
export function createVerificationQueue(
  { store, compilers, clock, limits }: VerificationOptions,
  changed: (chain: ServedChain, address: Uint8Array) => void,
): VerificationQueue {
  /** Claims that wait, the one that is compiled first. */
  const queued: Waiting[] = []
  const placeOf = ({ facts }: ServedChain, address: Uint8Array): string =>
    `${facts.key} ${to0x(address)}`
  const verify: VerificationQueue['verify'] = async (
    chain,
    address,
    { claim, caller: { name: caller }, signal },
  ) => {
    if (compilers === undefined)
      throw new Fault('bad-parameter', 'contracts are not verified here: contracts.compilers')
    const runtime = await chain.state.code(address, undefined, signal)
    if (runtime.length === 0)
      throw new Fault('bad-parameter', `there is no contract at ${to0x(address)}`)
    const creation = await creationCode(chain, address, { clock, signal })
    const waiting = { caller, place: placeOf(chain, address) }
    enqueue(queued, waiting)
    const prove = async (): Promise<VerifiedContract> => {
      const { version: wanted, input } = claim
      const isVyper = input.language === 'Vyper' && !wanted.startsWith('vyper:')
      const compiler = await compilers.load(isVyper ? `vyper:${wanted.replace('v', '')}` : wanted)
      const over = AbortSignal.timeout(limits.seconds * 1_000 * mostSlowness)
      const { runtimeMatch, creationMatch, name, version, ...body } = await verifyClaim(
        claim,
        { address, runtime, creation },
        (settings) =>
          compile({ compiler, input: { ...input, settings } }, { limits, signal: over }),
      )
      const verified: VerifiedContract = {
        chainId: chain.facts.evmChainId,
        address,
        codeHash: keccak256(runtime),
        runtimeMatch,
        creationMatch: creationMatch ?? 'none',
        verifiedAt: Math.floor(clock.now() / 1_000),
        name,
        version,
        body,
      }
      const kept = await keptOf(store, verified)
      if (kept === verified) changed(chain, address)
      return kept
    }
    const proof = locks
      .request(compilerLock, prove)
      .finally(() => queued.splice(queued.indexOf(waiting), 1))
    return unlessAborted(proof, signal)
  }
  const ahead: VerificationQueue['ahead'] = (chain, address) => {
    const at = queued.findIndex(({ place }) => place === placeOf(chain, address))
    return at < 0 ? undefined : at
  }
  return { verify, ahead }
}

/** Takes a place in the queue. Throws `overloaded`. */
function enqueue(queued: Waiting[], waiting: Waiting): void {
  const own = queued.filter(({ caller }) => caller === waiting.caller).length
  if (queued.length >= mostQueued || own >= mostQueuedPerCaller)
    throw new Fault(
      'overloaded',
      `${queued.length} contracts are being verified, ${own} of them yours: try again in a minute`,
    )
  queued.push(waiting)
}

/** Keeps what is proved now, or gives what was proved before. */
async function keptOf(store: Database, verified: VerifiedContract): Promise<VerifiedContract> {
  const before = await contractAt(store, verified.chainId, verified.address)
  // Of equal proofs the first stays: who comes later does not choose the words of what is proved.
  if (
    before !== undefined &&
    equalBytes(before.codeHash, verified.codeHash) &&
    rankOf(verified) <= rankOf(before)
  )
    return before
  await putContracts(store, [verified], methodsOf([verified.body.abi]))
  return verified
}

/** How much is proved: code that runs first, then code that created it. */
function rankOf({ runtimeMatch, creationMatch }: VerifiedContract): number {
  return 3 * matches.indexOf(runtimeMatch) + matches.indexOf(creationMatch)
}

/**
 * Follows the messenger logs of every chain that the deployment indexes, and joins them in the store
 * of messages.
 *
 * Each chain is read up to its own checkpoint and has its own here, moved in the transaction that
 * writes what was read: a crash between two chains loses nothing, and none waits for another.
 */

import { fromHex, keyOf, to0x } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Clock, World } from '../../core/world.ts'
import { getCheckpoint, moveCheckpoint, blockStage } from '../../store/checkpoint.ts'
import { type Database, statement } from '../../store/engine/database.ts'
import { awaitLease, type Lease, renewLease, underLease } from '../../store/lease.ts'
import { metaText } from '../../store/meta.ts'
import { openSmallStore, openStore, type StoreLocation } from '../../store/open.ts'
import { reportedChainBodies } from '../../store/query/deployment.ts'
import { type MessengerLog, messengerLogs } from '../../store/query/icm/messenger-logs.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import { chainTables, messageTables } from '../../store/schema/stores.ts'
import { placesPerBlock } from '../../store/schema/sums.ts'
import type { Log } from '../../telemetry/log.ts'
import { type Round, roundStream } from '../stream/round-stream.ts'
import type { Stream } from '../stream/stage.ts'
import type { IcmStreamSpec, MessengerChain } from '../stream/stream-spec.ts'
import { applyMessages } from './apply-messages.ts'
import { followCuts } from './follow-cuts.ts'

// Logs read and written at once: a few MB at most, some milliseconds of writing.
const logsAtOnce = 1_000

/** Whatever it removes from its end or adds changes one of them. */
const endOfChain = statement(
  `select (select height from checkpoint where stage = 'blocks'),
     (select max(number) from cut_messages)`,
  { together: true },
)

type Followed = {
  readonly chain: MessengerChain
  store: Database | undefined
  id: Uint8Array | undefined
  height: number
  /** Its end when all before it was joined; `undefined` before. */
  joinedEnd: string | undefined
}

type Target = {
  readonly store: Database
  readonly lease: Lease
  readonly writer: MessageWriter
  /** Kinds of malformed logs that were logged, so that a flood of them is logged once. */
  readonly logged: Set<string>
}

/** Needs of the stream from the thread that writes. */
type MessageWriter = {
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  readonly store: StoreLocation
  readonly owner: string
  readonly signal: AbortSignal
}

/** The stream over the chains of `spec` and of the other processes of the deployment. Its store is opened when it runs. */
export function messageStream(spec: IcmStreamSpec, writer: MessageWriter): Stream {
  const followed = spec.chains.map(newlyFollowed)
  const { clock } = writer.world
  const others = deploymentChains(writer.store, clock)
  let target: Target | undefined
  const round = async (): Promise<Round> => {
    target ??= await openTarget(spec.key, writer)
    try {
      const known = new Set(followed.map(({ chain }) => chain.key))
      followed.push(...(await others.found(known)).map(newlyFollowed))
      return await oneRound(followed, target)
    } catch (error) {
      // Opened again it waits for the process that writes it now.
      if (faultOf(error)?.code === 'lease-lost') {
        await target.store.close()
        target = undefined
        for (const one of followed) one.joinedEnd = undefined
      }
      throw error
    }
  }
  return roundStream('messages', { clock, log: writer.log }, round, async () => {
    for (const one of followed) await one.store?.close()
    await target?.store.close()
    await others.close()
  })
}

function newlyFollowed(chain: MessengerChain): Followed {
  return { chain, store: undefined, id: undefined, height: -1, joinedEnd: undefined }
}

async function openTarget(key: string, writer: MessageWriter): Promise<Target> {
  const { world, owner, signal } = writer
  const { leaseMs } = writer.store
  const store = await openSmallStore(writer.store, key, messageTables)
  try {
    const lease = await awaitLease(store, owner, { leaseMs, clock: world.clock, signal })
    return { store, lease, writer, logged: new Set() }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** A step of every chain: a failing one does not keep the others from theirs. */
async function oneRound(followed: readonly Followed[], target: Target): Promise<Round> {
  // Chains may be quiet for long.
  await renewLease(target.store, target.lease, target.writer.world.clock)
  let isBusy = false
  let absent = 0
  const failures: unknown[] = []
  const ends = await Promise.all(followed.map(endOf))
  for (const [at, one] of followed.entries()) {
    const end = ends[at]
    if (end !== undefined && end === one.joinedEnd) continue
    try {
      const step = await advance(one, target)
      isBusy ||= step === 'more'
      if (step === 'absent') absent++
      one.joinedEnd = step === 'done' ? end : undefined
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return {
    height: Math.max(-1, ...followed.map((one) => one.height)),
    isBusy,
    isLive: !isBusy,
    reason: absent > 0 ? `chains without a blockchain id or a store: ${absent}` : undefined,
  }
}

/** The end of a chain as it is now; `undefined` where that cannot be read. */
async function endOf({ store }: Followed): Promise<string | undefined> {
  try {
    const row = await store?.get(endOfChain)
    return row?.join(' ')
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return undefined
  }
}

/** Reads the next logs of one chain. */
async function advance(one: Followed, target: Target): Promise<'more' | 'done' | 'absent'> {
  const { writer } = target
  if (one.store === undefined) await openFollowed(one, writer.store)
  if (one.store === undefined) return 'absent'
  if (one.id === undefined) one.id = await idOf(one)
  if (one.id === undefined) return 'absent'
  const chain = {
    key: one.chain.key,
    network: one.chain.network === 'mainnet' ? 0 : 1,
    blockchainId: one.id,
  }
  await followCuts(
    { store: one.store, chain, isOwn: ownLogs(one.chain) },
    { store: target.store, lease: target.lease, clock: writer.world.clock },
  )
  const head = await getCheckpoint(one.store, blockStage)
  const done = await getCheckpoint(target.store, one.chain.key)
  one.height = done?.height ?? -1
  if (head === undefined || head.height <= one.height) return 'done'
  const from = ((done?.height ?? -1) + 1) * placesPerBlock
  const until = (head.height + 1) * placesPerBlock
  const logs = await messengerLogs(one.store, { from, until, limit: logsAtOnce + 1 })
  // A page that is not the last ends between blocks, so that a checkpoint is a whole height.
  const cut = logs.length > logsAtOnce ? heightOf(itemAt(logs, logsAtOnce).pos) : head.height + 1
  const whole = cut * placesPerBlock > from ? cut : heightOf(from) + 1
  const taken =
    cut === whole
      ? logs.filter(({ pos }) => heightOf(pos) < whole)
      : await messengerLogs(one.store, {
          from,
          until: whole * placesPerBlock,
          limit: placesPerBlock,
        })
  const own = taken.filter(ownLogs(one.chain))
  const { clock } = writer.world
  await underLease(target.store, { lease: target.lease, clock }, async (into) => {
    for (const log of await applyMessages(into, chain, own)) {
      const kind = `${one.chain.key} ${log.kind}`
      if (!target.logged.has(kind))
        writer.log.warn('messenger log skipped', { chain: chain.key, tx: to0x(log.txHash) })
      target.logged.add(kind)
    }
    await moveCheckpoint(into, one.chain.key, {
      before: done?.height,
      after: { height: whole - 1, hash: undefined },
      epoch: target.lease.epoch,
    })
  })
  one.height = whole - 1
  return whole <= head.height ? 'more' : 'done'
}

/** Returns a test of whether a log is of a messenger that is believed. */
function ownLogs({ contracts }: MessengerChain): (log: MessengerLog) => boolean {
  const believed = new Set(contracts.map((contract) => keyOf(fromHex(contract))))
  return ({ contract }) => believed.has(keyOf(contract))
}

async function openFollowed(one: Followed, location: StoreLocation): Promise<void> {
  try {
    one.store = await openStore(location, one.chain.key, chainTables, 'read')
  } catch (error) {
    if (faultOf(error)?.code !== 'store-failed') throw error
  }
}

async function idOf(one: Followed): Promise<Uint8Array | undefined> {
  if (one.chain.blockchainId !== undefined) return fromHex(one.chain.blockchainId)
  const id = one.store && (await metaText(one.store, 'blockchainId'))
  return id === undefined ? undefined : fromHex(id)
}

function heightOf(pos: number): number {
  return Math.floor(pos / placesPerBlock)
}

/** Between two looks: a chain that is new somewhere may wait that long. */
const lookEveryMs = 5_000

/** Chains of the whole deployment. */
type DeploymentChains = {
  /** Chains found since the last call whose store names are not in `known`. */
  readonly found: (known: ReadonlySet<string>) => Promise<readonly MessengerChain[]>
  readonly close: () => Promise<void>
}

/** Looks at what processes reported of their chains; nothing is found where stores are embedded. */
function deploymentChains(location: StoreLocation, clock: Clock): DeploymentChains {
  let store: Database | undefined
  let lookedMs = Number.NEGATIVE_INFINITY
  return {
    found: async (known) => {
      if (location.store === 'embedded' || clock.monotonic() - lookedMs < lookEveryMs) return []
      lookedMs = clock.monotonic()
      store ??= await openStore(location, deploymentStore, deploymentTables, 'write')
      const chains = (await reportedChainBodies(store)).map((body) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by chain-shares.ts
        return JSON.parse(body) as MessengerChain
      })
      return chains.filter(({ key }) => !known.has(key))
    },
    close: async () => store?.close(),
  }
}

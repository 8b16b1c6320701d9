/**
 * The writing side of one primary network: its store, the lease on it, its genesis, and one commit
 * at a time.
 *
 * The three chains share what moves between them, so looking up, replaying and storing a batch is
 * one piece of work that no other chain interrupts.
 */

import { readGenesis, type GenesisFacts } from '../../codec/primary/genesis.ts'
import { equalBytes, fromHex, toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { PrimaryIdentity, PrimarySource } from '../../source/primary/primary-source.ts'
import { type Database, type Reader, statement, type Writer } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/engine/open.ts'
import { awaitLease, holdLease, type Lease } from '../../store/lease.ts'
import { rawBlocksFrom } from '../../store/query/primary/raw-blocks.ts'
import { controlTables, meta } from '../../store/schema/control.ts'
import { primaryTables } from '../../store/schema/primary.ts'
import { type AssetNumbers, type KeptInMemory, newAssetNumbers } from './asset-numbers.ts'
import { type ChainReplay, type Fetched, openReplay } from './chain-replay.ts'
import { beginPChain } from './genesis-rows.ts'
import type { ChainName } from './ledger-rows.ts'
import { loadGenesis } from './load-genesis.ts'
import { beginXChain } from './replay-x.ts'
import { type PrimaryRules, rulesOf, type Upgrades } from './rules.ts'
import { genesisId } from './store-blocks.ts'
import { openPrimaryRows, type PrimaryRows } from './store-rows.ts'

/** All tables of a primary network's store. */
export const primaryStoreTables = [...controlTables, ...primaryTables] as const

/** What a host is made of. */
export type PrimaryHostParts = {
  readonly key: string
  readonly source: PrimarySource
  /** `auto` or a path. */
  readonly genesis: string
  /** Genesis itself, where it is at hand. */
  readonly genesisBytes?: Uint8Array
  readonly store: StoreLocation
  readonly world: World
  readonly owner: string
  readonly signal: AbortSignal
}

/** Writes one primary network. */
export type PrimaryHost = {
  readonly database: Database
  readonly facts: GenesisFacts
  readonly rules: PrimaryRules
  /** A chain's replay where its rows end; needed anew after every fault of `commit`. */
  readonly replay: (chain: ChainName) => Promise<ChainReplay>
  /** Replays and stores what was fetched. Done in order, one chain at a time. */
  readonly commit: (
    replay: ChainReplay,
    fetched: readonly Fetched<unknown>[],
    signal: AbortSignal,
  ) => Promise<void>
  /** Runs other work in a transaction under the lease. */
  readonly write: (work: (writer: Writer) => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

const everyMeta = statement('select name, value from meta')

/** Opens the store; the first time it asks the node what network this is, and stores genesis. */
export async function openPrimaryHost(parts: PrimaryHostParts): Promise<PrimaryHost> {
  const { world, signal } = parts
  const database = await openStore(parts.store, parts.key, primaryStoreTables, 'write')
  try {
    const lease = await awaitLease(database, parts.owner, { clock: world.clock, signal })
    const known = await storedNetwork(database)
    const identity = await parts.source.identity(signal)
    if (known !== undefined) checkIdentity(known, identity)
    const rules = rulesOf(identity.networkId, upgradesOf(identity))
    const bytes = known?.genesis ?? (await loadGenesis(parts.genesis, identity, world))
    const facts = readGenesis(bytes)
    const guard = guardOf(lease, world)
    if (known === undefined) {
      await storeGenesis(database, { bytes, facts, rules, identity, guard })
    }
    return hostOver(database, { facts, rules, source: parts.source, guard })
  } catch (error) {
    await database.close()
    throw error
  }
}

type Guard = (writer: Writer) => Promise<number>

function guardOf(lease: Lease, world: World): Guard {
  return async (writer) => {
    await holdLease(writer, lease, world.clock)
    return lease.epoch
  }
}

type HostOf = {
  readonly facts: GenesisFacts
  readonly rules: PrimaryRules
  readonly source: PrimarySource
  readonly guard: Guard
}

function hostOver(database: Database, of: HostOf): PrimaryHost {
  const { facts, rules, source, guard } = of
  const openRows = (): PrimaryRows =>
    openPrimaryRows(database, { maxValidatorStake: rules.maxValidatorStake })
  let rows = openRows()
  let assets: AssetNumbers | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    // A closed PostgreSQL pool would keep the caller waiting for ever.
    if (isClosed) return Promise.reject(new Fault('store-failed', 'the store is closed'))
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const commit: PrimaryHost['commit'] = (replay, fetched, signal) =>
    inOrder(async () => {
      try {
        const batch = await replay.replay(fetched, rows.reader, signal)
        if (batch.until <= batch.from) return
        const raw = fetched.filter(({ height }) => height < batch.until).map((one) => one.raw)
        await rows.write(batch, raw, guard)
      } catch (error) {
        // Numbers given in a failed transaction do not exist.
        rows = openRows()
        assets = undefined
        throw error
      }
    })
  return {
    database,
    facts,
    rules,
    replay: (chain) =>
      inOrder(async () => {
        assets ??= newAssetNumbers(await rows.assets())
        return openReplay(chain, { source, facts, rules, rows, assets })
      }),
    commit,
    write: (work) =>
      inOrder(() =>
        database.transaction(async (writer) => {
          await guard(writer)
          await work(writer)
        }),
      ),
    close: async () => {
      isClosed = true
      await last
      await database.close()
    },
  }
}

/** Upgrade times as the node has them, by upstream's names. Source: avalanchego upgrade/upgrade.go. */
export function upgradesOf(identity: PrimaryIdentity): Partial<Upgrades> {
  const { upgrades } = identity
  const names: Readonly<Record<keyof Upgrades, string>> = {
    apricotPhase5: 'apricotPhase5Time',
    banff: 'banffTime',
    cortina: 'cortinaTime',
    durango: 'durangoTime',
    etna: 'etnaTime',
    helicon: 'heliconTime',
  }
  const found: Partial<Record<keyof Upgrades, number>> = {}
  for (const [name, upstream] of Object.entries(names)) {
    const time = upgrades[upstream]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of `names`
    if (time !== undefined) found[name as keyof Upgrades] = time
  }
  return found
}

type StoredNetwork = {
  readonly networkId: number
  readonly genesisId: Uint8Array
  readonly genesis: Uint8Array
}

async function storedNetwork(reader: Reader): Promise<StoredNetwork | undefined> {
  const rows = await reader.all(everyMeta)
  const facts = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const id = facts.get('genesisId')
  if (id === undefined) return undefined
  const [genesis] = await rawBlocksFrom(reader, genesisId, 1)
  if (genesis?.id !== genesisId) throw new Fault('store-failed', 'the store has lost its genesis')
  return {
    networkId: Number(facts.get('networkId')),
    genesisId: fromHex(id),
    genesis: genesis.bytes,
  }
}

function checkIdentity(known: StoredNetwork, identity: PrimaryIdentity): void {
  if (known.networkId === identity.networkId && equalBytes(known.genesisId, identity.genesisId))
    return
  throw new Fault(
    'source-mismatch',
    `the store is of network ${known.networkId} with another genesis than the node, of network: ${identity.networkId}`,
  )
}

type GenesisToStore = {
  readonly bytes: Uint8Array
  readonly facts: GenesisFacts
  readonly rules: PrimaryRules
  readonly identity: PrimaryIdentity
  readonly guard: Guard
}

/** Genesis is read back at once; nothing needs to stay in memory. AVAX is the first asset. */
function firstKept(facts: GenesisFacts): KeptInMemory {
  const assets = newAssetNumbers([])
  assets.of(facts.avaxAssetId)
  return { utxoLimit: 0, assets }
}

async function storeGenesis(database: Database, to: GenesisToStore): Promise<void> {
  const { facts, rules, identity, guard } = to
  const rows = openPrimaryRows(database, { maxValidatorStake: rules.maxValidatorStake })
  const p = beginPChain(facts, rules, firstKept(facts)).batch
  const x = beginXChain(facts, firstKept(facts)).batch
  // A process may have ended between the two.
  if ((await rows.checkpoint('P')) === undefined) {
    await rows.write(p, [{ id: genesisId, bytes: to.bytes }], guard)
  }
  await rows.write(x, [], async (writer) => {
    const epoch = await guard(writer)
    // Written last: a store without it begins again.
    await writer.upsert(meta, {
      name: [
        'networkId',
        'genesisId',
        'xChainId',
        'cChainId',
        'avaxAssetId',
        'genesisTime',
        'upgrades',
        'nodeVersion',
      ],
      value: [
        String(identity.networkId),
        toHex(identity.genesisId),
        toHex(facts.xChainId),
        toHex(facts.cChainId),
        toHex(facts.avaxAssetId),
        String(facts.genesis.time),
        JSON.stringify(identity.upgrades),
        identity.nodeVersion,
      ],
    })
    return epoch
  })
}

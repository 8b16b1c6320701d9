/** Documents that the processes of a deployment share. */

import { Fault } from '../../core/fault.ts'
import { type Database, type Reader, statement } from '../engine/database.ts'
import { deploymentChain, deploymentProcess } from '../schema/deployment.ts'

/** A document as it is stored. */
export type StoredDocument = { readonly revision: number; readonly content: Uint8Array }

/**
 * So many changes of one document at the same moment, each of which makes the others try once
 * more.
 */
const maxTries = 32

const revisions = statement('select name, revision from deployment_document')
const document = statement('select revision, content from deployment_document where name = ?')
const first = statement(
  `insert into deployment_document (name, content, revision) values (?, ?, 1)
   on conflict do nothing`,
)
const next = statement(
  `update deployment_document set content = ?, revision = revision + 1
   where name = ? and revision = ?`,
)

/** Revisions by name. */
export async function documentRevisions(store: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(revisions)
  return new Map(rows.map(([name, revision]) => [name, revision]))
}

/** The document `name`; `undefined` where there is none. */
export async function storedDocument(
  store: Reader,
  name: string,
): Promise<StoredDocument | undefined> {
  const row = await store.get(document, [name])
  if (row === undefined) return undefined
  const [revision, content] = row
  if (!(content instanceof Uint8Array))
    throw new Fault('store-failed', `a document without content: ${name}`)
  return { revision: revision, content }
}

/**
 * Replaces a document by what `change` makes of it; left as it is where that is `undefined`. When
 * another process changes it at the same moment `change` is called again, with what is stored then.
 */
export async function changeDocument(
  store: Database,
  name: string,
  change: (content: Uint8Array | undefined) => Uint8Array | undefined,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const stored = await storedDocument(store, name)
    const content = change(stored?.content)
    if (content === undefined) return
    const written = await store.transaction((writer) =>
      stored === undefined
        ? writer.run(first, [name, content])
        : writer.run(next, [content, name, stored.revision]),
    )
    if (written === 1) return
  }
  throw new Fault('store-failed', `other processes change this document all the time: ${name}`)
}

/** A process, as it reports itself. */
export type ReportingProcess = {
  /** Names it in leases, and no other. */
  readonly owner: string
  /** Another one again and again as long as it lives. */
  readonly beat: number
  /** Number of its leases. */
  readonly held: number
  /** Weight of its stores together: as many as it has where all are at rest. */
  readonly weight: number
  /** Stores whose lease it waits for. */
  readonly waits: readonly string[]
}

const processes = statement('select owner, beat, held, waits from deployment_process')
const chains = statement('select body from deployment_chain order by store')

/**
 * Before the weight in the list of `waits`: versions that know none of weights take it for the name of a store that they do not
 * have. A column of its own would keep them from writing this store, and so from starting.
 */
const weightMark = 'weight:'

/** Writes down what a process reports of itself. */
export async function reportProcess(store: Database, reported: ReportingProcess): Promise<void> {
  await store.transaction((writer) =>
    writer.upsert(deploymentProcess, {
      owner: [reported.owner],
      beat: [reported.beat],
      held: [reported.held],
      waits: [JSON.stringify([...reported.waits, weightMark + String(reported.weight)])],
    }),
  )
}

const showsLife = statement('update deployment_process set beat = ? where owner = ?')
const beatOf = statement('select beat from deployment_process where owner = ?')

/** Says that a process lives, which has reported itself; `beat` is another one each time. */
export async function showLife(store: Database, owner: string, beat: number): Promise<void> {
  await store.transaction((writer) => writer.run(showsLife, [beat, owner]), { isFleeting: true })
}

/** Beat of a process; `undefined` where it has not reported itself or ended. */
export async function lifeOf(store: Reader, owner: string): Promise<number | undefined> {
  const beat = (await store.get(beatOf, [owner]))?.[0]
  return beat === undefined ? undefined : beat
}

/** Removes processes that ended. */
export async function forgetProcesses(store: Database, owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return
  await store.transaction((writer) => writer.remove(deploymentProcess, { owner: [...owners] }))
}

/** All processes, those that ended a short while ago among them. */
export async function reportingProcesses(store: Reader): Promise<readonly ReportingProcess[]> {
  const rows = await store.all(processes)
  return rows.map(([owner, beat, held, waits]) => {
    const list: unknown = JSON.parse(waits)
    const words = Array.isArray(list) ? list.map(String) : []
    const weight = words.find((word) => word.startsWith(weightMark))?.slice(weightMark.length)
    return { owner, beat, held, weight: Number(weight ?? held), waits: words }
  })
}

/** Writes down chains, each by the name of its store; `body` is what is said of it. */
export async function reportChains(
  store: Database,
  reported: readonly { readonly store: string; readonly body: string }[],
): Promise<void> {
  if (reported.length === 0) return
  await store.transaction((writer) =>
    writer.upsert(deploymentChain, {
      store: reported.map((chain) => chain.store),
      body: reported.map((chain) => chain.body),
    }),
  )
}

/** Bodies of all chains, in the order of their stores. */
export async function reportedChainBodies(store: Reader): Promise<readonly string[]> {
  const rows = await store.all(chains)
  return rows.map(([body]) => body)
}

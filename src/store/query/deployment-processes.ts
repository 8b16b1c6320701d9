/** The processes that index one deployment, and the chains that they index together. */

import { type Database, type Reader, statement } from '../engine/database.ts'
import { deploymentChain, deploymentProcess } from '../schema/deployment.ts'

/** A process, as it tells of itself. */
export type TellingProcess = {
  /** Names it in leases, and no other. */
  readonly owner: string
  /** Grows as long as it lives. */
  readonly beat: number
  /** Number of its leases. */
  readonly held: number
  /** Stores whose lease it waits for. */
  readonly waits: readonly string[]
}

const processes = statement('select owner, beat, held, waits from deployment_process')
const chains = statement('select body from deployment_chain order by store')

/** Writes down what a process tells of itself. */
export async function tellProcess(store: Database, told: TellingProcess): Promise<void> {
  await store.transaction((writer) =>
    writer.upsert(deploymentProcess, {
      owner: [told.owner],
      beat: [told.beat],
      held: [told.held],
      waits: [JSON.stringify(told.waits)],
    }),
  )
}

/** Takes processes away that ended. */
export async function forgetProcesses(store: Database, owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return
  await store.transaction((writer) => writer.remove(deploymentProcess, { owner: [...owners] }))
}

/** All processes, those that ended a short while ago among them. */
export async function tellingProcesses(store: Reader): Promise<readonly TellingProcess[]> {
  const rows = await store.all(processes)
  return rows.map(([owner, beat, held, waits]) => {
    const list: unknown = JSON.parse(String(waits))
    return {
      owner: String(owner),
      beat: Number(beat),
      held: Number(held),
      waits: Array.isArray(list) ? list.map(String) : [],
    }
  })
}

/** Writes down chains, each by the name of its store; `body` is what is said of it. */
export async function tellChains(
  store: Database,
  told: readonly { readonly store: string; readonly body: string }[],
): Promise<void> {
  if (told.length === 0) return
  await store.transaction((writer) =>
    writer.upsert(deploymentChain, {
      store: told.map((chain) => chain.store),
      body: told.map((chain) => chain.body),
    }),
  )
}

/** Bodies of all chains, in the order of their stores. */
export async function toldChainBodies(store: Reader): Promise<readonly string[]> {
  const rows = await store.all(chains)
  return rows.map(([body]) => String(body))
}

/**
 * Memory under a steady load that repeats: ten equal rounds of lists against a running Firn. What is
 * live after the second and after the tenth differs by 2 % at most, and resident memory stays below
 * the maximum that the guide states.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { objectOf } from '../src/codec/evm/raw.ts'
import {
  entry,
  follow,
  type RunningFirn,
  twoChains,
  untilLive,
} from '../test/support/processes/firn-process.ts'
import { type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const roundsInAll = 10
const listsEachRound = 20_000
/** Before the rounds: what the runtime compiles and prepares for lists is live memory, too. */
const listsAtFirst = 1_500
const atOnce = 8
const mostGrowth = 0.02
/** A backfill of the demo's size and what serving adds; stated in the guide. */
const mostResidentBytes = 640 * 2 ** 20

type Told = { readonly live: number; readonly resident: number }

/** One outcome: bad when memory grows, or is more than stated. */
export async function* memory({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const count = triesOf(listsEachRound, share)
  const kind = `memory over ten rounds of ${count} lists`
  if (soFar(kind).tries > 0) return
  const endings: (() => Promise<void>)[] = []
  try {
    const folder = await mkdtemp(join(tmpdir(), 'firn-memory-'))
    endings.push(() => rm(folder, { recursive: true, force: true }))
    const probe = new URL('memory-probe.ts', import.meta.url).href
    const words = ['--import', probe, entry, 'start', '--port', '0', '--node-port', '0']
    const child = spawn(process.execPath, [...words, '--data-dir', folder], {
      env: twoChains(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const firn = await follow({ after: (work) => void endings.push(work) }, child)
    await untilLive(firn, ['fuji-demo-chain', 'fuji-demo-l1'])
    const paths = await pathsOf(firn)
    await readAll(firn, paths, listsAtFirst)
    const told: Told[] = []
    for (let round = 0; round < roundsInAll; round++) {
      await readAll(firn, paths, count)
      told.push(await measured(child))
    }
    yield [{ kind, tries: count * roundsInAll, ...outcomeOf(told) }]
  } finally {
    for (const end of endings.toReversed()) await end()
  }
}

function outcomeOf(told: readonly Told[]): Pick<Outcome, 'bad' | 'note'> {
  const [second, last] = [told[1], told.at(-1)]
  if (second === undefined || last === undefined) throw new Error('too few rounds')
  const growth = last.live / second.live - 1
  const resident = Math.max(...told.map((each) => each.resident))
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  const note = `live ${mib(second.live)} then ${mib(last.live)}, resident at most ${mib(resident)}`
  const bad = Number(growth > mostGrowth) + Number(resident > mostResidentBytes)
  return { bad, note }
}

/** Lists of every address of the newest transactions, and of the chain. */
async function pathsOf(firn: RunningFirn): Promise<string[]> {
  const chain = '/v1/chains/51001'
  const page = await firn.get(`${chain}/transactions?pageSize=100`)
  const transactions = Array.isArray(page['transactions']) ? page['transactions'] : []
  const addresses = new Set<string>()
  for (const transaction of transactions) {
    const from = objectOf(objectOf(transaction, 'transaction')['from'], 'from')
    addresses.add(String(from['address']))
  }
  const ofAddress = [...addresses].flatMap((address) =>
    ['transactions', 'transactions:listErc20', 'balances:listErc20', 'transactions:listNative'].map(
      (list) => `${chain}/addresses/${address}/${list}?pageSize=25`,
    ),
  )
  return [`${chain}/transactions?pageSize=100`, `${chain}/blocks?pageSize=100`, ...ofAddress]
}

async function readAll(firn: RunningFirn, paths: readonly string[], count: number): Promise<void> {
  let next = 0
  const one = async (): Promise<void> => {
    while (next < count) {
      const path = paths[next++ % paths.length]
      if (path !== undefined) await firn.get(path)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

async function measured(child: ChildProcess): Promise<Told> {
  const answer = once(child, 'message')
  child.send('collect')
  const [message] = await answer
  const { live, resident } = objectOf(message, 'memory')
  return { live: Number(live), resident: Number(resident) }
}

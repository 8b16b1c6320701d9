import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { virtualClock } from '../../../test/support/processes/virtual-clock.ts'
import { Fault } from '../../core/fault.ts'
import { statement } from '../../store/engine/database.ts'
import { openStore } from '../../store/open.ts'
import { table } from '../../store/schema/table.ts'
import { silentLog } from '../../telemetry/log.ts'
import { type Round, roundStream } from './round-stream.ts'
import { writingRhythm } from './writing-rhythm.ts'

const done: Round = { height: 7, isBusy: false, isLive: true }

/** Runs rounds of these outcomes; what the status says after each. */
async function statuses(outcomes: readonly (Round | Error)[]): Promise<string[]> {
  const over = new AbortController()
  const states: string[] = []
  const left = [...outcomes]
  const stream = roundStream('rounds', { clock: virtualClock(), log: silentLog }, async () => {
    const { state, reason, indexedHeight } = stream.status()
    states.push(`${state} ${indexedHeight}${reason === undefined ? '' : ` ${reason}`}`)
    const outcome = left.shift()
    if (outcome === undefined) over.abort()
    if (outcome instanceof Error) throw outcome
    return outcome ?? done
  })
  const failure = await stream.run(over.signal).catch((error: unknown) => error)
  if (failure !== undefined) states.push(`${stream.status().state} ${stream.status().reason}`)
  return states
}

void test('round stream: a failure is statuses and tried again, then it is gone', async () => {
  const away = new Fault('store-failed', 'cut off')
  assert.deepEqual(await statuses([done, away, away, { ...done, height: 8 }]), [
    'syncing -1',
    'live 7',
    'syncing 7 cut off',
    'syncing 7 cut off',
    'live 8',
  ])
})

void test('round stream: what is no fault ends it, and it says so', async () => {
  assert.deepEqual(await statuses([done, new TypeError('a bug')]), [
    'syncing -1',
    'live 7',
    'stopped it broke; see the log',
  ])
})

void test('round stream: it rests until it is woken, or for ten seconds', async () => {
  const clock = virtualClock()
  const over = new AbortController()
  const roundsAt: number[] = []
  let isWoken = false
  const stream = roundStream('rounds', { clock, log: silentLog }, async () => {
    roundsAt.push(Math.round(clock.monotonic() / 1_000))
    isWoken = false
    return { ...done, isWoken: async () => isWoken }
  })
  const running = stream.run(over.signal)
  await clock.sleep(3_500)
  isWoken = true
  await clock.sleep(12_000)
  over.abort()
  await running
  const [first = 0] = roundsAt
  assert.deepEqual(
    roundsAt.map((second) => second - first),
    [0, 4, 14],
  )
})

const blob = table('blob', { id: 'integer', bytes: 'bytes' }, { key: ['id'], layout: 'rows' })

void test('pace: the log is folded once batches are few, and again when there are none', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-rhythm-'))
  const store = await openStore({ store: 'embedded', dataDir }, 'rhythm', [blob], 'write')
  const clock = virtualClock()
  const rhythm = writingRhythm(store, clock)
  const ending = new AbortController()
  const running = rhythm.stream.run(ending.signal)
  const logged = (): number => statSync(join(dataDir, 'rhythm.sqlite-wal')).size
  let id = 0
  const batch = (takesMs: number): Promise<void> =>
    rhythm.batch(async () => {
      await clock.sleep(takesMs)
      await store.transaction((writer) =>
        writer.insert(blob, { id: [id++], bytes: [new Uint8Array(100_000)] }),
      )
    })

  for (let second = 0; second < 5; second++) await batch(990)
  assert.ok(logged() > 500_000, `filling: ${logged()} bytes in the log`)
  await clock.sleep(2_500)
  assert.equal(logged(), 0, 'quiet')
  await batch(10)
  assert.ok(logged() > 0)
  await clock.sleep(2_500)
  assert.equal(logged(), 0, 'quiet after a batch')
  await batch(10)
  const read = Promise.withResolvers<void>()
  const reading = store.snapshot(async (reader) => {
    await reader.all(statement('select count(*) from blob'))
    await read.promise
  })
  await batch(10)
  await clock.sleep(2_500)
  assert.ok(logged() > 0, 'a reader is in the way')
  read.resolve()
  await reading
  await clock.sleep(2_500)
  assert.equal(logged(), 0, 'quiet after a reader')

  ending.abort()
  await running
  await store.close()
  rmSync(dataDir, { recursive: true })
})

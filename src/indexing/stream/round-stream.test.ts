import assert from 'node:assert/strict'
import { test } from 'node:test'

import { virtualClock } from '../../../test/support/processes/virtual-clock.ts'
import { Fault } from '../../core/fault.ts'
import { silentLog } from '../../telemetry/log.ts'
import { type Round, roundStream } from './round-stream.ts'

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

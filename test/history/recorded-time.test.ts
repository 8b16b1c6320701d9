/** Recordings end where they end: their last blocks are released one a second, and time rests there. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { readConfig } from '../../src/config/read-config.ts'
import { recordedClock, recordedEnd } from '../../src/core/recorded-time.ts'
import type { Clock } from '../../src/core/world.ts'
import { recordedTimeOf } from '../../src/service/recorded-time.ts'
import { openRecordedPrimary } from '../../src/source/primary/recorded-source.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { manualClock } from '../support/processes/manual-clock.ts'

const signal = AbortSignal.timeout(60_000)
const demo = fileURLToPath(new URL('../../demo/', import.meta.url))
const names = ['summit', 'harbor', 'c-chain']
const file = (name: string): Buffer => readFileSync(`${demo}${name}.firnrec`)

async function timeOf(clock: Clock, held: number, dataDir = '/none') {
  const value = {
    dataDir,
    recordings: { heldBlocks: held },
    networks: { fuji: { recording: `${demo}primary.firnrec` } },
    chains: names.map((name) => ({ name, recording: `${demo}${name}.firnrec` })),
  }
  const { config } = readConfig({ flags: {}, environment: {}, file: { value } })
  const files = {
    read: async (path: string) => new Uint8Array(readFileSync(path)),
    write: async () => {},
    remove: async () => {},
    list: async () => [],
  }
  const time = await recordedTimeOf(config, { files, clock })
  assert.ok(time !== undefined)
  return time
}

void test('a first start holds the last blocks back and releases one a second, of all chains together', async () => {
  const real = manualClock(2_000_000_000_000)
  const time = await timeOf(real, 120)
  assert.equal(time.times.length, 121)
  const clock = recordedClock(real, time)
  const evm = names.map((name) => openRecording(file(name), clock))
  const primary = openRecordedPrimary(file('primary'), clock)
  const there = async (): Promise<number> => {
    const heads = [
      ...evm.map((source) => source.headHeight(signal)),
      ...(['P', 'X', 'C'] as const).map((chain) => primary.headHeight(chain, signal)),
    ]
    return (await Promise.all(heads)).reduce((sum, head) => sum + head, 0)
  }
  const first = await there()
  const seen: number[] = []
  for (let second = 1; second <= 120; second++) {
    real.nowMs += 1_000
    seen.push(await there())
  }
  // Blocks of one second come together, so a step may be of several, and then of none.
  assert.ok(seen.every((count, at) => count >= (seen[at - 1] ?? first)))
  assert.equal(
    (seen.at(-1) ?? 0) - first,
    120 + time.times.filter((at) => at === time.times[0]).length - 1,
  )
  assert.ok(new Set(seen).size > 60)
  for (const [at, name] of names.entries()) {
    const whole = openRecording(file(name))
    assert.equal(await evm[at]?.headHeight(signal), await whole.headHeight(signal), name)
  }
})

void test('time rests where the recordings end, a year later, too', async () => {
  const real = manualClock(2_000_000_000_000)
  const time = await timeOf(real, 120)
  const clock = recordedClock(real, time)
  assert.equal(clock.now() / 1_000, time.times[0])
  real.nowMs += 365 * 86_400_000
  assert.equal(clock.now() / 1_000, recordedEnd(time))
  // The last block of Summit, 22 November 2026.
  assert.equal(new Date(clock.now()).toISOString(), '2026-11-22T18:39:07.000Z')
  const rested = await timeOf(real, 0)
  assert.deepEqual(rested.times, [recordedEnd(time)])
})

void test('a balance that later blocks change is not served before them, any other is', async () => {
  const real = manualClock(2_000_000_000_000)
  const time = await timeOf(real, 120)
  const source = openRecording(file('summit'), recordedClock(real, time))
  const head = await source.headHeight(signal)
  const cast = JSON.parse(readFileSync(`${demo}cast.json`, 'utf8')) as Record<string, string>
  const balanceOf = async (address: string, height: number) => {
    const call = { method: 'eth_getBalance', target: address.toLowerCase() } as const
    return (await source.state([call], height, signal))[0]?.kind
  }
  assert.equal(await balanceOf(cast['trader'] ?? '', head), 'not-served')
  assert.equal(await balanceOf(cast['Summit.maker'] ?? '', head), 'value')
  real.nowMs += 121_000
  assert.equal(await balanceOf(cast['trader'] ?? '', await source.headHeight(signal)), 'value')
})

void test('where more than recordings is served time is that of the machine', async () => {
  const value = {
    networks: { fuji: { recording: `${demo}primary.firnrec` } },
    chains: [{ name: 'Live', rpcUrls: ['http://127.0.0.1:1'] }],
  }
  const { config } = readConfig({ flags: {}, environment: {}, file: { value } })
  const files = {
    read: async () => undefined,
    write: async () => {},
    remove: async () => {},
    list: async () => [],
  }
  assert.equal(await recordedTimeOf(config, { files, clock: manualClock(0) }), undefined)
})

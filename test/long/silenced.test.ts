/** A whole Firn on the demo network, and one connection that asks for a thousand large pages. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  freshFolder,
  startFirn,
  untilLive,
  type RunningFirn,
} from '../support/processes/firn-process.ts'
import { openRaw } from '../support/services/raw-http.ts'

const large = '/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=100'
const requests = 1_000

async function metric(firn: RunningFirn, line: RegExp): Promise<number> {
  const text = await (await fetch(`${firn.nodeUrl}/ext/metrics`)).text()
  return Number(line.exec(text)?.[1] ?? 0)
}

const resident = /^firn_process_resident_bytes (\S+)$/m

void test('one connection: a thousand large pages at once silence nothing and take no memory', async (t) => {
  const firn = await startFirn(t, ['--data-dir', await freshFolder(t)])
  await untilLive(firn, ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji'])
  assert.equal((await fetch(`${firn.apiUrl}${large}`)).status, 200)
  const before = await metric(firn, resident)
  const flood = await openRaw(t, Number(new URL(firn.apiUrl).port))
  let answered = 0
  const reading = (async (): Promise<void> => {
    for (; ; answered++) assert.equal((await flood.reply()).status, 200)
  })()
  reading.catch(() => undefined)
  flood.socket.write(`GET ${large} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(requests))

  // By order and not by time: machines that test are busy.
  for (let round = 0; round < 2; round++) {
    for (const url of [
      `${firn.apiUrl}/v1/health-check`,
      `${firn.apiUrl}/v1/live-check`,
      `${firn.apiUrl}/status`,
      `${firn.nodeUrl}/ext/health`,
      `${firn.nodeUrl}/ext/health/liveness`,
    ]) {
      const reply = await fetch(url)
      assert.equal(reply.status, 200, url)
      await reply.arrayBuffer()
    }
  }
  assert.ok(answered < requests / 2, `${answered} pages were answered before`)
  // Of a thousand answers at once the process would hold gigabytes.
  const grown = (await metric(firn, resident)) - before
  assert.ok(grown < 200_000_000, `${grown} bytes more`)
  flood.socket.destroy()
  await assert.rejects(reading, /connection ended/)
  assert.equal(await firn.end(), 0)
})

void test('overload while it indexes: every chain gets live, the other address gets all', async (t) => {
  const firn = await startFirn(t, ['--data-dir', await freshFolder(t)])
  const port = Number(new URL(firn.apiUrl).port)
  const flood = await Promise.all(Array.from({ length: 24 }, () => openRaw(t, port)))
  const counts = new Map<number, number>()
  let isOver = false
  const flooding = flood.map(async ({ socket, reply }) => {
    while (!isOver) {
      socket.write(`GET ${large} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      const { status } = await reply()
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  })
  // Asks `/status` all the time, from the address of the flood.
  await untilLive(firn, ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji'])
  const other = await openRaw(t, port, '127.0.0.2')
  for (let at = 0; at < 10; at++) {
    other.socket.write(`GET ${large} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    assert.equal((await other.reply()).status, 200)
  }
  isOver = true
  await Promise.all(flooding)
  assert.ok((counts.get(200) ?? 0) > 0)
  assert.ok((counts.get(503) ?? 0) > 0, JSON.stringify([...counts]))
  assert.equal(await firn.end(), 0)
})

/** An indexer of the field, ponder, fills its tables from Firn as it does from the node. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { atEnd, freePort, freshFolder, until } from '../support/processes/firn-process.ts'
import { chainOfTransfers } from './transfers.ts'

/** A project of it: the transfers of one token, with what it reads of their blocks and transactions. */
const project = {
  'package.json': '{ "name": "transfers", "private": true, "type": "module" }',
  'ponder.config.ts': `import { createConfig } from 'ponder'
const input = (name, type, indexed) => ({ name, type, indexed })
const inputs = [input('from', 'address', true), input('to', 'address', true), input('amount', 'uint256', false)]
export default createConfig({
  chains: { chain: { id: 31337, rpc: process.env.RPC_URL, disableCache: true } },
  contracts: {
    Token: { chain: 'chain', abi: [{ type: 'event', name: 'Transfer', inputs }], address: process.env.TOKEN, startBlock: 0 },
  },
})`,
  'ponder.schema.ts': `import { onchainTable } from 'ponder'
export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(), from: t.hex(), to: t.hex(), amount: t.bigint(), block: t.bigint(), blockHash: t.hex(),
  timestamp: t.bigint(), hash: t.hex(), gas: t.bigint(), input: t.hex(),
}))`,
  'src/index.ts': `import { ponder } from 'ponder:registry'
import { transfer } from 'ponder:schema'
ponder.on('Token:Transfer', async ({ event: { id, args, block, transaction }, context }) => {
  await context.db.insert(transfer).values({
    id, ...args, block: block.number, blockHash: block.hash, timestamp: block.timestamp,
    hash: transaction.hash, gas: transaction.gas, input: transaction.input,
  })
})`,
  'src/api/index.ts': `import { Hono } from 'hono'
import { db } from 'ponder:api'
import { transfer } from '../../ponder.schema'
const text = (rows) => JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
export default new Hono().get('/rows', async (c) => c.text(text(await db.select().from(transfer).orderBy(transfer.id))))`,
}

void test('ponder: its tables have equal rows from a node and from Firn, those of the past and new ones', async (t) => {
  const { anvil, firn, address } = await chainOfTransfers(t, await freshFolder(t))
  // It takes what is thirty blocks old as final, and follows the rest.
  const rowsFrom = async (rpcUrl: string): Promise<string> => {
    const folder = await freshFolder(t)
    for (const [name, text] of Object.entries(project)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
    const port = await freePort()
    const program = join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js')
    const words = ['start', '--schema', 'rows', '--hostname', '127.0.0.1', '--port', String(port)]
    const env = { ...process.env, PONDER_TELEMETRY_DISABLED: '1', RPC_URL: rpcUrl, TOKEN: address }
    const child = spawn(process.execPath, [program, ...words], {
      cwd: folder,
      env,
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    atEnd(t, async () => {
      child.kill('SIGKILL')
      await ended
    })
    let rows = ''
    await until('forty rows', async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/rows`).catch(() => undefined)
      rows = reply?.ok === true ? await reply.text() : ''
      return rows !== '' && JSON.parse(rows).length === 40
    })
    return rows
  }
  const [theirs, own] = await Promise.all(
    [anvil.url, `${firn.apiUrl}/v1/chains/31337/rpc`].map(rowsFrom),
  )
  assert.equal(own, theirs)
})

/** `npm start`: a shell and npm stand between the person and the process. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { follow, freshFolder, type RunningFirn, until } from '../support/processes/firn-process.ts'

void test('npm start: flags after -- reach the product, and it ends with npm', async (t) => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  // A terminal sends Ctrl-C to all; `kill` and `timeout` send to npm alone.
  for (const [signal, target] of [
    ['SIGINT', -1],
    ['SIGTERM', 1],
  ] as const) {
    const folder = await freshFolder(t)
    const args = ['start', '--', '--port', '0', '--node-port', '0', '--data-dir', folder]
    const child = spawn('npm', args, { cwd: root, detached: true })
    const firn = await follow(t, child)
    assert.notEqual(firn.apiUrl, 'http://127.0.0.1:8080')
    assert.match(firn.errors(), new RegExp(`data +${folder}`))
    assert.equal((await fetch(`${firn.nodeUrl}/ext/health/liveness`)).status, 200)
    process.kill((child.pid ?? 0) * target, signal)
    await until(`closed stores after ${signal}`, async () => {
      const files = await readdir(folder)
      return !files.some((name) => /-(wal|shm)$/.test(name)) && !(await isServed(firn))
    })
  }
})

async function isServed(firn: RunningFirn): Promise<boolean> {
  try {
    await fetch(`${firn.nodeUrl}/ext/health/liveness`)
    return true
  } catch {
    return false
  }
}

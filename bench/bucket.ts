/**
 * A chain whose history lies in a bucket: a process fills it, then two that serve begin with empty disks. The server of
 * the bucket waits before each answer.
 *
 *     node bench/bucket.ts [transfers] [delays in milliseconds, by commas]
 *
 * Everything is on this machine; the bucket is in the memory of this process.
 */

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { startStorage } from '../test/support/stores/object-storage.ts'

const transfersPerBlock = 200
const blocks = Math.ceil(Number(process.argv[2] ?? 1_000_000) / transfersPerBlock)
const delays = (process.argv[3] ?? '2,20,200').split(',').map(Number)

const run = promisify(execFile)
for (const delayMs of delays) {
  const storage = await startStorage()
  const folder = mkdtempSync(join(tmpdir(), 'firn-bucket-'))
  try {
    storage.delayMs = delayMs
    const { url } = storage.address
    const filled = await figuresOf('growth-once.ts', 'at-once', blocks, 'plain', 'off', folder, url)
    const kept = [...storage.files.values()].map(({ bytes }) => bytes.length)
    const bytes = kept.reduce((sum, each) => sum + each, 0)
    const sent = storage.requests.length
    console.log(`\n${delayMs} ms for each request to the bucket`)
    show(filled)
    show({ 'files in the bucket': kept.length, 'MB in the bucket': bytes / 1e6 })
    show({ 'requests of the process that fills it': sent })
    const readers = await Promise.all(
      [1, 2].map((at) => figuresOf('bucket-reads.ts', folder, url, join(folder, `cache-${at}`))),
    )
    const [first = {}, second = {}] = readers
    for (const [name, value] of Object.entries(first))
      console.log(`${name.padEnd(56)} ${shown(value)} ${shown(second[name] ?? 0)}`)
  } finally {
    storage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function figuresOf(
  script: string,
  ...words: readonly (string | number)[]
): Promise<Readonly<Record<string, number>>> {
  const args = [join(import.meta.dirname, script), ...words.map(String)]
  const { stdout } = await run(process.execPath, args)
  return JSON.parse(stdout)
}

function show(figures: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(56)} ${shown(value)}`)
}

function shown(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0).padStart(10)
}

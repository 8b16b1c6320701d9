/**
 * Two versions on one PostgreSQL server, as an upgrade without interruption has them: the package of a release serves
 * and is restarted, while this version brings the stores to its layout, indexes and serves. Both answer all that the
 * guides print, for as many seconds as `TEST_TWO_VERSIONS_SECONDS` says; thirty without it.
 *
 * Needs npm's registry and PostgreSQL's programs.
 */

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { itemAt } from '../../src/core/item-at.ts'
import {
  entry,
  follow,
  freshFolder,
  type RunningFirn,
  until,
  untilDemoServed,
} from '../support/processes/firn-process.ts'
import { shortenedAnswer } from '../support/services/shortened-answer.ts'
import { keptReleases, printedRequests } from '../support/stores/kept-stores.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const seconds = Number(process.env['TEST_TWO_VERSIONS_SECONDS'] ?? 30)
const restartEveryMs = 60_000
const callers = 4
/** All but what a process says of itself. */
const requests = printedRequests().filter(({ path }) => path !== '/status')
/**
 * Answered from kept logs, which freeze from layout 7 on: an older version refuses rather than leaves those in files
 * out.
 */
const ofLogs: ReadonlySet<string> = new Set(['listLogs', 'listContractEvents'])
const demo = fileURLToPath(new URL('../../demo', import.meta.url))

for (const released of readdirSync(keptReleases))
  void test(`two versions: ${released} serves beside this one for ${seconds} s`, async (t) => {
    const folder = await freshFolder(t)
    const kept = installed(folder, join(keptReleases, released, 'package.tgz'))
    const store = await newDatabase()
    let count = 0
    const begin = (program: string, role: string, heldBlocks: number): Promise<RunningFirn> => {
      const words = ['start', '--role', role, '--port', '0', '--node-port', '0']
      const env = {
        ...process.env,
        FIRN_DATA_DIR: join(folder, `data-${count++}`),
        FIRN_STORE: store,
        FIRN_INDEX_STORE: join(folder, 'history'),
        FIRN_INDEX_FREEZE_ROWS: '100',
        FIRN_POSTGRES_CONNECTIONS: '12',
        FIRN_RECORDINGS_HELD_BLOCKS: String(heldBlocks),
      }
      return follow(t, spawn(process.execPath, [program, ...words], { env }))
    }

    const filling = await begin(kept, 'all', 120)
    await untilAnswers(filling)
    let older = await begin(kept, 'serve', 0)
    await untilAnswers(older)
    assert.equal(await filling.end(), 0)
    // A block a second is new for the first part of the time.
    const newer = await begin(entry, 'all', Math.min(110, Math.ceil(seconds / 3)))
    await untilAnswers(newer)

    const beganMs = performance.now()
    const passedMs = (): number => performance.now() - beganMs
    let restarted = 0
    let requestCount = 0
    const caller = async (from: number): Promise<void> => {
      for (let at = from; passedMs() < (restarted + 0.5) * restartEveryMs; at += callers) {
        const { id, path } = itemAt(requests, at % requests.length)
        for (const firn of [older, newer]) {
          const reply = await fetch(firn.apiUrl + path)
          await reply.text()
          const isRefused = firn === older && ofLogs.has(id) && reply.status === 503
          // What stands in blocks to come is not found.
          assert.ok(
            isRefused || reply.status === 200 || reply.status === 404,
            `${path}: ${reply.status}`,
          )
          requestCount++
        }
      }
    }
    for (; passedMs() < seconds * 1_000; restarted++) {
      await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
      assert.equal(await older.end(), 0)
      older = await begin(kept, 'serve', 0)
      await untilAnswers(older, ofLogs)
    }
    t.diagnostic(`${requestCount} requests, the older version restarted ${restarted} times`)
    assert.ok(requestCount > 2 * requests.length)

    await untilDemoServed(newer)
    const known = await operationsOf(older)
    for (const { id, path, answer } of requests) {
      const now = await newer.get(path)
      assert.equal(shortenedAnswer(now), answer, path)
      // A later version has more operations.
      if (!known.has(id)) continue
      if (ofLogs.has(id)) {
        assert.equal((await fetch(older.apiUrl + path)).status, 503, path)
        continue
      }
      const before = await older.get(path)
      // A later version may say more.
      const parsed = (one: unknown): unknown => JSON.parse(shortenedAnswer(one))
      assert.partialDeepStrictEqual(parsed(now), parsed(before), path)
    }
    assert.equal(await older.end(), 0)
    assert.equal(await newer.end(), 0)
  })

/** The program of a package that npm installs into `folder`; it serves the demo of now. */
function installed(folder: string, file: string): string {
  const user = join(folder, 'user')
  mkdirSync(user)
  const words = ['install', '--prefix', user, file, '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', words, { stdio: 'pipe' })
  const root = join(user, 'node_modules/firn-data')
  cpSync(demo, join(root, 'demo'), { recursive: true })
  return join(root, 'bin/firn.js')
}

/** Ids of the operations that a process offers. */
async function operationsOf({ get }: RunningFirn): Promise<ReadonlySet<string>> {
  const { paths } = await get('/openapi.json')
  const ids = JSON.stringify(paths).matchAll(/"operationId":"(\w+)"/g)
  return new Set([...ids].map(([, id = '']) => id))
}

/**
 * Waits until no store is still to be opened, but for operations `without`: a moment after a writer has brought it to its
 * layout, for who serves.
 */
async function untilAnswers(
  { apiUrl }: RunningFirn,
  without: ReadonlySet<string> = new Set(),
): Promise<void> {
  let refused: string[] = []
  const look = async (): Promise<boolean> => {
    refused = []
    for (const { id, path } of requests) {
      if (without.has(id)) continue
      const reply = await fetch(apiUrl + path)
      const body = await reply.text()
      if (reply.status !== 200 && reply.status !== 404) refused.push(`${path}: ${body}`)
    }
    return refused.length === 0
  }
  await until('answers', look).catch((error: unknown) => {
    throw new Error(refused.join('\n'), { cause: error })
  })
}

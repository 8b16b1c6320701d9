/** The stores made from recorded blocks against the recorded nodes' own answers. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { openNetwork } from '../../../src/api/primary/open-network.ts'
import { recordingNode } from '../../../src/cli/verify/recording-node.ts'
import { verifyPrimary, type Verified } from '../../../src/cli/verify/verify-primary.ts'
import { decodePBlock } from '../../../src/codec/primary/p-block.ts'
import {
  openRecordedPrimary,
  type RecordedAnswer,
} from '../../../src/source/primary/recorded-source.ts'
import {
  indexPrimary,
  proposalsPath,
  recordedAnswers,
  recordedMoment,
  recordingPath,
} from '../../primary-service.ts'
import { recordedNode } from '../../recorded-node.ts'

const never = new AbortController().signal

function questionOf({ method, parameters }: RecordedAnswer): string {
  return `${method} ${JSON.stringify(parameters)}`
}

/** Indexes the recording at `path` and compares all of it with its node. */
async function verified(
  path: string,
  sample: number,
): Promise<Verified & { readonly asked: ReadonlySet<string> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-verify-'))
  const store = await indexPrimary({ store: 'embedded', dataDir }, { recording: path })
  try {
    const network = await openNetwork('fuji', store)
    assert.ok(network !== undefined)
    const answers = recordedAnswers(path)
    const moment = recordedMoment(answers) * 1_000
    const asked = new Set<string>()
    const node = recordingNode(recordedNode(answers), (answer) => asked.add(questionOf(answer)))
    const compared = await verifyPrimary({
      network,
      node,
      clock: { now: () => moment, monotonic: () => 0, sleep: () => Promise.resolve() },
      signal: AbortSignal.timeout(60_000),
      sample,
    })
    return { ...compared, asked }
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

void test('primary store: says of every state what the recorded AvalancheGo 1.14.2 said', async () => {
  const { heights, report, asked } = await verified(recordingPath, 64)
  assert.deepEqual(report.differences(), [])
  assert.deepEqual([...report.skipped()], [], 'no check was left out')
  assert.ok(heights.P > 100 && heights.X > 100 && heights.C > 100)
  const counts = report.counts()
  for (const check of ['P UTXOs', 'X UTXOs', 'validator sets', 'P stakes', 'reward UTXOs'])
    assert.ok((counts.get(check) ?? 0) > 4, `${check} was compared: ${counts.get(check)}`)
  // 64 heights of four subnets, and what the L1 had before and after each of its changes.
  const sets = recordedAnswers().filter(({ method }) => method === 'platform.getValidatorsAt')
  assert.equal(sets.length, 262)
  for (const set of sets) assert.ok(asked.has(questionOf(set)), questionOf(set))
})

void test('primary store: L1 changes decided in a proposal count from its option, as the node says', async () => {
  const { report } = await verified(proposalsPath, 200)
  assert.deepEqual(report.differences(), [])
  assert.deepEqual([...report.skipped()], [], 'no check was left out')
  assert.ok((report.counts().get('validator sets') ?? 0) > 3_000)
})

void test('recorded node: shows what a proposal decides with its option, one height later', async () => {
  const source = openRecordedPrimary(readFileSync(proposalsPath))
  const sets = new Map<number, Map<string, unknown>>()
  for (const { method, parameters, reply } of source.answers()) {
    if (method !== 'platform.getValidatorsAt') continue
    const { subnetID, height } = parameters as { subnetID: string; height: number }
    sets.set(height, (sets.get(height) ?? new Map<string, unknown>()).set(subnetID, reply))
  }
  const until = (await source.headHeight('P', never)) + 1
  const blocks = await source.blocks('P', { from: 1, until }, never)
  const byHeight = new Map(blocks.map(({ height, bytes }) => [height, decodePBlock(bytes)]))
  const options: (number | undefined)[] = []
  for (const [height, block] of byHeight) {
    if (block.typeId !== 29 || block.transactions.length === 0) continue
    assert.deepEqual(sets.get(height), sets.get(height - 1), `proposal ${height}`)
    assert.notDeepEqual(sets.get(height + 1), sets.get(height), `option ${height + 1}`)
    options.push(byHeight.get(height + 1)?.typeId)
  }
  // A conversion, two registrations, weights, a balance, a deactivation, a removal.
  assert.deepEqual(options, [31, 31, 31, 31, 31, 31, 31, 31, 30])
})

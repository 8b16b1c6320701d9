/**
 * The examples of the guides, pasted against the demo: every operation has one, every one has
 * something to show, and each answer is the one that is printed.
 */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import {
  type PrintedExample,
  printedExamples,
} from '../../src/api/server/openapi/printed-examples.ts'
import type { Contract } from '../../src/shape/operations/contract.ts'
import { operations } from '../../src/shape/operations/operations.ts'
import {
  demoFolder,
  entry,
  run,
  type RunningFirn,
  startDemo,
  untilDemoServed,
} from '../support/processes/firn-process.ts'
import { hiddenInUsage, shortenedAnswer } from '../support/services/shortened-answer.ts'

const folder = new URL('../../docs/examples/', import.meta.url)
type Example = PrintedExample & { readonly page: string }

const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .toSorted()
  .flatMap((page) =>
    printedExamples(readFileSync(new URL(page, folder), 'utf8')).map((one) => ({ page, ...one })),
  )
  // Last: once there are keys, who keeps something here needs one.
  .toSorted((a, b) => Number(a.withKey) - Number(b.withKey))

void test('examples: every operation has one, of its own method and path', () => {
  const shapes = new Map(Object.values<Contract>(operations).map((shape) => [shape.id, shape]))
  assert.deepEqual(examples.map(({ id }) => id).toSorted(), [...shapes.keys()].toSorted())
  for (const { id, method, path } of examples) {
    const shape = shapes.get(id)
    assert.ok(shape !== undefined, id)
    assert.equal(method, shape.method, id)
    const form = shape.path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')
    assert.match(path.replace(/\?.*/, ''), new RegExp(`^${form}$`), id)
  }
})

void test('examples: each answers on the demo as it is printed, and has something to show', async (t) => {
  const dataDir = await demoFolder(t)
  const firn = await startDemo(t, dataDir)
  await untilDemoServed(firn)
  const variables = new Map<string, string>()
  const wrong: string[] = []
  for (const example of examples) {
    const { id, page, answer, keeps } = example
    if (example.withKey && !variables.has('KEY')) variables.set('KEY', await madeKey(firn, dataDir))
    // Metadata of NFTs that could not be fetched is fetched again from time to time.
    if (id === 'getStatus') await untilDemoServed(firn)
    const { status, text } = await answerOf(firn, example, variables)
    if (status >= 300 && (status !== 503 || example.refusal === '')) {
      wrong.push(`${page} ${id}: ${status} ${text}`)
      continue
    }
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    if (keeps !== undefined) {
      const [, kept = ''] = new RegExp(`.*"${keeps.field}":"([^"]+)"`).exec(text) ?? []
      variables.set(keeps.variable, kept)
    }
    const shown =
      body === undefined ? '' : shortenedAnswer(body, example.withKey ? hiddenInUsage : [])
    if (shown !== answer + example.refusal)
      wrong.push(`${page} ${id}: answers ${shown}\nis printed ${answer}`)
    // A webhook to which nothing was sent has nothing that failed.
    if (id !== 'listDeadLetters' && body !== undefined && isEmpty(body))
      wrong.push(`${page} ${id}: nothing to show`)
  }
  assert.deepEqual(wrong, [])
})

/** A key, as the guide makes it, that was used once. */
async function madeKey(firn: RunningFirn, dataDir: string): Promise<string> {
  const made = await run(process.execPath, [
    entry,
    'keys',
    'create',
    'trial',
    '--data-dir',
    dataDir,
  ])
  const key = made.stdout.trim()
  const reply = await fetch(`${firn.apiUrl}/v1/chains`, { headers: { 'x-service-api-key': key } })
  assert.equal(reply.status, 200, await reply.text())
  return key
}

async function answerOf(
  firn: RunningFirn,
  { method, path, body, withKey }: Example,
  variables: ReadonlyMap<string, string>,
): Promise<{ readonly status: number; readonly text: string }> {
  const url =
    firn.apiUrl +
    path.replace(/\$(\w+)/, (_, name: string) => {
      const value = variables.get(name)
      assert.ok(value !== undefined, `${path}: nothing was put into ${name}`)
      return value
    })
  const key = variables.get('KEY')
  const reply = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(withKey && key !== undefined ? { 'x-service-api-key': key } : {}),
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: reply.status, text: await reply.text() }
}

/** Returns whether an answer is nothing, or lists without items. */
function isEmpty(answer: unknown): boolean {
  if (Array.isArray(answer)) return answer.length === 0
  if (typeof answer !== 'object' || answer === null) return answer === ''
  const lists = Object.values(answer).filter((value) => Array.isArray(value))
  const isOnlyLists = Object.entries(answer).every(
    ([name, value]) => Array.isArray(value) || name === 'nextPageToken' || name === 'chainInfo',
  )
  return isOnlyLists && lists.every((list) => list.length === 0)
}

void test('guides and README: every request that can be pasted against the demo is answered', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const guide = new URL('../../docs/guide/', import.meta.url)
  const pages = readdirSync(guide).map((name) => new URL(name, guide))
  pages.push(new URL('../../README.md', import.meta.url))
  let requests = 0
  for (const page of pages) {
    for (const [line] of readFileSync(page, 'utf8').matchAll(/^ *curl .*$/gm)) {
      const [, path = ''] = /http:\/\/127\.0\.0\.1:8080(\/[^"'\s]*)/.exec(line) ?? []
      assert.doesNotMatch(path, /[<>…]/, `${page.pathname}: ${line}`)
      // What is sent, streams that never end, and the answers of other ports have tests of their own.
      if (path === '' || / -(d|X|N) /.test(line)) continue
      const reply = await fetch(firn.apiUrl + path)
      const text = await reply.text()
      assert.equal(reply.status, 200, `${page.pathname}: ${line}: ${text}`)
      requests++
    }
  }
  assert.ok(requests >= 10, `${requests} requests`)
})

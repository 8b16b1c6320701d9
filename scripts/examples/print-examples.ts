/**
 * Prints `docs/examples` from the demo: for every operation a request that can be pasted while
 * `npm start` runs, and its answer, shortened.
 *
 *     node scripts/examples/print-examples.ts
 *
 * Run it after the demo was recorded again or the form of an answer changed; `test/docs/examples.test.ts`
 * compares the pages with answers.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Contract } from '../../src/shape/operations/contract.ts'
import { operations } from '../../src/shape/operations/operations.ts'
import {
  entry,
  run,
  startDemo,
  untilDemoServed,
} from '../../test/support/processes/firn-process.ts'
import { hiddenInUsage, shortenedAnswer } from '../../test/support/services/shortened-answer.ts'
import { chainsPage, metricsPage, nftPage, tokensPage } from './evm-pages.ts'
import type { Demo, Example, ExamplePage } from './example.ts'
import {
  exportsPage,
  l1Page,
  ledgersPage,
  messagesPage,
  servicePage,
  stakingPage,
  usagePage,
  webhooksPage,
} from './network-pages.ts'

const pages: readonly ExamplePage[] = [
  chainsPage,
  tokensPage,
  nftPage,
  metricsPage,
  ledgersPage,
  stakingPage,
  l1Page,
  messagesPage,
  webhooksPage,
  exportsPage,
  servicePage,
  // Last: once there are keys, who keeps something here needs one.
  usagePage,
]

/** Where `npm start` serves the demo. */
const pasted = 'http://127.0.0.1:8080'
const shapes = new Map(Object.values<Contract>(operations).map((shape) => [shape.id, shape]))
const cast = JSON.parse(
  readFileSync(new URL('../../demo/cast.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>

const dataDir = await mkdtemp(join(tmpdir(), 'firn-examples-'))
const firn = await startDemo({ after: () => undefined }, dataDir)
/** Variables of the shell: a key, and what answers put there. */
const variables = new Map<string, string>()
try {
  await untilDemoServed(firn)
  const demo: Demo = {
    of: (name) => {
      const id = cast[name]
      if (id === undefined) throw new Error(`nobody of this name is in the demo: ${name}`)
      return id
    },
    told: async (path, field) => {
      let value: unknown = await firn.get(path)
      for (const step of field.split('.')) value = (value as Record<string, unknown>)[step]
      return String(value)
    },
  }
  const folder = new URL('../../docs/examples/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  for (const page of pages)
    writeFileSync(new URL(`${page.name}.md`, folder), await textOf(page, demo))
} finally {
  await firn.end()
  rmSync(dataDir, { recursive: true, force: true })
}

async function textOf(page: ExamplePage, demo: Demo): Promise<string> {
  const parts = [`# ${page.title}\n\n${page.introduction}\n`]
  for (const example of page.examples) {
    try {
      parts.push(await partOf(example, demo))
    } catch (error) {
      process.exitCode = 1
      console.error(`${page.name} ${example.id}: ${String(error)}`)
    }
  }
  return parts.join('\n')
}

async function partOf(example: Example, demo: Demo): Promise<string> {
  const shape = shapes.get(example.id)
  if (shape === undefined) throw new Error(`no such operation: ${example.id}`)
  const path = typeof example.path === 'string' ? example.path : await example.path(demo)
  const body = typeof example.body === 'function' ? await example.body(demo) : example.body
  const answer = await answered(shape, example, { path, body })
  const about = example.about === undefined ? `${shape.summary}.` : example.about
  const url = pasted + path
  const { keeps, withKey = false } = example
  const options = `${withKey ? '-H "x-service-api-key: $KEY" ' : ''}${optionsOf(shape, body)}`
  const ask = [`curl ${options}${quoted(url)}`]
  if (keeps !== undefined)
    ask.push(
      `${keeps.variable}=$(curl -s ${options}${quoted(url)} |\n  sed -E 's/.*"${keeps.field}":"([^"]+)".*/\\1/')`,
    )
  const told = answer === '' ? '' : `\n\`\`\`json\n${answer}\n\`\`\`\n`
  return `## ${shape.id}\n\n${about}\n\n\`\`\`sh\n${ask.join('\n')}\n\`\`\`\n${told}`
}

function optionsOf({ method }: Contract, body: object | undefined): string {
  const options =
    method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  if (body === undefined) return options
  return `${options}-H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}' \\\n  `
}

/** Double quotes let the shell put a variable in. */
function quoted(url: string): string {
  return url.includes('$') ? `"${url}"` : `'${url}'`
}

async function answered(
  { method }: Contract,
  { withKey, keeps, needsNode }: Example,
  { path, body }: { readonly path: string; readonly body: object | undefined },
): Promise<string> {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (withKey === true) headers['x-service-api-key'] = await key()
  const url = firn.apiUrl + path.replace(/\$(\w+)/, (_, name: string) => variables.get(name) ?? '')
  const reply = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (!reply.ok && !(needsNode === true && reply.status === 503))
    throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  if (text === '') return ''
  const [, kept] =
    keeps === undefined ? [] : (new RegExp(`.*"${keeps.field}":"([^"]+)"`).exec(text) ?? [])
  if (keeps !== undefined && kept !== undefined) variables.set(keeps.variable, kept)
  return shortenedAnswer(JSON.parse(text), withKey === true ? hiddenInUsage : [])
}

/** An API key with which something was asked. */
async function key(): Promise<string> {
  const kept = variables.get('KEY')
  if (kept !== undefined) return kept
  const made = await run(process.execPath, [
    entry,
    'keys',
    'create',
    'trial',
    '--data-dir',
    dataDir,
  ])
  const text = made.stdout.trim()
  variables.set('KEY', text)
  await fetch(`${firn.apiUrl}/v1/chains`, { headers: { 'x-service-api-key': text } })
  return text
}

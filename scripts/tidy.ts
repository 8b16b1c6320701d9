/**
 * Checks what the linter cannot: which layer may import which, dead files, variables of modules,
 * optional members by spreads, unread vectors, gauges that nothing uses, look-ups by a caller's text in plain objects,
 * declarations that nothing uses, members that nothing reads, modules imported twice, names in comments
 * and guides that do not exist, and doc comments that begin with a question word.
 *
 * Run by `npm run check`. Prints every violation and ends with 1 when there is one.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import { gaugeTable } from '../src/telemetry/gauges.ts'
import {
  deadNames,
  doubledImports,
  goneNames,
  questionComments,
  unreadMembers,
} from './dead-names.ts'
import { lookUpProblems } from './look-ups.ts'
import { moduleMapProblems } from './module-maps.ts'

/**
 * The tables of ARCHITECTURE.md: what each folder of `src/`, and each part of two folders of `src/indexing/`, may import
 * besides itself.
 */
const [layers, primaryParts, evmParts] = readFileSync('ARCHITECTURE.md', 'utf8')
  .split('\n\n')
  .filter((table) => table.includes('may import'))
  .map(mayImport)
const parts: Readonly<Record<string, typeof layers>> = { primary: primaryParts, evm: evmParts }

function mayImport(table: string): ReadonlyMap<string, readonly string[]> {
  const rows = new Map<string, readonly string[]>()
  for (const [, name = '', words = ''] of table.matchAll(/^\| `(\w+)` +\|[^|]*\| (.*?) *\|$/gm)) {
    const above = [...rows.keys()].filter((one) => one !== 'world')
    rows.set(name, words === 'all above but world' ? above : words.split(' '))
  }
  return rows
}

/** Packages with one owner folder; every other folder goes through it. */
const owners: Readonly<Record<string, readonly string[]>> = {
  typebox: ['shape', 'api'],
  fastify: ['api', 'service'],
  pino: ['telemetry'],
  'pprof-format': ['telemetry'],
  'prom-client': ['telemetry'],
  pg: ['store'],
  'node:sqlite': ['store'],
  undici: ['world'],
  commander: ['cli'],
  '@chainsafe/blst': ['warp'],
}

const problems: string[] = []
const sources = filesUnder('src').filter((file) => file.endsWith('.ts'))
/** By files of the product: what tests alone read belongs to them. */
const imported = new Set<string>()

for (const file of [
  ...sources,
  ...filesUnder('test'),
  ...filesUnder('bench'),
  ...filesUnder('scripts'),
]) {
  if (!file.endsWith('.ts')) continue
  const text = readFileSync(file, 'utf8')
  for (const [, target = ''] of text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g))
    checkImport(file, target)
  if (/^import (?!type )[^']* from 'typebox'/m.test(text) && isProductFile(file))
    problems.push(`${file}: builders of shapes come from src/shape/type.ts`)
  if (
    /^import (?!type )[^']* from '[^']*shape\/operations\//m.test(text) &&
    layerOf(file) === 'explorer'
  )
    problems.push(`${file}: of the table of operations a browser takes types alone`)
  if (/^import (?!type )[^']* from 'node:http'/m.test(text) && isProductFile(file))
    problems.push(`${file}: servers come from src/http/create-http-server.ts`)
  if (/^export (\*|\{[^}]*\}) from/m.test(text))
    problems.push(`${file}: exports what another file has`)
}

// What a thread keeps lies in an object that somebody owns.
const owned = new Map<string, string>()
for (const file of sources) {
  const isEntry =
    file.endsWith('.test.ts') ||
    file === 'src/cli/main.ts' ||
    file.endsWith('-worker.ts') ||
    file.startsWith('src/explorer/')
  const text = readFileSync(file, 'utf8')
  if (!isEntry) owned.set(file, text)
  if (!isEntry && /^(export )?let /m.test(text)) problems.push(`${file}: a variable of the module`)
  if (!isEntry && !imported.has(file)) problems.push(`${file}: the product does not import it`)
  const [spread] = /\.\.\.\((\w+) === undefined\s*\? \{\}\s*: \{ \1 \}\)/.exec(text) ?? []
  if (spread !== undefined && !file.endsWith('.test.ts'))
    problems.push(`${file}: an optional member is \`T | undefined\`: ${spread}`)
  const [bag] = /\btype \w*Parts\b|\{ \.\.\.parts\b|Pick<\w+(Options|Context),/.exec(text) ?? []
  if (bag !== undefined && !file.endsWith('.test.ts'))
    problems.push(`${file}: a function names what it needs: ${bag}`)
  if (/(^|\/)(utils?|helpers?|common|misc|types|index)\.ts$/.test(file))
    problems.push(`${file}: no such names`)
  // `src/layer/folder/file.ts`; the rooms of `src/indexing` are deeper.
  const deepest = file.startsWith('src/indexing/') ? 6 : 5
  if (file.split('/').length > deepest) problems.push(`${file}: too many folders below src`)
}

problems.push(...moduleMapProblems(owned))

const readers = [...sources, ...filesUnder('test'), ...filesUnder('bench')]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
// Stores of releases are read whole.
for (const file of filesUnder('vectors').filter((each) => !each.startsWith('vectors/stores/'))) {
  const name = file.split('/').pop() ?? ''
  // By name, by name without ending, or by what comes before a number in it.
  const isRead = [name, name.replace(/\..*$/, ''), name.replace(/\d+.*$/, '')].some((part) =>
    readers.includes(part),
  )
  if (!isRead && !name.endsWith('.md')) problems.push(`${file}: no test reads it`)
}

const product = sources
  .filter((file) => !/\.test\.ts$|\/gauges\.ts$/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
for (const name of Object.keys(gaugeTable))
  if (!product.includes(`'${name}'`)) problems.push(`${name}: nothing writes this gauge`)

problems.push(...lookUpProblems())

const texts = new Map(
  ['src', 'test', 'bench', 'scripts', 'soak']
    .flatMap(filesUnder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(file, 'utf8')]),
)
problems.push(
  ...deadNames(texts),
  ...doubledImports(texts),
  ...goneNames(texts),
  ...unreadMembers(texts),
  ...questionComments(texts),
)

// Guides for those who change the code name folders and files.
for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md']) {
  const named = readFileSync(page, 'utf8').matchAll(
    /`((?:src|test|scripts|docs|vectors|bench)\/[^`*]+)`/g,
  )
  for (const [, path = ''] of named)
    if (!existsSync(path)) problems.push(`${page}: ${path} does not exist`)
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)

function checkImport(file: string, target: string): void {
  const from = layerOf(file)
  if (!target.startsWith('.')) {
    const owner = Object.entries(owners).find(
      ([name]) => target === name || target.startsWith(`${name}/`),
    )
    const isProduct = from !== undefined && !file.endsWith('.test.ts')
    if (owner !== undefined && isProduct && from !== 'cli' && !owner[1].includes(from)) {
      problems.push(`${file}: ${target} belongs to ${owner[1].join(', ')}`)
    }
    return
  }
  const path = relative('.', join(dirname(file), target))
  if (from !== undefined && !file.endsWith('.test.ts')) imported.add(path)
  checkParts(file, path)
  const to = layerOf(path)
  if (from === undefined || to === undefined || from === to || from === 'cli') return
  if (file.endsWith('.test.ts')) return
  if (layers?.get(from)?.includes(to) !== true)
    problems.push(`${file}: ${from} may not import ${to}`)
}

/** The three chains of `primary/replay/` know nothing of each other either. */
function checkParts(file: string, path: string): void {
  const [folder = '', from, ofChain] = partOf(file)
  const [otherFolder, to, ofOther] = partOf(path)
  if (folder !== otherFolder || from === undefined || to === undefined) return
  if (file.endsWith('.test.ts')) return
  if (from !== to && parts[folder]?.get(from)?.includes(to) !== true)
    problems.push(`${file}: ${from} may not import ${to}`)
  if (ofChain !== undefined && ofOther !== undefined && ofChain !== ofOther)
    problems.push(`${file}: ${ofChain} may not import ${ofOther}`)
}

/** Folder of indexing that a file is in, its part there, and the folder of a chain inside the part. */
function partOf(file: string): (string | undefined)[] {
  const path = /^src\/indexing\/(primary|evm)\/(\w+)\/(?:(\w)\/)?/.exec(file) ?? []
  return path.slice(1)
}

function isProductFile(file: string): boolean {
  return layerOf(file) !== undefined && !file.endsWith('.test.ts')
}

function layerOf(file: string): string | undefined {
  const [root, layer] = file.split('/')
  return root === 'src' ? layer : undefined
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

/**
 * Reads the explorer's files, makes scripts of its TypeScript, compresses them, all in memory.
 *
 * There is no build: types are blanked out, modules joined and libraries called by their served
 * names when the explorer is first asked for. The sources are read from `src/explorer/browser`,
 * which the published package carries too.
 */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import { installationFolder } from '../../core/installation.ts'
import type { ExplorerFile } from '../../explorer/routes.ts'
import { joinModules } from './explorer-join.ts'

/** All files, and the name of the folder that stands for this very content. */
export type ExplorerFiles = {
  readonly version: string
  readonly files: ReadonlyMap<string, ExplorerFile>
}

const types = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

/** Names under which libraries are served, by what our sources call them. */
const libraries = new Map([
  ['preact', './preact.js'],
  ['preact/hooks', './preact-hooks.js'],
  ['uplot', './uplot.js'],
])

const sourceFolder = new URL('src/explorer/browser/', installationFolder)

/** Reads everything. Throws when a file or library is missing: the installation is broken then. */
export async function readExplorerFiles(): Promise<ExplorerFiles> {
  const texts = [...(await ownFiles()), ...(await libraryFiles())].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const version = hashOf(texts.map(([name, text]) => `${name}\n${text}`).join('\n')).slice(0, 12)
  const files = await Promise.all(texts.map(([name, text]) => fileOf(name, text)))
  return { version, files: new Map(files.map((file) => [file.name, file])) }
}

/** Short hash of a text, safe in addresses and headers. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

type Named = readonly [name: string, text: string]

async function ownFiles(): Promise<Named[]> {
  const names = (await readdir(sourceFolder)).filter((name) => /\.(ts|css|svg)$/.test(name))
  const texts = await Promise.all(
    names.map(async (name): Promise<Named> => [
      name,
      await readFile(new URL(name, sourceFolder), 'utf8'),
    ]),
  )
  const sources = texts.filter(([name]) => name.endsWith('.ts'))
  const scripts = quietly(() => sources.map(([name, text]): Named => [name, scriptOf(text)]))
  return [
    ['main.js', withServedNames(joinModules(new Map(scripts), 'main.ts'))],
    ...texts.filter(([name]) => !name.endsWith('.ts')),
  ]
}

async function libraryFiles(): Promise<Named[]> {
  const chart = import.meta.resolve('uplot')
  const read = (url: string | URL): Promise<string> => readFile(new URL(url), 'utf8')
  const plot = await read(new URL('uPlot.iife.min.js', chart))
  return [
    ['preact.js', withServedNames(await read(import.meta.resolve('preact')))],
    ['preact-hooks.js', withServedNames(await read(import.meta.resolve('preact/hooks')))],
    // The small form of the library names a variable; a module needs an export.
    ['uplot.js', `${plot}\nexport default uPlot\n`],
    ['uplot.css', await read(new URL('uPlot.min.css', chart))],
  ]
}

/** TypeScript as a script: types become blanks, whole lines of comments go. */
function scriptOf(text: string): string {
  return stripTypeScriptTypes(text)
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/\*\*|\*\/|\*( |$)|$)/.test(line))
    .map((line) => line.trim())
    .join('\n')
}

/**
 * Runs `work` without Node's note that stripping types is experimental: Node runs our sources the
 * same way, and an operator can do nothing about it. Nothing else happens meanwhile.
 */
function quietly<T>(work: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}

function withServedNames(script: string): string {
  return script
    .replace(/\/\/# sourceMappingURL=\S+/, '')
    .replace(/(\bfrom\s*|\bimport\()(["'])([^"'\s]+)\2/g, (_all, before, quote, name) => {
      return `${before}${quote}${libraries.get(String(name)) ?? String(name)}${quote}`
    })
}

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

async function fileOf(name: string, text: string): Promise<ExplorerFile> {
  const body = Buffer.from(text)
  const [small, smaller] = await Promise.all([
    gzipped(body, { level: 9 }),
    // 9 of 11: a tenth of the time for a hundredth more bytes.
    brotlied(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ])
  const ending = name.split('.').pop() ?? ''
  return {
    name,
    body,
    gzip: small,
    brotli: smaller,
    contentType: types.get(ending) ?? 'application/octet-stream',
    tag: `"${hashOf(text)}"`,
  }
}

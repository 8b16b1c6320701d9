/**
 * From flags, environment and `firn.yaml` to one frozen `Config`.
 *
 * Everything is checked at once and all problems are reported together: a start either has a whole
 * configuration or none.
 */

import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'

import { Fault } from '../core/fault.ts'
import { isObject, ownValue } from '../core/json.ts'
import { nearest } from '../core/text.ts'
import {
  chainSettings,
  networkSettings,
  type ChainConfig,
  type NetworkConfig,
} from './chain-settings.ts'
import { environmentName, type Setting } from './setting.ts'
import { settings, type Config } from './settings.ts'
import { webAddressProblem } from './web-address.ts'

/** Where a value came from. */
export type Origin = 'flag' | 'environment' | 'file' | 'default'

/** A configuration and, for each setting, who said so. */
export type ReadConfig = {
  readonly config: Config
  /** A sentence for each setting that was given by a name of before. */
  readonly warnings: readonly string[]
  readonly origins: Readonly<Record<string, Origin>>
}

/**
 * Sources of settings. `flags` and `environment` values are text; `file` is the text of
 * `firn.yaml`.
 */
export type ConfigInput = {
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly file?: ConfigFile | undefined
}

/** A file of settings; `value` where they are known already, with their `folder` where they have relative paths. */
type ConfigFile =
  | { readonly path: string; readonly text: string }
  | { readonly value: Readonly<Record<string, unknown>>; readonly folder?: string }

type Plain = Record<string, unknown>
type Yaml = Pick<typeof import('yaml'), 'LineCounter' | 'parseDocument' | 'visit'>

const load = createRequire(import.meta.url)

/** Settings of a file; the place of each in it, `firn.yaml:3: `, and the folder it lies in, where it has one. */
type ReadFile = {
  readonly value: Plain
  readonly placeOf: (path: string) => string
  readonly folder?: string
}

const noFile: ReadFile = { value: {}, placeOf: () => '' }

/** Mistakes in the settings of `file` and of other sources, reported together at the end. */
class Problems {
  readonly file: ReadFile
  readonly #mistakes: string[] = []

  constructor(file: ReadFile) {
    this.file = file
  }

  /** `text` is about the setting at `path`. */
  add(path: string, text: string): void {
    this.#mistakes.push(`${this.file.placeOf(path)}${text}`)
  }

  /** Throws `bad-config` where there is one. */
  end(): void {
    if (this.#mistakes.length > 0) throw new Fault('bad-config', this.#mistakes.join('; '))
  }
}

/** Reads and checks. Throws `bad-config` naming every problem. */
export function readConfig(input: ConfigInput): ReadConfig {
  const file = input.file === undefined ? noFile : parseFile(input.file)
  const problems = new Problems(file)
  const { networks, chains, ...rest } = file.value
  const fromFile = flatten(rest)
  const paths = Object.entries<Setting>(settings).flatMap(([path, { formerly }]) =>
    formerly === undefined ? [path] : [path, formerly],
  )
  checkNames(Object.keys(fromFile), [...paths, 'networks', 'chains'], '', problems)
  checkNames(environmentKeys(input.environment), paths.map(environmentName), '', problems)

  const values = new Map<string, unknown>()
  const origins = new Map<string, Origin>()
  const warnings: string[] = []
  for (const [path, setting] of Object.entries<Setting>(settings)) {
    const { formerly } = setting
    const given = (at: string): readonly [Origin, unknown][] => {
      const named = environmentName(at)
      const fromEnvironment = ownValue(input.environment, named)
      return [
        ['flag', ownValue(input.flags, at)],
        ['environment', structured(named, setting, fromEnvironment, problems)],
        ['file', ownValue(fromFile, at)],
      ]
    }
    const isGiven = ([, value]: readonly [Origin, unknown]): boolean => value !== undefined
    const old = formerly === undefined ? undefined : given(formerly).find(isGiven)
    const found = given(path).find(isGiven) ?? old
    if (old !== undefined && old === found)
      warnings.push(
        `${formerly} is called ${path} now; the next major version does not know the old name`,
      )
    else if (old !== undefined)
      problems.add(path, `${formerly} is the old name of ${path}: set one of them`)
    origins.set(path, found?.[0] ?? 'default')
    const value = found === undefined ? setting.default : checked(path, setting, found[1], problems)
    values.set(path, found?.[0] === 'file' ? placed(setting, value, file.folder) : value)
  }
  values.set('networks', readNetworks(networks, problems))
  values.set('autoChains', chains === 'auto')
  values.set('recordedTime', undefined)
  values.set('chains', chains === 'auto' ? [] : readChains(chains, problems))
  problems.end()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every key of the tables was set and checked above
  return {
    config: Object.freeze(Object.fromEntries(values)) as Config,
    warnings,
    origins: Object.fromEntries(origins),
  }
}

function parseFile(file: ConfigFile): ReadFile {
  if ('value' in file) return { ...noFile, ...file, value: { ...file.value } }
  // Loaded when there is a file: it is 72 modules, and most commands read none.
  const { LineCounter, parseDocument, visit }: Yaml = load('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(file.text, { prettyErrors: true, lineCounter })
  const [error] = document.errors
  if (error !== undefined) {
    const place = error.linePos?.[0]
    const where = place === undefined ? '' : `:${place.line}:${place.col}`
    const message = error.message.replace(/ at line \d+, column \d+:[^]*$/, '')
    throw new Fault('bad-config', `${file.path}${where}: ${message}`)
  }
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return
      const { line, col } = lineCounter.linePos(alias.range?.[0] ?? 0)
      // Hosts like *.example.org are written so, and YAML takes them for the name of a value.
      const message = `text that begins with * needs quotes: *${alias.source}`
      throw new Fault('bad-config', `${file.path}:${line}:${col}: ${message}`)
    },
  })
  const value = plainOf(file, document)
  if (value === null || value === undefined) return noFile
  if (!isObject(value)) throw new Fault('bad-config', `${file.path} must hold settings by name`)
  const lines = new Map<string, number>()
  noteLines(document.contents, '', (path, at) => lines.set(path, lineCounter.linePos(at).line))
  const placeOf = (path: string): string => {
    const line = lines.get(path)
    return line === undefined ? '' : `${file.path}:${line}: `
  }
  return { value, placeOf, folder: dirname(file.path) }
}

/** The value of a document; one that repeats itself without measure has none. Throws `bad-config`. */
function plainOf({ path }: { readonly path: string }, document: { toJS: () => unknown }): unknown {
  try {
    return document.toJS()
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause
    throw new Fault('bad-config', `${path} repeats values of its own too often (&, *)`, { cause })
  }
}

/** Finds where each setting below `node` begins: `chains[0].name` and its place in the text. */
function noteLines(node: unknown, path: string, note: (path: string, at: number) => void): void {
  const items: unknown = isObject(node) ? node['items'] : undefined
  if (!Array.isArray(items)) return
  for (const [at, item] of items.entries()) {
    // A pair of a map has a key; an item of a list is a node itself.
    const key: unknown = isObject(item) ? item['key'] : undefined
    const name = isObject(key) ? String(key['value']) : undefined
    const place = name === undefined ? `${path}[${at}]` : path === '' ? name : `${path}.${name}`
    const range: unknown = isObject(key) ? key['range'] : isObject(item) ? item['range'] : undefined
    if (Array.isArray(range)) note(place, Number(range[0]))
    noteLines(name === undefined || !isObject(item) ? item : item['value'], place, note)
  }
}

/** `{ api: { port: 1 } }` becomes `{ 'api.port': 1 }`; settings of any form stay whole. */
function flatten(value: Plain): Plain {
  const flat = new Map<string, unknown>()
  for (const [name, item] of Object.entries(value)) {
    if (isObject(item) && !Object.hasOwn(settings, name)) {
      for (const [inner, leaf] of Object.entries(item)) flat.set(`${name}.${inner}`, leaf)
    } else {
      flat.set(name, item)
    }
  }
  return Object.fromEntries(flat)
}

function environmentKeys(environment: Readonly<Record<string, string | undefined>>): string[] {
  const ours = Object.keys(environment).filter((name) => name.startsWith('FIRN_'))
  return ours.filter((name) => name !== 'FIRN_CONFIG' && !name.startsWith('FIRN_LIVE_'))
}

function checkNames(
  names: readonly string[],
  known: readonly string[],
  where: string,
  problems: Problems,
): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const close = nearest(name, known)
    problems.add(
      `${where}${name}`,
      `unknown setting ${where}${name}${close === undefined ? '' : `, did you mean ${close}?`}`,
    )
  }
}

/** Lists and objects of the environment are written as JSON. */
function structured(
  name: string,
  setting: Setting,
  text: string | undefined,
  problems: Problems,
): unknown {
  const takesAny = setting.kind === 'any' || setting.kind === 'list'
  if (text === undefined || !takesAny || !/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    problems.add(name, `${name} must be JSON where it begins with a brace or bracket: ${text}`)
    return setting.default
  }
}

function checked(path: string, setting: Setting, value: unknown, problems: Problems): unknown {
  const refuse = (allowed: string): unknown => {
    problems.add(
      path,
      `${path} must be ${allowed}: ${setting.secret === true ? '***' : String(JSON.stringify(value))}`,
    )
    return setting.default
  }
  const addressed = (text: string): string => {
    const problem = setting.isAddress === true && text !== '' ? webAddressProblem(text) : undefined
    if (problem !== undefined) problems.add(path, `${path} ${problem}: ${JSON.stringify(text)}`)
    return text
  }
  switch (setting.kind) {
    case 'text':
      // Empty is "none" where that is the default. An empty host would be every address of the machine.
      if (value === '' && setting.default !== '') return refuse('text that is not empty')
      return typeof value === 'string' ? addressed(value) : refuse('text')
    case 'word': {
      const words = setting.words ?? []
      return checkedWord(words, value) ?? refuse(`one of ${words.join(', ')}`)
    }
    case 'boolean':
      return checkedBoolean(value) ?? refuse('true or false')
    case 'integer':
      return (
        checkedInteger(setting, value) ?? refuse(`an integer from ${setting.min} to ${setting.max}`)
      )
    case 'list':
      if (typeof value === 'string') return value.split(',').map((item) => addressed(item.trim()))
      return isTextList(value) ? value.map(addressed) : refuse('a list of text')
    case 'any':
      return value
  }
}

/** A checked value; paths of a file that lies in `folder` are made absolute. */
function placed({ isPath }: Setting, value: unknown, folder: string | undefined): unknown {
  if (isPath !== true || folder === undefined) return value
  const absolute = (text: string): string => {
    const [, scheme = '', path = ''] = /^(file:)?(.*)$/s.exec(text) ?? []
    return notPath.test(path) ? text : `${scheme}${resolve(folder, path)}`
  }
  if (typeof value === 'string') return absolute(value)
  return isTextList(value) ? value.map(absolute) : value
}

/** Nothing, a word, a URL, a picture as `data:`: these stand in the place of a path. */
const notPath = /^(?:|auto|none|\w[\w+.-]*:.*)$/s

function checkedWord(words: readonly string[], value: unknown): string | undefined {
  // YAML reads `true` and `false` as no text.
  const text = typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && words.includes(text) ? text : undefined
}

/** A flag without a value is true. */
function checkedBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 'true' || value === '') return true
  return value === false || value === 'false' ? false : undefined
}

function checkedInteger(setting: Setting, value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting
  return number >= min && number <= max ? number : undefined
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function readTable(
  table: Readonly<Record<string, Setting>>,
  value: unknown,
  where: string,
  problems: Problems,
): Plain {
  if (!isObject(value)) {
    problems.add(where, `${where} must hold settings by name`)
    return {}
  }
  checkNames(Object.keys(value), Object.keys(table), `${where}.`, problems)
  const out = new Map<string, unknown>()
  for (const [name, setting] of Object.entries(table)) {
    const given = ownValue(value, name)
    const place = `${where}.${name}`
    out.set(
      name,
      given === undefined
        ? setting.default
        : placed(setting, checked(place, setting, given, problems), problems.file.folder),
    )
  }
  return Object.fromEntries(out)
}

function readNetworks(
  value: unknown,
  problems: Problems,
): Readonly<Partial<Record<string, NetworkConfig>>> {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) {
    problems.add('networks', 'networks must hold mainnet or fuji')
    return {}
  }
  checkNames(Object.keys(value), ['mainnet', 'fuji'], 'networks.', problems)
  const out = new Map<string, NetworkConfig>()
  for (const [name, entry] of Object.entries(value)) {
    const read = readTable(networkSettings, entry, `networks.${name}`, problems)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readTable fills every key of the table
    const network = read as NetworkConfig
    if (network.nodeUrl === '' && network.recording === '' && network.source === 'node')
      problems.add(`networks.${name}`, `networks.${name} needs nodeUrl, or source: peers`)
    out.set(name, network)
  }
  return Object.fromEntries(out)
}

function readChains(value: unknown, problems: Problems): readonly ChainConfig[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    problems.add('chains', 'chains must be a list, or auto: all that the nodes of `networks` serve')
    return []
  }
  return value.map((entry: unknown, at) => {
    const read = readTable(chainSettings, entry, `chains[${at}]`, problems)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readTable fills every key of the table
    const chain = read as ChainConfig
    if (chain.rpcUrls?.length === 0 && chain.recording === '')
      problems.add(`chains[${at}]`, `chains[${at}] needs rpcUrls`)
    return chain
  })
}

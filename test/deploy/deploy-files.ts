/** The files of `deploy`, read for tests. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { parse, parseAllDocuments } from 'yaml'

import { objectOf } from '../../src/codec/evm/raw.ts'

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url))

/** A parsed object of a file. */
export type Plain = Readonly<Record<string, unknown>>

/** Names of all files. */
export const deployFiles = readdirSync(folder).toSorted()

/** Text of a file. */
export function textOf(name: string): string {
  return readFileSync(`${folder}${name}`, 'utf8')
}

/** A YAML or JSON file of one document, merge keys followed. */
export function plainOf(name: string): Plain {
  return objectOf(parse(textOf(name), { merge: true }), name)
}

/** All documents of a YAML file. */
export function documentsOf(name: string): readonly Plain[] {
  return parseAllDocuments(textOf(name)).map((document) => objectOf(document.toJS(), name))
}

/** Value in `value` under one name after the other; fails where there is none. */
export function under(value: unknown, ...names: readonly (string | number)[]): unknown {
  let found = value
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      throw new Error(`nothing under ${names.join('.')}`)
    found = Object.entries(found).find(([key]) => key === String(name))?.[1]
  }
  return found
}

/** The same as an object. */
export function objectUnder(value: unknown, ...names: readonly (string | number)[]): Plain {
  return objectOf(under(value, ...names), names.join('.'))
}

/** The same as a list. */
export function listUnder(value: unknown, ...names: readonly (string | number)[]): unknown[] {
  const found = under(value, ...names)
  if (!Array.isArray(found)) throw new Error(`no list: ${names.join('.')}`)
  return found
}

/** Instructions of the Dockerfile in order, continued lines joined, comments left out. */
export function dockerInstructions(): readonly { readonly word: string; readonly rest: string }[] {
  return textOf('Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.trim() !== '')
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+) +(.+)$/.exec(line) ?? []
      return { word, rest }
    })
}

/** Words of the instruction `word`, which is JSON and is there once. */
export function dockerWords(word: string): readonly string[] {
  const found = dockerInstructions().filter((each) => each.word === word)
  const words: unknown = JSON.parse(found[0]?.rest ?? 'null')
  if (found.length !== 1 || !Array.isArray(words)) throw new Error(`no ${word} of the Dockerfile`)
  return words.map(String)
}

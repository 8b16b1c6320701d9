/** Standard JSON input of the compilers of Solidity and Vyper, as callers send it. */

import { Fault } from '../core/fault.ts'
import { isDeeper, isObject, jsonOf } from '../core/json.ts'

/** Sources with their content, and settings that bear on the code. */
export type StandardInput = {
  readonly language: (typeof languages)[number]
  readonly sources: Readonly<Record<string, { readonly content: string }>>
  /** Of Vyper before 0.4. */
  readonly interfaces?: Readonly<Record<string, unknown>>
  readonly settings: Readonly<Record<string, unknown>>
}

const languages = ['Solidity', 'Yul', 'Vyper'] as const

/** Settings that say what to print or prove, and not what the code is. */
const without: ReadonlySet<string> = new Set(['outputSelection', 'modelChecker', 'stopAfter'])

/** Checks an input, as text or as what its JSON is. Throws `bad-parameter`. */
export function readStandardInput(given: unknown): StandardInput {
  // Some tools put braces around it, to distinguish it from a single file.
  const text = typeof given === 'string' ? given.trim().replace(/^\{\{([^]*)\}\}$/, '{$1}') : given
  const json = typeof text === 'string' ? jsonOf(text) : text
  if (!isObject(json) || isDeeper(json))
    throw new Fault('bad-parameter', 'the standard JSON input is no JSON object')
  const { sources, settings = {}, interfaces } = json
  const language = languages.find((one) => one === json['language'])
  if (language === undefined)
    throw new Fault('bad-parameter', `language must be one of ${languages.join(', ')}`)
  if (!isObject(sources) || Object.keys(sources).length === 0)
    throw new Fault('bad-parameter', 'the standard JSON input has no sources')
  if (!isObject(settings)) throw new Fault('bad-parameter', 'settings must be an object')
  const read = Object.entries(sources).map(([path, source]) => {
    if (!isObject(source) || typeof source['content'] !== 'string')
      throw new Fault('bad-parameter', `a source has no content: ${path.slice(0, 200)}`)
    return [path, { content: source['content'] }] as const
  })
  return {
    language,
    sources: Object.fromEntries(read),
    ...(language === 'Vyper' && isObject(interfaces) && { interfaces }),
    settings: Object.fromEntries(Object.entries(settings).filter(([name]) => !without.has(name))),
  }
}

/** One file with the settings that forms have for it; libraries are addresses by name. Throws `bad-parameter`. */
export function singleFileInput(of: {
  readonly language: StandardInput['language']
  readonly path: string | undefined
  readonly name: string
  readonly source: string
  readonly optimizer: { readonly enabled: boolean; readonly runs: number }
  readonly evmVersion: string | undefined
  readonly libraries: Readonly<Record<string, string>>
}): StandardInput {
  const { language, name, source, optimizer, evmVersion, libraries } = of
  const isVyper = language === 'Vyper'
  const path = of.path ?? `${name}.${isVyper ? 'vy' : 'sol'}`
  const ofSolidity = { optimizer, libraries: { [path]: libraries } }
  return readStandardInput({
    language,
    sources: { [path]: { content: source } },
    settings: { ...(isVyper ? {} : ofSolidity), evmVersion },
  })
}

/** A contract's name with the path of its source, `src/Token.sol:Token`, or the name alone. */
export type ContractName = { readonly path: string | undefined; readonly name: string }

/** Splits such a name; paths may have colons in them. */
export function contractNameOf(text: string): ContractName {
  const colon = text.lastIndexOf(':')
  return colon < 0
    ? { path: undefined, name: text }
    : { path: text.slice(0, colon), name: text.slice(colon + 1) }
}

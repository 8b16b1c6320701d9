/** ABIs of contracts as pages use them: methods to read and to write, events to filter by. */

import type { ContractCode } from '../../../shape/evm/contract.ts'

/** A parameter as compilers write it. */
export type AbiParameter = {
  readonly name?: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly AbiParameter[]
}

/** A method or an event as compilers write it. */
export type AbiItem = {
  readonly type: string
  readonly name: string
  readonly stateMutability?: string
  readonly inputs: readonly AbiParameter[]
  readonly outputs?: readonly AbiParameter[]
}

/** Methods and events of a contract and of what it hands calls on to, each once. */
export function itemsOf(code: ContractCode): readonly AbiItem[] {
  const { standardAbi, proxy } = code
  const all = [code, ...(proxy?.implementations ?? [])]
  const own = all.map(({ source, project }) => (source ?? project)?.abi)
  const items = [...own, standardAbi].flatMap((abi) => abi ?? []).filter(isItem)
  const signatures = items.map((item) => item.type + signatureOf(item))
  return items.filter((_, at) => signatures.indexOf(signatures[at] ?? '') === at)
}

/** Returns whether calling a method changes nothing. */
export function isView({ type, stateMutability }: AbiItem): boolean {
  return type === 'function' && /^(view|pure)$/.test(stateMutability ?? '')
}

/** `Transfer(address,address,uint256)`. */
export function signatureOf({ name, inputs }: AbiItem): string {
  return `${name}(${inputs.map(canonical).join()})`
}

function canonical({ type, components }: AbiParameter): string {
  return components === undefined
    ? type
    : type.replace('tuple', `(${components.map(canonical).join()})`)
}

function isItem(entry: unknown): entry is AbiItem {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'name' in entry &&
    typeof entry.name === 'string' &&
    'inputs' in entry &&
    Array.isArray(entry.inputs)
  )
}

/** The text typed for a parameter, as the API takes it. Throws what `JSON.parse` does. */
export function argumentOf({ type }: AbiParameter, typed: string): unknown {
  if (!/^tuple|\]$/.test(type)) return type === 'string' ? typed : typed.trim()
  // Whole numbers of any size and bytes need no quotes.
  const text = typed.replace(/(?<=[[,:\s]|^)(-?\d+|0x[0-9a-f]*)(?=\s*[\],}]|$)/gi, '"$1"')
  return JSON.parse(text)
}

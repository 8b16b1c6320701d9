/** ABIs of contracts as pages use them: methods to read and to write, events to filter by. */

import type { ContractCode } from '../../shape/evm/contract-source.ts'

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
export function itemsOf({ source, proxy }: ContractCode, standard: string): readonly AbiItem[] {
  const abis = [source?.abi, ...(proxy?.implementations ?? []).map((one) => one.source?.abi)]
  const known = abis.flatMap((abi) => abi ?? []).filter(isItem)
  const items = known.length > 0 ? known : (standards[standard] ?? [])
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

const view = (name: string, inputs: string, output: string): AbiItem => ({
  type: 'function',
  name,
  stateMutability: 'view',
  inputs: inputs.split(',').flatMap((each) => {
    const [type = '', called = ''] = each.split(' ')
    return type === '' ? [] : [{ type, name: called }]
  }),
  outputs: [{ type: output, name: '' }],
})
const named = [view('name', '', 'string'), view('symbol', '', 'string')]

/** Methods that a token answers although it is not verified. Source: ERC-20, ERC-721, ERC-1155. */
const standards: Readonly<Record<string, readonly AbiItem[]>> = {
  'ERC-20': [
    ...named,
    view('decimals', '', 'uint8'),
    view('totalSupply', '', 'uint256'),
    view('balanceOf', 'address account', 'uint256'),
    view('allowance', 'address owner,address spender', 'uint256'),
  ],
  'ERC-721': [
    ...named,
    view('balanceOf', 'address owner', 'uint256'),
    view('ownerOf', 'uint256 tokenId', 'address'),
    view('tokenURI', 'uint256 tokenId', 'string'),
    view('getApproved', 'uint256 tokenId', 'address'),
  ],
  'ERC-1155': [
    view('balanceOf', 'address account,uint256 id', 'uint256'),
    view('uri', 'uint256 id', 'string'),
    view('isApprovedForAll', 'address account,address operator', 'bool'),
  ],
}

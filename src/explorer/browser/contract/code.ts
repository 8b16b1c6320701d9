/** Sources of a contract, and of what a proxy leads to. */

import { h, type JSX } from 'preact'

import { isObject } from '../../../core/json.ts'
import type { ContractCode, ContractSource, ProjectSource } from '../../../shape/evm/contract.ts'
import { addressLink } from '../evm/evm-parts.ts'
import { counted, visible, words } from '../kit/format.ts'
import { card, CopyButton, facts, pill, table, type View, when } from '../kit/parts.ts'
import { argumentRows } from './decoded-values.ts'
import { VerifyForm } from './verify-form.ts'

/** The code of a contract; `renew` reads it again. */
export function codeView(
  { chainId, address }: { readonly chainId: string; readonly address: string },
  { source, project, proxy, compilers }: ContractCode,
  renew: () => void,
): JSX.Element {
  return h('div', { class: 'stack' }, [
    proxy === undefined
      ? null
      : card(
          'Proxy',
          facts([
            ['Type', proxyNames[proxy.kind]],
            ['Implementation', implementations(chainId, proxy)],
          ]),
        ),
    source === undefined ? h('p', { class: 'empty' }, 'This contract is not verified.') : null,
    sourcesView(chainId, { source, project }, ''),
    ...(proxy?.implementations ?? []).map((led) => sourcesView(chainId, led, 'Implementation: ')),
    compilers === undefined || compilers.length === 0
      ? null
      : h(VerifyForm, { chainId, address, compilers, done: renew }),
  ])
}

/** Links to what a proxy hands calls on to. */
export function implementations(chainId: string, proxy: ContractCode['proxy']): View {
  return proxy?.implementations.map((led) => h('div', null, addressLink(chainId, led)))
}

const proxyNames = {
  erc1967: 'ERC-1967',
  beacon: 'beacon',
  erc1822: 'ERC-1822',
  delegation: 'EIP-7702',
  safe: 'Safe',
  zeppelinos: 'ZeppelinOS',
  minimal: 'minimal (ERC-1167)',
  diamond: 'diamond (ERC-2535)',
} as const

/** How sources are marked that nothing proves. */
export const ofProject = 'from your project'

function sourcesView(
  chainId: string,
  {
    source,
    project,
  }: { readonly source?: ContractSource | undefined; readonly project?: ProjectSource | undefined },
  before: string,
): View {
  const shown = source ?? project
  if (shown === undefined) return null
  const { sameCodeAs: twin, decodedConstructor: made, verifiedAt, match } = source ?? {}
  return [
    card(
      `${before}${visible(shown.name)}`,
      facts([
        ['Compiler', `${shown.language} ${shown.compilerVersion}`],
        ...settingRows(shown.settings),
        ['Verified', verifiedAt === undefined ? 'no' : when(verifiedAt, Date.now())],
        [
          'Same code as',
          twin === undefined ? undefined : addressLink(twin.chainId, { address: twin.address }),
        ],
      ]),
      match === undefined ? pill(ofProject) : pill(`${match} match`, 'good'),
    ),
    made === undefined || made.parameters.length === 0
      ? null
      : card(
          'Constructor arguments',
          table(
            [['Parameter'], ['Type'], ['Value', 'whole']],
            argumentRows(chainId, made.parameters),
          ),
        ),
    shown.sources.length > 1 && h('p', { class: 'quiet' }, counted(shown.sources.length, 'file')),
    ...shown.sources.map(({ path, content }, at) => file(path, content, at < mostOpen)),
    file('ABI', JSON.stringify(shown.abi, undefined, 2)),
  ]
}

// Of many files the first say what it is; an open one is drawn whole.
const mostOpen = 2

/** Settings of the compiler, each a row: `optimizer` as `enabled true, runs 200`. */
function settingRows(settings: unknown): (readonly [name: string, value: View])[] {
  const wordsOf = (value: unknown): string =>
    isObject(value)
      ? Object.entries(value)
          .map(([name, inner]) => `${name} ${wordsOf(inner)}`)
          .join(', ')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  return isObject(settings)
    ? Object.entries(settings).map(
        ([name, value]) => [words(name), visible(wordsOf(value))] as const,
      )
    : []
}

/** Text with line numbers; what is long is opened by a click. */
function file(name: string, content: string, isOpen = false): JSX.Element {
  const numbers = content.split('\n').map((_, at) => at + 1)
  return card(
    '',
    h('details', { open: isOpen }, [
      h('summary', null, visible(name)),
      h(CopyButton, { text: content }),
      h('div', { class: 'source', tabIndex: 0, role: 'group', 'aria-label': name }, [
        h('pre', { 'aria-hidden': 'true' }, numbers.join('\n')),
        h('pre', null, content),
      ]),
    ]),
  )
}

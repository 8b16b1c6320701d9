/** Reads from a contract through the node, and writes to it through the visitor's own wallet. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { ContractCode } from '../../../shape/evm/contract.ts'
import { addressLink, txLink } from '../evm/evm-parts.ts'
import { get, type Answer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { failureText, visible } from '../kit/format.ts'
import { card, failed, facts, shown, type View } from '../kit/parts.ts'
import { textIn } from '../kit/place.ts'
import { chainOf, coinOf, type World } from '../kit/world.ts'
import { type AbiItem, type AbiParameter, argumentOf, isView, signatureOf } from './abi.ts'
import { called, type Called } from './called.ts'
import { valueView } from './decoded-values.ts'
import { type MethodWords, type NatSpec, natSpecOf } from './natspec.ts'
import { connect, sent, useWallets, type Account } from './wallet.ts'

/** A contract and its methods. */
export type CallsOf = {
  readonly world: World
  readonly chainId: string
  readonly address: string
  readonly items: readonly AbiItem[]
  /** Its sources, where they are known. */
  readonly code: ContractCode | undefined
}

const mostAtOnce = 100

/** Every view method: those without arguments are called at once. */
export function Read(props: CallsOf): JSX.Element {
  const { items, chainId, address } = props
  const natSpec = useNatSpec(chainId, props.code)
  const views = items.filter(isView)
  const plain = views.filter(({ inputs }) => inputs.length === 0).slice(0, mostAtOnce)
  const [answer, setAnswer] = useState<Answer<readonly Called[]>>({})
  useEffect(() => {
    if (plain.length > 0)
      void called(
        props,
        plain.map((abi) => ({ abi, arguments: [] })),
      ).then(setAnswer)
  }, [chainId, address, plain.length])
  if (views.length === 0) return nothing('read')
  return h('div', { class: 'stack' }, [
    plain.length === 0
      ? null
      : card(
          'Values',
          shown(answer, (values) =>
            facts(
              plain.map((item, at) => [
                visible(item.name),
                [result(chainId, values[at]), saidOf(natSpec.get(signatureOf(item)))],
              ]),
            ),
          ),
        ),
    views.length === plain.length
      ? null
      : card(
          'Methods',
          views
            .filter(({ inputs }) => inputs.length > 0)
            .map((item) =>
              h(Method, {
                key: signatureOf(item),
                item,
                words: natSpec.get(signatureOf(item)),
                verb: 'Query',
                run: async (values) => {
                  const { data, failure } = await called(props, [{ abi: item, arguments: values }])
                  return failure === undefined ? result(chainId, data?.[0]) : failed(failure)
                },
              }),
            ),
        ),
  ])
}

/** Every method that changes something, signed by a wallet of the visitor. */
export function Write(props: CallsOf): JSX.Element {
  const { world, chainId, address, items } = props
  const [account, setAccount] = useState<Account>()
  const natSpec = useNatSpec(chainId, props.code)
  const methods = items.filter((item) => item.type === 'function' && !isView(item))
  if (methods.length === 0) return nothing('written')
  const run = async (item: AbiItem, values: readonly unknown[], coins: string): Promise<View> => {
    if (account === undefined) throw new Error('Connect a wallet first.')
    const { from } = account
    const value = unitsOf(coins, coinOf(world, chainId).decimals)
    // Tried on the node first: what would revert is not sent.
    const tried = await called(props, [{ abi: item, arguments: values }], { from, value })
    if (tried.failure !== undefined) return failed(tried.failure)
    const [trial] = tried.data ?? []
    if (trial === undefined || trial.error !== undefined)
      throw new Error(`Not sent: it would fail. ${trial?.error ?? ''}`)
    const hash = await sent(account, chainOf(world, chainId), {
      to: address,
      data: trial.data,
      value,
    })
    return h('span', null, 'Sent: ', txLink(chainId, hash))
  }
  return h('div', { class: 'stack' }, [
    h(Wallets, { chainId, account, setAccount }),
    card(
      'Methods',
      methods.map((item) =>
        h(Method, {
          key: signatureOf(item),
          item,
          words: natSpec.get(signatureOf(item)),
          verb: 'Send',
          coin: item.stateMutability === 'payable' ? coinOf(world, chainId).symbol : undefined,
          run: (values, coins) => run(item, values, coins),
        }),
      ),
    ),
  ])
}

/** Words in the sources of a contract and of its implementations; empty until they came. */
function useNatSpec(chainId: string, code: ContractCode | undefined): NatSpec {
  const [held, hold] = useState<NatSpec>(new Map())
  const places = [code, ...(code?.proxy?.implementations ?? [])].flatMap((one) =>
    one?.source === undefined ? [] : [one.source.sameCodeAs ?? { chainId, address: one.address }],
  )
  useEffect(() => {
    const over = new AbortController()
    const urls = places.map((place) =>
      urlOf('/v2/contract/{chainId}/{address}', { ...place, fields: 'userdoc,devdoc' }),
    )
    Promise.all(urls.map((url) => get(url, over.signal))).then(
      // The methods of a proxy itself come before those of what is behind it.
      (answers) => hold(new Map(answers.toReversed().flatMap(({ data }) => [...natSpecOf(data)]))),
      // It is no longer wanted.
      () => undefined,
    )
    return () => over.abort()
  }, [JSON.stringify(places)])
  return held
}

function nothing(action: string): JSX.Element {
  return card(
    '',
    h('p', { class: 'empty' }, [
      `Nothing can be ${action} here: the ABI of this contract is not known.`,
    ]),
  )
}

function Wallets({
  chainId,
  account,
  setAccount,
}: {
  readonly chainId: string
  readonly account: Account | undefined
  readonly setAccount: (account: Account) => void
}): JSX.Element {
  const wallets = useWallets()
  const [note, setNote] = useState('')
  const take = (wallet: (typeof wallets)[number]): void => {
    setNote('')
    connect(wallet).then(setAccount, (error: Error) => setNote(error.message))
  }
  return card(
    'Wallet',
    h('div', { class: 'controls' }, [
      account === undefined
        ? wallets.length === 0
          ? 'This browser has no wallet. Reading works without one.'
          : wallets.map((wallet) =>
              h('button', { type: 'button', onClick: () => take(wallet) }, [
                `Connect ${visible(wallet.name)}`,
              ]),
            )
        : h('span', null, 'Connected as ', addressLink(chainId, { address: account.from })),
      h('span', { class: 'failed', role: 'status' }, note),
    ]),
  )
}

type MethodProps = {
  readonly item: AbiItem
  readonly words: MethodWords | undefined
  readonly verb: string
  /** Symbol of the coin that may be sent along. */
  readonly coin?: string | undefined
  readonly run: (values: readonly unknown[], coins: string) => Promise<View>
}

/** A method as a form; its answer stands below. */
function Method({ item, words, verb, coin, run }: MethodProps): JSX.Element {
  const [shown, show] = useState<View>(null)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    show('…')
    try {
      const values = item.inputs.map((input, at) => argument(input, textIn(form, `argument${at}`)))
      show(await run(values, textIn(form, 'coins')))
    } catch (error) {
      show(h('span', { class: 'failed' }, visible(messageOf(error))))
    }
  }
  const results = (item.outputs ?? []).map(({ type }) => type).join(', ')
  return h('details', { class: 'call' }, [
    h('summary', null, [
      h('b', null, visible(item.name)),
      h('code', { class: 'quiet' }, `(${item.inputs.map(declared).join(', ')})`),
      verb === 'Send' || results === '' ? null : h('code', { class: 'quiet' }, ` → ${results}`),
    ]),
    saidOf(words),
    h('form', { onSubmit: (event: Event) => void submit(event) }, [
      item.inputs.map((input, at) =>
        field(`argument${at}`, visible(input.name ?? '') || `Argument ${at + 1}`, input.type, {
          words: words?.parameters.get(input.name ?? ''),
        }),
      ),
      coin === undefined ? null : field('coins', 'Value', visible(coin), { isNeeded: false }),
      h('div', { class: 'controls' }, h('button', { type: 'submit' }, verb)),
      h('output', null, shown),
    ]),
  ])
}

function declared({ type, name = '' }: AbiParameter): string {
  return visible(name === '' ? type : `${type} ${name}`)
}

/** Words of the authors on a method. */
function saidOf(words: MethodWords | undefined): View {
  const { text = '', returns = '' } = words ?? {}
  return [text, returns && `Returns: ${returns}`].map(
    (line) => line !== '' && h('p', { class: 'quiet' }, line),
  )
}

function field(
  name: string,
  label: string,
  type: string,
  of: { readonly isNeeded?: false; readonly words?: string | undefined },
): JSX.Element {
  return h('label', { class: 'field' }, [
    h('span', null, label),
    h('input', {
      name,
      required: of.isNeeded !== false && type !== 'string' && type !== 'bytes',
      autocomplete: 'off',
      spellcheck: false,
      placeholder: /\]$|^tuple/.test(type) ? '[…]' : '',
    }),
    h('span', { class: 'quiet' }, h('code', null, type), ' ', of.words),
  ])
}

function argument(input: AbiParameter, typed: string): unknown {
  try {
    return argumentOf(input, typed)
  } catch {
    throw new Error(
      `${input.name ?? 'An argument'} is not of type ${input.type}. Lists are written [1, 2].`,
    )
  }
}

function result(chainId: string, called: Called | undefined): View {
  if (called?.values === undefined)
    return h('span', { class: 'quiet' }, visible(called?.error ?? 'no answer'))
  const [only] = called.values
  if (called.values.length === 1 && only !== undefined) return valueView(chainId, only)
  return facts(
    called.values.map((each, at) => [
      visible(each.name === '' ? String(at) : each.name),
      valueView(chainId, each),
    ]),
  )
}

/** Smallest units of an amount as people write it. Throws for what is none. */
function unitsOf(typed: string, decimals: number): string {
  const text = typed.trim() === '' ? '0' : typed.trim().replaceAll(',', '')
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === '' || fraction.length > decimals) throw new Error(`Not an amount: ${typed}`)
  return BigInt(whole + fraction.padEnd(decimals, '0')).toString()
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : failureText({ status: 0, message: String(error) })
}

/** Watched addresses: a button on the page of an address, a list on the first page, and the browser's notifications. */

import { h, type JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { addressLink, chainLink, txLink } from '../evm/evm-parts.ts'
import { type Answer, useAnswer } from '../kit/answer.ts'
import { type AnswerAt, urlOf } from '../kit/contract.ts'
import { ends, visible } from '../kit/format.ts'
import { age, card, shown, table, type View } from '../kit/parts.ts'
import type { World } from '../kit/world.ts'
import { isSame, useWatchList, type Watched } from './watch-list.ts'

const lookEveryMs = 30_000

/** Begins and ends watching an address, and keeps a note on it. */
export function WatchButton(of: Omit<Watched, 'note'>): JSX.Element {
  const { all, put, remove } = useWatchList()
  const one = { ...of, address: of.address.toLowerCase() }
  const found = all.find((each) => isSame(each, one))
  if (found === undefined)
    return h('button', { type: 'button', onClick: () => put({ ...one, note: '' }) }, 'Watch')
  return h('span', { class: 'controls' }, [
    h('input', {
      'aria-label': 'private note',
      placeholder: 'Private note',
      maxLength: 60,
      value: found.note,
      onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
        put({ ...one, note: currentTarget.value }),
    }),
    h('button', { type: 'button', onClick: () => remove(found) }, 'Stop watching'),
  ])
}

/** The card of the first page; nothing where nobody is watched. */
export function WatchCard({ world }: { readonly world: World }): JSX.Element | null {
  const { all } = useWatchList()
  const [, renew] = useState(0)
  if (all.length === 0) return null
  const ask = (): void =>
    void Notification.requestPermission().then(() => renew((beat) => beat + 1))
  return card('Watched addresses', [
    table(
      [['Address'], ['Chain', 'wide'], ['Note'], ['Newest transaction', 'num']],
      all.map((one) => [
        addressLink(one.chainId, one),
        chainLink(world, one.chainId),
        visible(one.note),
        h(NewestOf, { ...one, key: `${one.chainId} ${one.address}` }),
      ]),
    ),
    'Notification' in globalThis &&
      Notification.permission === 'default' &&
      h(
        'p',
        null,
        h('button', { type: 'button', onClick: ask }, 'Notify me while this page is open'),
      ),
  ])
}

/** Notifies of new transactions of all watched addresses, where the visitor allows it. */
export function WatchNotes(): JSX.Element | null {
  const { all } = useWatchList()
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return null
  return h(
    'div',
    { hidden: true },
    all.map((one) => h(NotesOf, { ...one, key: `${one.chainId} ${one.address}` })),
  )
}

type Newest = AnswerAt<'/v1/chains/{chainId}/addresses/{address}/transactions'>

function useNewest({ chainId, address }: Watched): Answer<Newest> {
  const path = '/v1/chains/{chainId}/addresses/{address}/transactions'
  return useAnswer(urlOf(path, { chainId, address, pageSize: 1 }), lookEveryMs)
}

function NewestOf(one: Watched): View {
  return shown(useNewest(one), ({ transactions: [newest] }) =>
    newest === undefined
      ? h('span', { class: 'quiet' }, 'none')
      : h('span', null, [
          txLink(one.chainId, newest.nativeTransaction.txHash),
          ' ',
          age(newest.nativeTransaction.blockTimestamp),
        ]),
  )
}

function NotesOf(one: Watched): null {
  const { chainId, address, note } = one
  const txHash = useNewest(one).data?.transactions[0]?.nativeTransaction.txHash
  const seen = useRef(txHash)
  const isNews = txHash !== undefined && seen.current !== undefined && txHash !== seen.current
  const path = '/v1/chains/{chainId}/transactions/{txHash}'
  const { data } = useAnswer(isNews ? urlOf(path, { chainId, txHash }) : undefined)
  useEffect(() => {
    if (txHash === undefined || (isNews && data === undefined)) return
    seen.current = txHash
    if (isNews)
      void new Notification(visible(note || ends(address)), { body: data?.summary.text ?? '' })
  }, [txHash, data])
  return null
}

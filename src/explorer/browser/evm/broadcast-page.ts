/** Hands a signed transaction to the node of a chain. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { callNode } from '../kit/answer.ts'
import { failureText, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { card, heading } from '../kit/parts.ts'
import { go, textIn, useTitle } from '../kit/place.ts'
import { chainName, chainOf, type World } from '../kit/world.ts'
import { chainLink } from './evm-parts.ts'

/** The page. It leads to that of the transaction, which waits there for its block. */
export function BroadcastPage({
  world,
  chainId,
}: {
  readonly world: World
  readonly chainId: string
}): JSX.Element {
  useTitle(`Broadcast on ${chainName(world, chainId)}`)
  const [problem, setProblem] = useState('')
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    setProblem('')
    const raw = textIn(new FormData(event.currentTarget), 'raw')
    const { data, failure } = await callNode<string>(chainId, 'eth_sendRawTransaction', [raw])
    if (data === undefined)
      setProblem(failureText(failure ?? { status: 0, message: 'The node gives no hash.' }))
    else go(to('chain', chainId, 'tx', data))
  }
  const above = h('span', null, 'On ', chainLink(world, chainId))
  const chain = chainOf(world, chainId)
  if (chain !== undefined && chain.acceptsTransactions !== true)
    return h('div', { class: 'stack' }, [
      heading(above, 'Broadcast a transaction'),
      h('p', { class: 'empty' }, 'The operator offers this for other chains, or for none.'),
    ])
  return h('div', { class: 'stack' }, [
    heading(above, 'Broadcast a transaction'),
    card(
      '',
      h('form', { onSubmit: (event: Event) => void submit(event) }, [
        h('label', { class: 'field' }, [
          h('span', null, 'Signed transaction'),
          h('input', {
            name: 'raw',
            required: true,
            placeholder: '0x…',
            autocomplete: 'off',
            spellcheck: false,
          }),
          h('span', { class: 'quiet' }, 'as the wallet signed it, in hex'),
        ]),
        h('div', { class: 'controls' }, h('button', { class: 'send', type: 'submit' }, 'Send')),
        h('output', { class: 'failed', role: 'alert' }, visible(problem)),
      ]),
    ),
  ])
}

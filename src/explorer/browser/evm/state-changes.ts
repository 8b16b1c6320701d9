/** Changes of the state by a transaction, which a node tells when somebody asks. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useAnswer } from '../kit/answer.ts'
import { type AnswerAt, urlOf } from '../kit/contract.ts'
import { amount, count, ends } from '../kit/format.ts'
import { card, exactCoins, pill, shown, table, type View } from '../kit/parts.ts'
import { type Coin, isRecording } from '../kit/world.ts'
import { addressLink } from './evm-parts.ts'
import type { ExecutionProps } from './tx-execution.ts'

type Answer = AnswerAt<'/v1/chains/{chainId}/transactions/{txHash}/stateChanges'>
type Account = Answer['accounts'][number]

/** The card: a button, and the changes once it was pressed. */
export function StateChanges({ chainId, txHash, coin }: ExecutionProps): JSX.Element {
  const [isOpen, open] = useState(false)
  const url = urlOf('/v1/chains/{chainId}/transactions/{txHash}/stateChanges', { chainId, txHash })
  const answer = useAnswer(isOpen ? url : undefined)
  const body = isRecording()
    ? h('p', { class: 'quiet' }, 'Told by a node that traces; this is a recording.')
    : isOpen
      ? shown(answer, (changes) => view(chainId, coin, changes))
      : h('button', { type: 'button', onClick: () => open(true) }, 'Show state changes')
  return card('State changes', body)
}

function view(chainId: string, coin: Coin, { accounts, accountCount, slotCount }: Answer): View {
  const slots = accounts.reduce((sum, { storage }) => sum + storage.length, 0)
  return [
    table(
      [['Account'], ['What'], ['Before', 'num whole'], ['After', 'num whole']],
      accounts.flatMap((account) => rows(chainId, coin, account)),
    ),
    accountCount > accounts.length || slotCount > slots
      ? h(
          'p',
          { class: 'quiet' },
          `The first ${count(accounts.length)} of ${count(accountCount)} accounts, and ${count(slots)} of ${count(slotCount)} slots.`,
        )
      : null,
  ]
}

/** Rows of an account; its address stands in the first one. */
function rows(chainId: string, { decimals, symbol }: Coin, account: Account): View[][] {
  const { balanceBefore, balanceAfter, isCreated, isDestroyed } = account
  const { nonceBefore, nonceAfter, codeBytesBefore, codeBytesAfter } = account
  const changes: View[][] = []
  if (balanceBefore !== undefined && balanceAfter !== undefined) {
    const more = BigInt(balanceAfter) - BigInt(balanceBefore)
    const size = amount(String(more < 0n ? -more : more), decimals)
    changes.push([
      ['Balance ', h('span', { class: 'quiet' }, `${more < 0n ? '−' : '+'}${size}`)],
      ...[balanceBefore, balanceAfter].map((one) => exactCoins(one, decimals, symbol)),
    ])
  }
  if (nonceBefore !== undefined && nonceAfter !== undefined)
    changes.push(['Nonce', count(nonceBefore), count(nonceAfter)])
  if (codeBytesBefore !== undefined && codeBytesAfter !== undefined)
    changes.push(['Code, bytes', count(codeBytesBefore), count(codeBytesAfter)])
  for (const { slot, valueBefore, valueAfter } of account.storage)
    changes.push([['Slot ', word(slot)], word(valueBefore), word(valueAfter)])
  const named = [
    addressLink(chainId, account),
    isCreated ? [' ', pill('created', 'good')] : null,
    isDestroyed ? [' ', pill('destroyed', 'bad')] : null,
  ]
  return changes.map((cells, at) => [at === 0 ? named : '', ...cells])
}

function word(value: string): JSX.Element {
  return h('span', { class: 'id', title: value }, short(value))
}

/** A word without its leading zeros, by its ends where it is long. */
function short(value: string): string {
  const digits = `0x${value.slice(2).replace(/^0+(?=.)/, '')}`
  return digits.length > 22 ? ends(digits, 12, 8) : digits
}

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { chatBody } from './message.ts'

const event = {
  transaction: { txHash: '0x1', value: '10', erc20Transfers: [{ symbol: '<!channel> @everyone' }] },
  none: '',
}

void test('chat: each service has its text in its own member, and strangers mention nobody', () => {
  const [slack, discord, telegram] = (['slack', 'discord', 'telegram'] as const).map((format) =>
    JSON.parse(chatBody(format, 'address_activity, “mine”', event)),
  )
  const head = 'address_activity, “mine”\ntransaction.txHash: 0x1\ntransaction.value: 10\n'
  const symbol = 'transaction.erc20Transfers.0.symbol: '
  assert.deepEqual(slack, { text: `${head}${symbol}&lt;!channel&gt; @everyone` })
  assert.deepEqual(discord, {
    content: `${head}${symbol}<!channel> @everyone`,
    allowed_mentions: { parse: [] },
  })
  assert.deepEqual(telegram, { text: `${head}${symbol}<!channel> @everyone` })
})

void test('chat: a long event is cut', () => {
  const { content } = JSON.parse(chatBody('discord', 'long', { data: 'x'.repeat(5_000) }))
  assert.equal(content.length, 1_901)
  assert.equal(content.at(-1), '…')
})

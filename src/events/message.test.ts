import assert from 'node:assert/strict'
import { test } from 'node:test'

import { canonicalJson, chatBody } from './message.ts'

void test('canonical JSON: the samples of RFC 8785', () => {
  // Section 3.2.2 and 3.2.3 of the RFC.
  const sample = {
    numbers: [333_333_333.333_333_3, 1e30, 4.5, 2e-3, 1e-27],
    string: '€$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
  }
  assert.equal(
    canonicalJson(sample),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  const names = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
  assert.equal(canonicalJson(names), '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
})

void test('canonical JSON: what is undefined is left out of objects', () => {
  assert.equal(canonicalJson({ b: undefined, a: [{ d: 1, c: undefined }] }), '{"a":[{"d":1}]}')
})

const event = {
  transaction: {
    txHash: '0x1',
    value: '10',
    erc20Transfers: [{ symbol: '<!channel> @everyone [AVAX](https://a.example) ```' }],
  },
  none: '',
}

void test('chat: each service has its text in its own member, and strangers mention nobody', () => {
  const [slack, discord, telegram] = (['slack', 'discord', 'telegram'] as const).map((format) =>
    JSON.parse(chatBody(format, 'address_activity, “mine”', event)),
  )
  const head = 'address_activity, “mine”\ntransaction.txHash: 0x1\ntransaction.value: 10\n'
  const symbol = 'transaction.erc20Transfers.0.symbol: '
  const [space, ticks] = ['\u200b', 'ˋˋˋ']
  const rest = `@${space}everyone [AVAX](https:${space}//a.example) ${ticks}`
  assert.deepEqual(slack, { text: `${head}${symbol}&lt;!channel&gt; ${rest}` })
  // Nothing in a block of code is a mention, a link or markdown.
  const [title = '', ...values] = `${head}${symbol}<!channel> ${rest}`.split('\n')
  const fence = '```'
  assert.deepEqual(discord, {
    content: [title, fence, ...values, fence].join('\n'),
    allowed_mentions: { parse: [] },
  })
  const { text, entities } = telegram
  assert.equal(text, [title, ...values].join('\n'))
  const [{ type, offset, length }] = entities
  assert.equal(type, 'pre')
  assert.equal(text.slice(offset, offset + length), values.join('\n'))
})

void test('chat: a long event is cut', () => {
  const { content } = JSON.parse(chatBody('discord', 'long', { data: 'x'.repeat(5_000) }))
  assert.ok(content.length <= 2_000)
  assert.match(content, /x…\n```$/)
})

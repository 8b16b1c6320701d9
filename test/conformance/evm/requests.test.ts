import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const base = `/v1/chains/${chain}/addresses/${address}`

/** Lists with a page size of 1 to 100 and a token; the key of their items. */
const lists = [
  [`${base}/transactions:listErc1155`, 'transactions'],
  [`${base}/transactions:listErc20`, 'transactions'],
  [`${base}/transactions:listErc721`, 'transactions'],
  [`${base}/transactions:listInternals`, 'transactions'],
  [`${base}/transactions:listNative`, 'transactions'],
  [`${base}/transactions`, 'transactions'],
  [`/v2/chains/${chain}/addresses/${address}/transactions`, 'transactions'],
  [`/v1/chains/${chain}/tokens/0x5fbdb2315678afecb367f032d93f642f64180aa3/transfers`, 'transfers'],
  [`/v1/chains/${chain}/transactions`, 'transactions'],
  [`/v1/chains/${chain}/blocks`, 'blocks'],
  ['/v1/transactions', 'transactions'],
  ['/v1/blocks', 'blocks'],
] as const

void test('lists: pageSize is 1 to 100, everything else is refused by name', async () => {
  for (const [path, key] of lists) {
    for (const size of ['1', '100']) {
      const { status, body } = await service.get(`${path}?pageSize=${size}`)
      assert.equal(status, 200, path)
      assert.ok(body[key].length <= Number(size))
    }
    for (const size of ['0', '101', '-1', '1.5', 'ten', '1e1', ' 5']) {
      const { status, body } = await service.get(`${path}?pageSize=${encodeURIComponent(size)}`)
      assert.equal(status, 400, `${path} ${size}`)
      assert.deepEqual(body, {
        message: `pageSize must be an integer from 1 to 100: ${size}`,
        error: 'Bad Request',
        statusCode: 400,
      })
    }
    const empty = await service.get(`${path}?pageSize=&pageToken=`)
    assert.equal(empty.body[key].length, 10, `${path}: empty values count as absent`)
  }
})

void test('lists: a token opens its own list only', async () => {
  const tokens = new Map<string, string>()
  for (const [path] of lists) {
    const { body } = await service.get(`${path}?pageSize=1`)
    assert.equal(typeof body.nextPageToken, 'string', path)
    tokens.set(path, body.nextPageToken)
  }
  for (const [path] of lists) {
    for (const [other, token] of tokens) {
      const { status } = await service.get(`${path}?pageSize=1&pageToken=${token}`)
      assert.equal(status, path === other ? 200 : 400, `${other} at ${path}`)
    }
  }
})

void test('lists: forged, cut, foreign and expired tokens are refused alike', async () => {
  for (const [path] of lists) {
    const { body } = await service.get(`${path}?pageSize=1`)
    const token: string = body.nextPageToken
    const flipped = token.slice(0, 20) + (token[20] === 'A' ? 'B' : 'A') + token.slice(21)
    const messages = new Set<string>()
    for (const bad of [flipped, token.slice(0, -2), `${token}AA`, 'x', '%00', 'A'.repeat(500)]) {
      const reply = await service.get(`${path}?pageSize=1&pageToken=${bad}`)
      assert.equal(reply.status, 400, `${path} ${bad}`)
      messages.add(reply.body.message)
    }
    assert.equal(messages.size, 1, 'a forger learns nothing')
  }
  const [path] = lists[1]
  const { body } = await service.get(`${path}?pageSize=1`)
  const next = `${path}?pageSize=1&pageToken=${body.nextPageToken}`
  const day = 24 * 60 * 60 * 1_000
  service.time.nowMs += day - 1_000
  assert.equal((await service.get(next)).status, 200)
  service.time.nowMs += 1_000
  assert.equal((await service.get(next)).status, 400)
  service.time.nowMs -= day
})

void test('lists: a token belongs to its filters and its address', async () => {
  const [path] = lists[1]
  const { body } = await service.get(`${path}?pageSize=1`)
  const token = `pageToken=${body.nextPageToken}`
  for (const changed of [
    `${path}?pageSize=1&startBlock=1&${token}`,
    `${path}?pageSize=1&endBlock=1000&${token}`,
    `${path.replace(address, '0x4ed7c70f96b99c776995fb64377f0d4ab3b0e1c1')}?pageSize=1&${token}`,
  ]) {
    assert.equal((await service.get(changed)).status, 400, changed)
  }
  // The same query written otherwise.
  const same = `${path.replace(address, address.toUpperCase().replace('0X', '0x'))}?${token}&pageSize=1`
  assert.equal((await service.get(same)).status, 200)
})

void test('lists: wrong parameters are all named in one message', async () => {
  const { status, body } = await service.get(
    `/v1/chains/${chain}/addresses/0x12/transactions:listErc20`,
  )
  assert.equal(status, 400)
  assert.equal(body.message, 'address must be an EVM address: 0x and 40 hex digits: 0x12')
  const both = await service.get(
    `${base}/transactions:listErc20?startBlock=-1&endBlock=x&pageSize=0`,
  )
  assert.equal(both.status, 400)
  for (const name of ['startBlock', 'endBlock', 'pageSize'])
    assert.match(both.body.message, RegExp(name))
  const status6 = await service.get(`/v1/chains/${chain}/transactions?status=ok`)
  assert.equal(status6.body.message, 'status must be one of failed, success: ok')
  const twice = await service.get(`${base}/transactions:listErc20?pageSize=1&pageSize=2`)
  assert.equal(twice.status, 400)
  const order = await service.get(`${base}/transactions?sortOrder=up`)
  assert.equal(order.status, 400)
})

void test('lists: a chain that is not served is 404', async () => {
  for (const [path] of lists.slice(0, 10)) {
    const { status, body } = await service.get(path.replace(String(chain), '77'))
    assert.equal(status, 404, path)
    assert.match(body.message, /^chain is not served here: 77 \(here: 51002 \(/)
  }
})

void test('lists: the verb may be percent-encoded', async () => {
  const plain = await service.get(`${base}/transactions:listErc20`)
  const encoded = await service.get(`${base}/transactions%3AlistErc20`)
  assert.deepEqual(encoded.body.transactions, plain.body.transactions)
})

void test('requests: a parameter that an operation does not have is refused with the nearest one', async () => {
  const list = `${base}/transactions:listErc20`
  const errors: Readonly<Record<string, RegExp>> = {
    'pagesize=5': /^pagesize is no parameter of this operation, did you mean pageSize\? \(it has: /,
    'page=2': /^page is no parameter/,
    'fromBlock=1': /^fromBlock is no parameter .*startBlock/,
    'startBlock=5&endBlock=4': /^startBlock is above endBlock: 5, 4$/,
  }
  for (const [query, words] of Object.entries(errors)) {
    const { status, body } = await service.get(`${list}?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.message, words)
  }
  for (const query of ['minHeight=1', 'rltoken=x', 'apikey=x', ''])
    assert.equal((await service.get(`${list}?${query}`)).status, 200, query)
  // In the form of Etherscan it is said in that form.
  const form = '/v1/chains/51002/api?module=account&action=txlist&anything=1'
  assert.equal((await service.get(form)).body.status, '0')
})

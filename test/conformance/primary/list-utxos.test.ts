/** Document A, operation 3, against the UTXOs the recorded node gave. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toPrimaryAddress } from '../../../src/core/address.ts'
import { toCb58 } from '../../../src/core/cb58.ts'
import { hash160 } from '../../../src/core/hash.ts'
import { everyAddress } from '../../../src/store/query/primary/whole-state.ts'
import type { Json } from '../../support/services/evm-service.ts'
import {
  primaryService,
  recordedAnswers,
  startPrimaryService,
} from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await primaryService()
const answers = recordedAnswers()
const { store, hrp, chainIds } = service.network
const all = await everyAddress(store, 1_000)
const texts = all.map(({ address }) => toPrimaryAddress(hrp, address))
const base = '/v1/networks/fuji/blockchains'

/** UTXOs in hex without checksum, as the node listed them for one chain and source. */
function recorded(method: string, sourceChain?: Uint8Array): string[] {
  const wanted = sourceChain === undefined ? undefined : toCb58(sourceChain)
  return answers
    .filter((one) => one.method === method && (one.parameters as Json).sourceChain === wanted)
    .flatMap(({ reply }) => (reply as Json).utxos as string[])
}

async function listed(chain: string, query = ''): Promise<Json[]> {
  const { status, body } = await service.post(`${base}/${chain}/utxos?pageSize=1024${query}`, {
    addresses: texts.join(','),
  })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.nextPageToken, undefined)
  return body.utxos
}

/** The node's form: no checksum. */
function bytesOf(utxo: Json): string {
  return utxo.utxoBytes.slice(0, -8)
}

void test('UTXOs: those of the P-Chain are the node’s, stakes and what is on its way beside them', async () => {
  const utxos = await listed('p-chain')
  const own = utxos.filter(
    (utxo) => !utxo.staked && utxo.createdOnChainId === utxo.consumedOnChainId,
  )
  assert.deepEqual(own.map(bytesOf).toSorted(), recorded('platform.getUTXOs').toSorted())
  const fromX = utxos.filter((utxo) => utxo.createdOnChainId === toCb58(chainIds.X))
  const atomic = recorded('platform.getUTXOs', chainIds.X)
  assert.deepEqual(fromX.map(bytesOf).toSorted(), atomic.toSorted())
  assert.ok(utxos.some((utxo) => utxo.staked && utxo.utxoType === 'STAKE'))
  for (const utxo of utxos) assert.equal(utxo.consumingTxHash, undefined)
})

void test('UTXOs: those of the X- and C-Chain are the node’s', async () => {
  const x = (await listed('x-chain')).filter(
    (utxo) => utxo.createdOnChainId === utxo.consumedOnChainId,
  )
  // Shared outputs need as many of their owners as their threshold says; the request names all owners.
  assert.deepEqual(x.map(bytesOf).toSorted(), recorded('avm.getUTXOs').toSorted())
  const c = (await listed('c-chain')).filter(
    (utxo) => utxo.consumedOnChainId === toCb58(chainIds.C),
  )
  const atomic = [
    ...recorded('avax.getUTXOs', chainIds.P),
    ...recorded('avax.getUTXOs', chainIds.X),
  ]
  assert.deepEqual(c.map(bytesOf).toSorted(), atomic.toSorted())
})

void test('UTXOs: every order is total, and pages joined are the whole list', async () => {
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    for (const spent of ['', '&includeSpent=true']) {
      for (const sortBy of ['timestamp', 'amount']) {
        const query = `${spent}&sortBy=${sortBy}`
        const up = await listed(chain, `${query}&sortOrder=asc`)
        const down = await listed(chain, `${query}&sortOrder=desc`)
        assert.deepEqual(up.toReversed(), down, `${chain}${query}`)
        const key = (utxo: Json): bigint =>
          BigInt(sortBy === 'amount' ? utxo.amount : utxo.blockTimestamp)
        for (let at = 1; at < up.length; at++)
          assert.ok(key(up[at - 1]) <= key(up[at]), `${chain}${query} at ${at}`)
        const path = `${base}/${chain}/utxos?addresses=${texts.join(',')}${query}&pageSize=17`
        assert.deepEqual(await service.readAll(path, 'utxos'), down, `${chain}${query} by pages`)
      }
    }
  }
})

void test('UTXOs: filters give what they say', async () => {
  const whole = await listed('p-chain')
  const least = 2_000_000_000_000
  const some = await listed('p-chain', `&minUtxoAmount=${least}`)
  assert.deepEqual(
    some,
    whole.filter(({ amount }) => BigInt(amount) >= BigInt(least)),
  )
  const exact = await listed('p-chain', `&minUtxoAmount=${whole[0].amount}`)
  assert.ok(
    exact.some(({ utxoId }) => utxoId === whole[0].utxoId),
    'the bound is inclusive',
  )
  const spent = (await listed('p-chain', '&includeSpent=true')).filter(
    ({ consumingTxHash }) => consumingTxHash !== undefined,
  )
  assert.ok(spent.length > 10)
  const x = await listed('x-chain', '&includeSpent=true')
  for (const assetId of new Set(x.map((utxo) => utxo.assetId))) {
    const filtered = await listed('x-chain', `&includeSpent=true&assetId=${assetId}`)
    assert.deepEqual(
      filtered,
      x.filter((utxo) => utxo.assetId === assetId),
    )
  }
  const unknown = toCb58(new Uint8Array(32).fill(1))
  assert.deepEqual(await listed('x-chain', `&assetId=${unknown}`), [])
})

void test('UTXOs: an output is listed only for as many owners as it needs', async () => {
  const shared = (await listed('p-chain')).find((utxo) => utxo.threshold > 1)
  assert.ok(shared !== undefined, 'the recording has an output of two signatures')
  const ids = async (addresses: string[]): Promise<string[]> => {
    const { body } = await service.post(`${base}/p-chain/utxos?pageSize=1024`, {
      addresses: addresses.join(','),
    })
    return body.utxos.map((utxo: Json) => utxo.utxoId)
  }
  assert.ok((await ids(shared.addresses)).includes(shared.utxoId))
  assert.ok(!(await ids(shared.addresses.slice(0, 1))).includes(shared.utxoId))
})

void test('UTXOs: an address may be bare or prefixed, on P it is none of an EVM chain; ids cb58, hex or alias', async () => {
  const [first] = all
  assert.ok(first !== undefined)
  const text = toPrimaryAddress(hrp, first.address)
  const hex = `0x${Buffer.from(first.address).toString('hex')}`
  const want = await service.post(`${base}/p-chain/utxos`, { addresses: text })
  for (const form of [`P-${text}`, `X-${text}`, `C-${text}`, ` ${text} , ,${text}`]) {
    const { body } = await service.post(`${base}/p-chain/utxos`, { addresses: form })
    assert.deepEqual(body.utxos, want.body.utxos, form)
  }
  const refused = await service.post(`${base}/p-chain/utxos`, { addresses: hex })
  assert.equal(refused.status, 400)
  assert.match(String(refused.body.message), /0x/)
  for (const chain of [toCb58(chainIds.P), '0'.repeat(64), `0x${'0'.repeat(64)}`]) {
    const { body } = await service.post(`${base}/${chain}/utxos`, { addresses: text })
    assert.deepEqual(body.utxos, want.body.utxos, chain)
  }
})

void test('UTXOs: a bad parameter is a 400 that names it', async () => {
  const post = (query: string, body: Json): ReturnType<typeof service.post> =>
    service.post(`${base}/p-chain/utxos${query}`, body)
  const ok = { addresses: texts[0] }
  const many = Array.from({ length: 1_025 }, (_, at) => {
    const bytes = new Uint8Array(20)
    new DataView(bytes.buffer).setUint32(0, at)
    return toPrimaryAddress(hrp, bytes)
  })
  const most = await post('', { addresses: many.slice(0, 1_024).join(',') })
  assert.equal(most.status, 200)
  assert.deepEqual(most.body.utxos, [])
  const cases: readonly [string, Json, RegExp][] = [
    ['', {}, /addresses/],
    ['', { addresses: '' }, /addresses/],
    ['', { addresses: 'local1qqq' }, /addresses/],
    ['', { addresses: `avax${texts[0]?.slice(5)}` }, /addresses/],
    ['', { addresses: many.join(',') }, /1024/],
    ['?pageSize=0', ok, /pageSize must be an integer from 1 to 1024/],
    ['?pageSize=1025', ok, /pageSize/],
    ['?sortBy=age', ok, /sortBy must be one of timestamp, amount/],
    ['?sortOrder=up', ok, /sortOrder/],
    ['?minUtxoAmount=-1', ok, /minUtxoAmount/],
    ['?includeSpent=yes', ok, /includeSpent/],
    ['?assetId=AVAX', ok, /assetId/],
    ['?pageToken=abc', ok, /pageToken/],
  ]
  for (const [query, body, message] of cases) {
    const reply = await post(query, body)
    assert.equal(reply.status, 400, query)
    assert.match(reply.body.message, message)
    assert.equal(reply.body.error, 'Bad Request')
  }
  const elsewhere = await service.post('/v1/networks/mainnet/blockchains/p-chain/utxos', ok)
  assert.equal(elsewhere.status, 404)
})

void test('UTXOs: those that the X- and C-Chain show as spent were signed by their owners', async () => {
  for (const chain of ['x-chain', 'c-chain']) {
    const spent = (await listed(chain, '&includeSpent=true')).filter(
      (utxo) => utxo.consumingTxHash !== undefined,
    )
    assert.ok(spent.length > 0, chain)
    for (const { utxoId, threshold, addresses, credentials } of spent) {
      assert.equal(credentials.length, threshold, utxoId)
      for (const { signature, publicKey } of credentials) {
        assert.equal(Buffer.from(signature, 'base64').length, 65)
        const owner = hash160(Buffer.from(publicKey, 'base64'))
        assert.ok(addresses.includes(toPrimaryAddress(hrp, owner)), utxoId)
      }
    }
  }
  const { body } = await service.get(`${base}/x-chain/transactions?pageSize=100`)
  const consumed = body.transactions.flatMap((one: Json) => one.consumedUtxos)
  assert.ok(consumed.length > 0)
  for (const utxo of consumed) assert.ok(utxo.credentials.length > 0, utxo.utxoId)
  for (const utxo of await listed('x-chain')) assert.equal(utxo.credentials, undefined)
})

void test('UTXOs: the body holds as many addresses as the setting may allow', async () => {
  const limits = { maxAddresses: 64, maxBodyAddresses: 4_096, transactionPageUtxos: 4_000 }
  const wide = await startPrimaryService({ limits })
  try {
    const unseen = Array.from({ length: 4_096 - texts.length }, (_, at) => {
      const bytes = new Uint8Array(20)
      new DataView(bytes.buffer).setUint32(0, at)
      return toPrimaryAddress(hrp, bytes)
    })
    const path = `${base}/p-chain/utxos?pageSize=1024`
    const named = (list: readonly string[]): Json => ({
      addresses: list.map((address) => `P-${address}`).join(', '),
    })
    const { status, body } = await wide.post(path, named([...unseen, ...texts]))
    assert.equal(status, 200, body.message)
    assert.deepEqual(body.utxos, (await service.post(path, named(texts))).body.utxos)
  } finally {
    await wide.close()
  }
})

provesOperations([service], ['getUtxosByAddresses'])

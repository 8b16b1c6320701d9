/** One question over everything: each kind of id leads to the operation that tells it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import { createNetworkDirectory } from '../../../src/api/primary/network/networks.ts'
import { search } from '../../../src/api/search/search.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { type EvmService, evmService, type Json } from '../../support/services/evm-service.ts'
import { primaryService, recordedAnswers, replyOf } from '../../support/services/primary-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'

const primary = await primaryService()
const scaled = await primaryService({}, 'postgres')
const searching = (network: typeof primary.network): Promise<EvmService> =>
  evmService({
    chains: [51001, 51002],
    more: (parts) => [
      search({ ...parts, labels: [], networks: createNetworkDirectory(() => [network]) }),
    ],
  })
const service = await searching(primary.network)
const other = await searching(scaled.network)

const hits = async (q: string): Promise<Json[]> => {
  const { status, body } = await service.get(`/v1/search?q=${encodeURIComponent(q)}`)
  assert.equal(status, 200, q)
  const same = await other.get(`/v1/search?q=${encodeURIComponent(q)}`)
  assert.deepEqual(same.body, body, `${q}: both databases`)
  return body.hits
}

/** The hit leads to an answer. */
async function follows(hit: Json): Promise<Json> {
  const at = hit.path.startsWith('/v1/networks/') ? primary : service
  const { status, body } = await at.get(hit.path)
  assert.equal(status, 200, hit.path)
  return body
}

const base = '/v1/networks/fuji'
const answers = recordedAnswers()

void test('search: ids of the primary network, in cb58 and in hex', async () => {
  const [subnet] = (await primary.get(`${base}/subnets`)).body.subnets
  const [chain] = (await primary.get(`${base}/blockchains?pageSize=100`)).body.blockchains
  const [l1] = (await primary.get(`${base}/l1Validators`)).body.validators
  const { assetID } = replyOf(answers, 'avm.getAssetDescription') as Json
  for (const [kind, id] of [
    ['subnet', subnet.subnetId],
    ['blockchain', chain.blockchainId],
    ['l1Validator', l1.validationId],
    ['l1Validator', l1.validationIdHex],
    ['asset', assetID],
  ] as const) {
    const found = await hits(id)
    const isThere = found.some((hit) => hit.kind === kind && hit.match === 'id')
    assert.ok(isThere, `${kind} ${id}: ${JSON.stringify(found)}`)
    for (const hit of found) await follows(hit)
  }
  for (const name of ['p-chain', 'x-chain', 'c-chain']) {
    const at = `${base}/blockchains/${name}`
    const [transaction] = (await primary.get(`${at}/transactions`)).body.transactions
    const [found] = (await hits(transaction.txHash)).filter(({ kind }) => kind === 'transaction')
    assert.equal((await follows(found)).txHash, transaction.txHash)
    const [block] = (await primary.get(`${at}/blocks`)).body.blocks
    const [blockHit] = (await hits(block.blockHash)).filter(({ kind }) => kind === 'block')
    assert.equal((await follows(blockHit)).blockHash, block.blockHash)
  }
})

void test('search: nodes and addresses of the primary network', async () => {
  const listed = await primary.get(`${base}/validators?validationStatus=active&pageSize=100`)
  const validator = listed.body.validators.find((one: Json) => one.delegationFee !== undefined)
  const [node] = await hits(validator.nodeId)
  assert.equal(node.kind, 'node')
  assert.equal((await follows(node)).validators[0].nodeId, validator.nodeId)
  const owner = validator.potentialRewards.rewardAddresses[0]
  for (const q of [owner, `P-${owner}`]) {
    const [address] = await hits(q)
    assert.equal(address.kind, 'address')
    assert.equal(address.id, owner)
    await follows(address)
  }
})

void test('search: hashes, addresses and tokens of EVM chains', async () => {
  const [transaction] = (await service.get('/v1/chains/51001/transactions')).body.transactions
  const [found] = await hits(transaction.txHash)
  assert.deepEqual([found.kind, found.chainId], ['transaction', '51001'])
  await follows(found)
  const [block] = await hits(transaction.blockHash)
  assert.equal(block.kind, 'block')
  await follows(block)
  const sender = await hits(transaction.from.address.toLowerCase())
  assert.ok(sender.some(({ kind, chainId }) => kind === 'address' && chainId === '51001'))
  for (const hit of sender) await follows(hit)
  const made = rawChain(51001).flatMap(({ receipts }) =>
    receipts.flatMap(({ contractAddress, status }) =>
      typeof contractAddress === 'string' && status === '0x1' ? [contractAddress] : [],
    ),
  )
  assert.ok(made.length > 5)
  for (const contract of made.slice(0, 20)) {
    const [on] = (await hits(contract)).filter(({ chainId }) => chainId === '51001')
    assert.match(on.kind, /^(?:token|contract)$/, contract)
    await follows(on)
  }
  const owner = transaction.from.address
  const { body } = await service.get(`/v1/chains/51001/addresses/${owner}/transactions:listErc20`)
  for (const { erc20Token } of body.transactions) {
    const tokens = await hits(erc20Token.address)
    assert.ok(tokens.some(({ kind }) => kind === 'token'))
    for (const text of [erc20Token.symbol, erc20Token.name].filter((one: string) => one !== '')) {
      const named = await hits(text)
      assert.ok(
        named.some(({ kind, id }) => kind === 'token' && id === erc20Token.address),
        text,
      )
    }
  }
})

void test('search: a token is found by its name in small letters, and by its beginning', async () => {
  const [{ from }] = (await service.get('/v1/chains/51001/transactions')).body.transactions
  const path = `/v1/chains/51001/addresses/${from.address}/transactions:listErc20`
  const seen: string[] = []
  for (const { erc20Token } of (await service.get(path)).body.transactions) {
    if (!/^[A-Z][a-z]+( [A-Z][a-z]+)*$/.test(erc20Token.name)) continue
    const named = await hits(erc20Token.name.toLowerCase())
    seen.push(erc20Token.name)
    assert.ok(
      named.some(({ id }) => id === erc20Token.address),
      erc20Token.name,
    )
    // As people type it, letter by letter, by the name and by the symbol.
    for (const text of [erc20Token.name, erc20Token.symbol])
      for (let size = 2; size < text.length; size++) {
        const begun = await hits(text.slice(0, size).toLowerCase())
        const hit = begun.find(({ id }) => id === erc20Token.address)
        assert.equal(hit?.match, 'part', text.slice(0, size))
      }
  }
  assert.ok(seen.length > 0, 'there is such a token')
})

void test('search: a token is found by any word of its name; what looks like spam comes last and says so', async () => {
  const tokens = async (q: string): Promise<string[]> =>
    (await hits(q)).filter(({ kind }) => kind === 'token').map(({ label }) => label)
  // Both chains have the same tokens.
  const twice = (label: string): string[] => [label, label]
  for (const [q, label] of [
    ['coin', 'USD Coin (USDC)'],
    ['decimals lon', 'Long decimals (LONG)'],
    ['MAKER', 'Old Maker (OMK)'],
    ['eth', 'Wrapped Ether (WETH.e)'],
    ['wrapped avax', 'Wrapped AVAX (WAVAX)'],
  ] as const)
    assert.deepEqual(await tokens(q), twice(label), q)
  assert.deepEqual(await tokens('avax'), twice('Wrapped AVAX (WAVAX)'))
  assert.deepEqual(await tokens('coin nonsense'), [])
  const claims = (await hits('rewards')).filter(({ kind }) => kind === 'token')
  assert.equal(claims.length, 6)
  assert.ok(claims.every(({ isSpam }) => isSpam === true))
  const labels = await tokens('re')
  assert.deepEqual(labels.slice(0, 2), twice('Rebase (RBS)'))
  assert.equal(labels.length, 8)
})

void test('search: a number finds the block of that height on every chain and the EVM chain of that id', async () => {
  const found = await hits('1')
  const places = found.map(({ chainId, blockchainId }) => chainId ?? blockchainId)
  for (const place of ['51001', '51002', 'p-chain', 'x-chain', 'c-chain'])
    assert.ok(places.includes(place), place)
  for (const hit of found) await follows(hit)
  const [chain] = await hits('51001')
  assert.deepEqual([chain.kind, chain.match], ['chain', 'id'])
  const listed = (await primary.get(`${base}/blockchains?pageSize=100`)).body.blockchains
  for (const { evmChainId, blockchainId } of listed) {
    if (evmChainId === undefined) continue
    const own = (await hits(String(evmChainId))).filter(({ kind }) => kind === 'blockchain')
    assert.ok(own.some(({ id }) => id === blockchainId))
  }
})

void test('search: assets of the X-Chain by name and symbol, chains by their native token', async () => {
  const { assetID, name, symbol } = replyOf(answers, 'avm.getAssetDescription') as Json
  for (const q of [name, symbol, symbol.toLowerCase()]) {
    const asset = (await hits(q)).find(({ kind }) => kind === 'asset')
    assert.deepEqual([asset?.id, asset?.match], [assetID, 'name'], q)
    assert.equal((await follows(asset)).assetId, assetID)
  }
  const listed = (await service.get('/v1/chains')).body.chains
  for (const { chainId, networkToken } of listed) {
    const chain = (await hits(networkToken.symbol)).find(({ id }) => id === chainId)
    assert.deepEqual([chain?.kind, chain?.match], ['chain', 'name'], networkToken.symbol)
  }
})

void test('search: names of chains, whole before part; networks apart; nothing is nothing', async () => {
  const [byName] = await hits('x-chain')
  assert.deepEqual([byName.kind, byName.match], ['blockchain', 'name'])
  const parts = await hits('chain')
  assert.ok(parts.length > 1 && parts.every(({ match }) => match === 'part'))
  assert.deepEqual((await service.get('/v1/search?q=chain&network=mainnet')).body.hits, [])
  assert.deepEqual(await hits('no such thing'), [])
  assert.deepEqual(await hits('0x'), [])
  for (const query of ['', '?q=', `?q=${'x'.repeat(129)}`, '?q=%20'])
    assert.equal((await service.get(`/v1/search${query}`)).status, 400, query)
})

void test('search: labels and names of contracts lead to their addresses, and a hit says that it is called so', async () => {
  const [{ from, to }] = (await service.get('/v1/chains/51001/transactions')).body.transactions
  const labelled = await evmService({
    chains: [51001],
    more: (parts) => [
      search({
        ...parts,
        networks: createNetworkDirectory(() => []),
        labels: ['Till of the harbour', 'Elsewhere'].map((label, at) => ({
          chainId: at === 0 ? undefined : 51002,
          address: fromHex(from.address),
          label,
        })),
        contracts: {
          named: async (_chain, text) => (text === 'exch' ? [fromHex(to.address)] : []),
        },
        addressBooks: createRichAddressBooks(parts.clock, () => ({ label: 'Till' })),
      }),
    ],
  })
  const [hit] = (await labelled.get(`/v1/search?q=${from.address}`)).body.hits
  assert.deepEqual([hit.label, hit.isLabelled], ['Till', true])
  const named = async (q: string): Promise<Json[]> =>
    (await labelled.get(`/v1/search?q=${encodeURIComponent(q)}`)).body.hits.map(
      ({ id }: Json) => id,
    )
  // By any part of a label that counts on the chain, and by a contract's name.
  assert.deepEqual(await named('harbour'), [from.address])
  assert.deepEqual(await named('elsewhere'), [])
  assert.deepEqual(await named('exch'), [to.address])
  const [plain] = await hits(from.address)
  assert.deepEqual([plain.kind, plain.isLabelled], ['address', undefined])
})

void test('search: six digits lead to the transactions, blocks and addresses that begin so', async () => {
  const { transactions } = (await service.get('/v1/chains/51001/transactions')).body
  for (const { txHash, blockHash, from } of transactions)
    for (const [id, kind] of [
      [txHash, 'transaction'],
      [blockHash, 'block'],
      [from.address, 'address'],
    ] as const)
      for (const digits of [6, 7, 12, 30]) {
        const found = (await hits(id.slice(0, 2 + digits))).filter(
          (hit) => hit.id.toLowerCase() === id.toLowerCase() && hit.chainId === '51001',
        )
        assert.deepEqual([found[0]?.kind, found[0]?.match], [kind, 'part'], `${id} ${digits}`)
        await follows(found[0])
      }
  assert.deepEqual(await hits('0x123'), [])
})

void test('search: an NFT by the name of its collection and its number', async () => {
  // What was minted is in the logs of the recording: Transfer with four topics, from nobody.
  const minted = rawChain(51001).flatMap(({ receipts }) =>
    receipts.flatMap(({ logs }) =>
      logs.filter(
        ({ topics }) =>
          topics.length === 4 &&
          topics[0]?.startsWith('0xddf252ad') === true &&
          BigInt(topics[1] ?? 1) === 0n,
      ),
    ),
  )
  const [first] = minted
  assert.ok(first !== undefined && minted.length > 3)
  const [token] = await hits(first.address)
  const name = token.label.replace(/ \(.*/, '')
  const numbers = minted
    .filter(({ address }) => address === first.address)
    .map(({ topics }) => String(BigInt(topics[3] ?? 0)))
    .slice(0, 3)
  for (const number of numbers)
    for (const q of [`${name} #${number}`, `${name.toLowerCase()} ${number}`]) {
      const found = (await hits(q)).filter(({ kind }) => kind === 'nft')
      const own: Json = found.find(({ path }) => path.toLowerCase().includes(first.address))
      assert.ok(own, `${q}: ${JSON.stringify(found)}`)
      assert.equal(own.id, number)
      assert.match(own.path, new RegExp(`/tokens/${number}$`))
      assert.equal(own.match, 'name')
    }
  const none = await hits(`${name} #999999999`)
  assert.deepEqual(
    none.filter(({ kind }) => kind === 'nft'),
    [],
  )
  assert.deepEqual(await hits(`${name} #${'9'.repeat(78)}`), [])
})

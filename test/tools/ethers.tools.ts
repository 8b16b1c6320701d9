/** ethers' EtherscanProvider against Firn: over an anvil, and over the demo, whose lists it reads whole. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  Contract,
  EtherscanProvider,
  JsonRpcProvider,
  Network,
  parseEther,
  toBeHex,
  Wallet,
  WebSocketProvider,
} from 'ethers'

import {
  freshFolder,
  indexedFolder,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import { replacedFirn, mineOverReplacement } from '../support/processes/replaced-firn.ts'
import { readAll } from '../support/services/read-all.ts'
import { account, accountKey, firnOverAnvil } from './anvil.ts'
import { chainOfTransfers } from './transfers.ts'

const host = 'https://api.etherscan.io'

/** The provider at another address. It takes only chains that it knows the ids of. */
class FirnProvider extends EtherscanProvider {
  readonly #apiUrl: string

  constructor(apiUrl: string, chainId: number) {
    super(Network.from(chainId))
    this.#apiUrl = apiUrl
  }
  override getUrl(module: string, parameters: Record<string, string>): string {
    return super.getUrl(module, parameters).replace(host, this.#apiUrl)
  }
  override getPostUrl(): string {
    return super.getPostUrl().replace(host, this.#apiUrl)
  }
}

void test('ethers: its EtherscanProvider sends and reads', async (t) => {
  const folder = await freshFolder(t)
  const chainId = 80_002
  const { firn } = await firnOverAnvil(t, { folder, chainId })
  const provider = new FirnProvider(firn.apiUrl, chainId)
  const wallet = new Wallet(accountKey, provider)
  const to = '0x00000000000000000000000000000000000000aa'
  const sent = await wallet.sendTransaction({ to, value: parseEther('1.5') })
  await until('the coins are there', async () => (await provider.getBalance(to)) > 0n)
  assert.equal(await provider.getBalance(to), parseEther('1.5'))
  await until('the chain is read', async () => {
    const history = await provider.fetch('account', { action: 'txlist', address: account })
    return Array.isArray(history) && history[0]?.hash === sent.hash
  })
  assert.equal((await provider.getTransactionReceipt(sent.hash))?.status, 1)
  // It caches an answer for a quarter of a second.
  await until('the block counts', async () => (await provider.getBlockNumber()) === 1)
  assert.equal(await provider.getContract(to), null)
})

void test('ethers: its WebSocketProvider hears of each block, in order', async (t) => {
  const folder = await freshFolder(t)
  const { anvil, firn } = await firnOverAnvil(t, { folder, chainId: 31_337 })
  const provider = new WebSocketProvider(`${firn.apiUrl.replace('http', 'ws')}/ext/bc/31337/ws`)
  const heights: number[] = []
  await provider.on('block', (height: number) => heights.push(height))
  await until('it listens', async () => {
    await anvil.call('evm_mine')
    return heights.length > 0
  })
  for (let more = 0; more < 10; more++) await anvil.call('evm_mine')
  const last = await provider.getBlockNumber()
  await until('the last block', () => heights.includes(last))
  // What is in a block at once never waits.
  await anvil.call('evm_setAutomine', false)
  const waiting: string[] = []
  await provider.on('pending', (hash: string) => waiting.push(hash))
  const sent: unknown[] = []
  await until('one that waits', async () => {
    sent.push(await anvil.call('eth_sendTransaction', { from: account, to: account }))
    return waiting.some((hash) => sent.includes(hash))
  })
  const first = heights[0] ?? 0
  assert.deepEqual(
    heights,
    heights.map((_, at) => first + at),
  )
  await provider.destroy()
})

void test('ethers: over a process that is replaced it sees every block once and in order, for a minute', async (t) => {
  const replaced = await replacedFirn(t)
  const heights: number[] = []
  const providers: WebSocketProvider[] = []
  const listen = async (): Promise<void> => {
    const provider = new WebSocketProvider(replaced.url)
    providers.push(provider)
    // It does not come back by itself: whoever uses it makes another.
    Object.assign(provider.websocket, { onclose: () => void listen() })
    await provider.on('block', (height: number) => heights.push(height))
  }
  await listen()
  await mineOverReplacement(replaced, heights, 60)
  assert.equal(providers.length, 2)
  for (const { websocket } of providers) {
    Object.assign(websocket, { onclose: null })
    websocket.close()
  }
})

void test('ethers: queryFilter gives equal rows of a node and of Firn, in steps and at once', async (t) => {
  const { anvil, firn, address, head } = await chainOfTransfers(t, await freshFolder(t))
  const node = new JsonRpcProvider(anvil.url, 31_337, { staticNetwork: true })
  const own = new JsonRpcProvider(`${firn.apiUrl}/v1/chains/31337/rpc`, 31_337, {
    staticNetwork: true,
  })
  const abi = ['event Transfer(address indexed from, address indexed to, uint256 amount)']
  const rows = async (provider: JsonRpcProvider, step: number): Promise<readonly unknown[]> => {
    const contract = new Contract(address, abi, provider)
    const all: unknown[] = []
    for (const to of [undefined, toBeHex(3, 20)])
      for (let from = 0; from <= head; from += step) {
        const filter = contract.filters['Transfer']?.(null, to)
        assert.ok(filter)
        const found = await contract.queryFilter(filter, from, Math.min(head, from + step - 1))
        all.push(...found.map((log) => log.toJSON()))
      }
    return all
  }
  const theirs = await rows(node, 9)
  assert.equal(theirs.length, 48)
  for (const step of [9, 1_000]) assert.deepEqual(await rows(own, step), await rows(node, step))
})

type Row = Readonly<Record<string, string>>
type Listed = {
  readonly txHash: string
  readonly blockNumber: string
  readonly blockTimestamp: number
  readonly value?: string
  readonly createdContract?: string
  readonly from: { readonly address: string }
  readonly to: { readonly address: string }
  readonly erc721Token?: { readonly tokenId: string }
  readonly erc1155Token?: { readonly tokenId: string }
}

void test('ethers: the whole history of an account is what the lists of the API are', async (t) => {
  // The demo's smaller chain, by the id of one that the provider knows.
  const chainId = 51_002
  const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
  await untilLive(firn, ['fuji-demo-chain'])
  const provider = new (class extends FirnProvider {
    override getUrl(module: string, parameters: Record<string, string>): string {
      return super.getUrl(module, parameters).replace(/chainid=\d+/, `chainid=${chainId}`)
    }
  })(firn.apiUrl, 80_002)
  const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

  for (const [action, list] of [
    ['txlist', 'listNative'],
    ['txlistinternal', 'listInternals'],
    ['tokentx', 'listErc20'],
    ['tokennfttx', 'listErc721'],
    ['token1155tx', 'listErc1155'],
  ] as const) {
    const path = `/v1/chains/${chainId}/addresses/${address}/transactions:${list}?pageSize=100`
    const expected: Listed[] = await readAll(firn.get, path, 'transactions')
    const listed: Row[] = []
    for (let page = 1, last = 1; last > 0; page++) {
      // A page behind the last is a failure to the provider, as Etherscan's is.
      const rows: Row[] = await provider
        .fetch('account', { action, address, page, offset: 37, sort: 'desc' })
        .catch((error: unknown) => {
          assert.match(String(error), /No transactions found/)
          return []
        })
      listed.push(...rows)
      last = rows.length
    }
    assert.ok(expected.length > 0, action)
    const hex = (party: { readonly address: string }): string => party.address.toLowerCase()
    assert.deepEqual(
      listed.map(({ hash, blockNumber, timeStamp, from, to, value, tokenID, contractAddress }) => [
        hash,
        blockNumber,
        Number(timeStamp),
        from,
        // The form names what a creation made in a place of its own.
        to || contractAddress,
        action === 'tokennfttx' || action === 'token1155tx' ? tokenID : value,
      ]),
      expected.map((row) => [
        row.txHash,
        row.blockNumber,
        row.blockTimestamp,
        hex(row.from),
        action === 'txlist' ? (row.createdContract?.toLowerCase() ?? hex(row.to)) : hex(row.to),
        row.erc721Token?.tokenId ?? row.erc1155Token?.tokenId ?? row.value,
      ]),
      action,
    )
  }
})

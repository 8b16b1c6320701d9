/**
 * A chain with every allow list and fee precompile, on a real node alone: what is refused, what runs out of
 * gas and what is invalid, each first in its block. Firn goes on, and says why each failed.
 *
 * With `TEST_RECORD=1` the node's answers are written to `vectors/evm/allow-lists.json`.
 */

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { concatBytes, fromBigint, fromHex, to0x } from '../../src/core/bytes.ts'
import { toCb58 } from '../../src/core/cb58.ts'
import { freshFolder, startFirn, until } from '../support/processes/firn-process.ts'
import { avalancheTree } from './avalanche-tree.ts'
import { splitFunds } from './early-steps.ts'
import { creationOf } from './evm-code.ts'
import { EvmWallet } from './evm-wallet.ts'
import { ewoq, keyNamed } from './keys.ts'
import { convert, l1Answers, l1ChainNumber, restartWithL1 } from './l1-steps.ts'
import type { JsonObject } from './node-rpc.ts'
import { startOneNode } from './one-node.ts'
import { archive } from './real-network.ts'

const tree = avalancheTree() ?? ''
const skip = tree === '' && 'no Go that builds AvalancheGo, and no FIRN_AVALANCHE_TREE'
const guest = keyNamed('guest')
const lists = [
  'contractDeployerAllowListConfig',
  'contractNativeMinterConfig',
  'txAllowListConfig',
  'feeManagerConfig',
  'rewardManagerConfig',
]
const precompileAt = (at: number): Uint8Array =>
  concatBytes(fromHex('02'), fromBigint(BigInt(at), 19))
const word = (address: Uint8Array): Uint8Array => concatBytes(new Uint8Array(12), address)
/** Source: subnet-evm precompile/allowlist, IAllowList. */
const [readAllowList, setAdmin] = [fromHex('eb54dae1'), fromHex('704b6c02')]

void test(
  'allow lists: what a real node refuses is indexed, with its traces and its reason',
  { skip },
  async (t) => {
    const { network, scene } = await startOneNode(t, tree)
    await splitFunds(scene)
    const l1 = await convert(scene, {
      nodes: [1],
      config: (blockTimestamp) =>
        Object.fromEntries(
          lists.map((name) => [
            name,
            {
              blockTimestamp,
              adminAddresses: [to0x(ewoq.evm)],
              ...(name === 'txAllowListConfig' ? { enabledAddresses: [to0x(guest.evm)] } : {}),
            },
          ]),
        ),
      alloc: { [to0x(guest.evm).slice(2)]: { balance: '0x295BE96E64066972000000' } },
    })
    const folder = join(network.folder, 'node1', 'chains', toCb58(l1.chainId))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), JSON.stringify(archive))
    await restartWithL1(scene, l1, [1])
    await l1Answers(scene, l1, 1)
    const visitor = new EvmWallet(() => network.node(1), l1.path, guest)
    const endless = await l1.evm.send({ data: creationOf(fromHex('5b600056')) })
    const invalid = await l1.evm.send({ data: creationOf(fromHex('fe')) })
    const failed = [
      [await visitor.send({ data: creationOf(fromHex('00')), gas: 900_000n }, true), /refused/],
      [await l1.evm.send({ to: addressIn(endless), gas: 100_000n }, true), /out of gas/],
      [await l1.evm.send({ to: addressIn(invalid), gas: 100_000n }, true), /invalid opcode/],
    ] as [JsonObject, RegExp][]
    for (const at of lists.keys()) {
      const to = precompileAt(at)
      await l1.evm.send({ to, data: concatBytes(readAllowList, word(guest.evm)) })
      const refused = { to, data: concatBytes(setAdmin, word(guest.evm)), gas: 200_000n }
      failed.push([await visitor.send(refused, true), /^cannot modify allow list/])
    }
    const head = Number(await l1.evm.ask('eth_blockNumber'))
    if (process.env['TEST_RECORD'] === '1') await record(l1.evm, head)
    const config = join(await freshFolder(t), 'firn.yaml')
    const url = network.url(1) + l1.path
    writeFileSync(
      config,
      `dataDir: ${config}.data\nchains: [{ name: Guarded, rpcUrls: ['${url}'] }]\n`,
    )
    const firn = await startFirn(t, ['--config', config])
    await until('blocks and traces are indexed', async () => {
      const { chains } = (await firn.get('/status')) as { chains: { stages: JsonObject[] }[] }
      const at = (name: string): unknown =>
        chains[0]?.stages.find(({ stage }) => stage === name)?.['indexedHeight']
      return at('blocks') === head && at('traces') === head
    })
    for (const [receipt, reason] of failed) {
      assert.equal(receipt['status'], '0x0')
      const hash = String(receipt['transactionHash'])
      const answer = await firn.get(`/v1/chains/${l1ChainNumber}/transactions/${hash}`)
      const { txStatus, revertReason } = answer['nativeTransaction'] as JsonObject
      assert.equal(txStatus, '0', hash)
      const message = String((revertReason as JsonObject | undefined)?.['message'])
      scene.say(`${hash}: ${message}`)
      assert.match(message, reason)
    }
  },
)

function addressIn(receipt: JsonObject): Uint8Array {
  return fromHex(String(receipt['contractAddress']))
}

async function record(evm: EvmWallet, head: number): Promise<void> {
  const blocks: object[] = []
  for (let at = 1; at <= head; at++) {
    const height = `0x${at.toString(16)}`
    blocks.push({
      block: await evm.ask('eth_getBlockByNumber', height, true),
      receipts: await evm.ask('eth_getBlockReceipts', height),
      traces: await evm.ask('debug_traceBlockByNumber', height, { tracer: 'callTracer' }),
    })
  }
  const source = {
    node: 'avalanchego 1.14.2, subnet-evm 1.14.2',
    version: await evm.ask('web3_clientVersion'),
    note: 'a chain with every allow list and fee precompile, made by test/network/allow-lists.network.ts',
  }
  writeFileSync('vectors/evm/allow-lists.json', `${JSON.stringify({ source, blocks }, null, 1)}\n`)
}

/** Hardhat with its plugin of verification against Firn: by the forms of Etherscan, Blockscout and Sourcify. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

import { AbiCoder } from 'ethers'

import { freshFolder, until } from '../support/processes/firn-process.ts'
import { account, firnOverAnvil, toolPath } from './anvil.ts'

const chainId = 43_996
const version = '0.8.20'

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Counter {
    uint256 public immutable most;
    string public name;

    constructor(string memory name_, uint256 most_) {
        name = name_;
        most = most_;
    }
}
`

void test('hardhat: contracts are verified in three forms; a refusal gives its reason', async (t) => {
  const folder = await freshFolder(t)
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const compiler = createRequire(import.meta.url).resolve(`solc-${version}/soljson.js`)
  write(`compilers/soljson-v${version}+commit.a1b79de6.js`, readFileSync(compiler, 'utf8'))
  const settings = `contracts: { compilers: ${join(folder, 'compilers')} }`
  const { anvil, firn } = await firnOverAnvil(t, { folder, chainId, settings })

  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  write('package.json', '{ "type": "module" }')
  write('contracts/Counter.sol', source)
  const compiled = { version, path: compiler, settings: { evmVersion: 'paris' } }
  const explorer = { url: firn.apiUrl, apiUrl: `${firn.apiUrl}/v2/api` }
  const configuration = {
    solidity: { profiles: { default: compiled, production: compiled } },
    networks: { anvil: { type: 'http', url: anvil.url, chainId } },
    chainDescriptors: {
      [chainId]: {
        name: 'Anvil',
        blockExplorers: {
          etherscan: explorer,
          blockscout: { ...explorer, apiUrl: `${firn.apiUrl}/v1/chains/${chainId}/api` },
        },
      },
    },
    verify: {
      etherscan: { apiKey: 'any' },
      blockscout: { enabled: true },
      sourcify: { enabled: true, apiUrl: firn.apiUrl },
    },
  }
  write(
    'hardhat.config.js',
    `import verify from '@nomicfoundation/hardhat-verify'
export default { plugins: [verify], ...${JSON.stringify(configuration)} }
`,
  )
  const hardhat = async (...words: readonly string[]): Promise<string> => {
    const env = {
      ...process.env,
      HOME: folder,
      HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
      NO_COLOR: '1',
    }
    const { stdout, stderr } = await promisify(execFile)(toolPath('hardhat'), words, {
      cwd: folder,
      env,
    }).catch((error: { stdout: string; stderr: string }) => error)
    return `${stdout}${stderr}`
  }
  const built = await hardhat('build', '--build-profile', 'production')
  const artifact = JSON.parse(
    readFileSync(join(folder, 'artifacts/contracts/Counter.sol/Counter.json'), 'utf8'),
  ) as { bytecode: string }
  assert.match(built, /Compiled 1 Solidity file/)
  const deploy = async (most: number): Promise<string> => {
    const given = AbiCoder.defaultAbiCoder().encode(['string', 'uint256'], ['my counter', most])
    const data = artifact.bytecode + given.slice(2)
    const tx = { from: account, gas: '0x2dc6c0', data }
    const hash = await anvil.call('eth_sendTransaction', tx)
    // The hash is known before the block is made.
    let address = ''
    await until('the block', async () => {
      const receipt = await anvil.call('eth_getTransactionReceipt', hash)
      if (receipt !== null) address = (receipt as { contractAddress: string }).contractAddress
      return receipt !== null
    })
    return address
  }
  const forms = ['etherscan', 'blockscout', 'sourcify'] as const
  for (const [at, form] of forms.entries()) {
    const most = 100 + at
    const address = await deploy(most)
    await until('it is indexed', async () => {
      const path = `/v1/chains/${chainId}/contracts/${address}/transactions:getDeployment`
      return (await fetch(firn.apiUrl + path)).status === 200
    })
    const verify = (given: number): Promise<string> =>
      hardhat('verify', form, '--network', 'anvil', address, 'my counter', String(given))
    // Sourcify's form takes no arguments: they are what follows the code of the creation.
    if (form !== 'sourcify')
      assert.match(await verify(most + 1), /the constructor arguments are others: 0x/, form)
    assert.match(await verify(most), /Contract verified successfully on/, form)
    assert.match(await verify(most), /has already been verified on/, form)
  }
})

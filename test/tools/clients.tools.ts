/** Clients that generators make of `/openapi.json`: each compiles, and a call of each is answered. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { freshFolder } from '../support/processes/firn-process.ts'
import { firnOverAnvil, toolPath } from './anvil.ts'

const chainId = 43_997
const python = join(import.meta.dirname, 'node_modules/.python/bin')

const typed = `import type { paths } from './firn.js'
declare const process: { argv: string[] }
type Blocks = paths['/v1/chains/{chainId}/blocks']['get']
type Page = Blocks['responses'][200]['content']['application/json']
const path: Blocks['parameters']['path'] = { chainId: '${chainId}' }
const query: Blocks['parameters']['query'] = { pageSize: 1 }
const address = \`\${process.argv[2]}/v1/chains/\${path.chainId}/blocks?pageSize=\${query?.pageSize}\`
const page = (await (await fetch(address)).json()) as Page
console.log(page.blocks[0]?.blockHash)
`

const called = `import sys
from firn_client import Client
from firn_client.api.evm_blocks import get_latest_blocks
page = get_latest_blocks.sync(client=Client(base_url=sys.argv[1]), chain_id="${chainId}", page_size=1)
print(page.blocks[0].block_hash)
`

void test('generated clients: of TypeScript and Python compile and are answered', async (t) => {
  const folder = await freshFolder(t)
  const { anvil, firn } = await firnOverAnvil(t, { folder, chainId })
  const block = (await anvil.call('eth_getBlockByNumber', '0x0', false)) as { hash: string }
  const document = join(folder, 'openapi.json')
  writeFileSync(document, await (await fetch(`${firn.apiUrl}/openapi.json`)).text())
  const run = (program: string, ...words: readonly string[]): string =>
    execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

  run(toolPath('openapi-typescript'), document, '-o', join(folder, 'firn.d.ts'))
  writeFileSync(join(folder, 'call.ts'), typed)
  run(
    toolPath('tsc'),
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--lib',
    'es2024,dom',
    'call.ts',
  )
  assert.equal(run(process.execPath, 'call.ts', firn.apiUrl).trim(), block.hash)

  run(
    join(python, 'openapi-python-client'),
    'generate',
    '--path',
    document,
    '--meta',
    'none',
    '--output-path',
    'firn_client',
  )
  writeFileSync(join(folder, 'call.py'), called)
  run(join(python, 'python'), '-m', 'compileall', '-q', 'firn_client')
  assert.equal(run(join(python, 'python'), 'call.py', firn.apiUrl).trim(), block.hash)
})

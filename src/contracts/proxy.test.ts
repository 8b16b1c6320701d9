import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fromHex, to0x } from '../core/bytes.ts'
import { findProxy, type ProxyKind } from './proxy.ts'

const own = new Uint8Array(20).fill(0x11)
const led = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
// DELEGATECALL in its bytes, which is all that other proxies are looked at for.
const any = '6080604052f4'

async function kindOf(
  code: string,
  slots: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const found = await findProxy(own, {
    code: fromHex(code),
    storage: async (slot) => fromHex((slots[to0x(slot)] ?? '').padStart(64, '0')),
    call: async () => undefined,
  })
  const [implementation] = found?.implementations ?? []
  return found && [found.kind, implementation && to0x(implementation).slice(2)]
}

void test('proxies: clones of each kind name what they lead to', async () => {
  // Source: ERC-1167, ERC-7511, EIP-7702, Solady's LibClone, Vyper's create_minimal_proxy_to.
  const clones: readonly (readonly [string, string, ProxyKind])[] = [
    ['363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3', 'minimal'],
    ['363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3c0ffee', 'minimal'],
    ['3d3d3d3d363d3d37363d73', '5af43d3d93803e602a57fd5bf3', 'minimal'],
    ['365f5f375f5f365f73', '5af43d5f5f3e5f3d91602a57fd5bf3', 'minimal'],
    ['366000600037611000600036600073', '5af4602c57600080fd5b6110006000f3', 'minimal'],
    ['ef0100', '', 'delegation'],
  ]
  for (const [before, behind, kind] of clones)
    assert.deepEqual(await kindOf(`${before}${led}${behind}`), [kind, led], before)
  // An account's delegation is nothing else than these 23 bytes.
  assert.equal(await kindOf(`ef0100${led}00`), undefined)
})

void test('proxies: places of storage from before the standard are read', async () => {
  const zeppelin = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3'
  // Its code has the place as a constant.
  const code = `${any}7f${zeppelin.slice(2)}54`
  assert.deepEqual(await kindOf(code, { [zeppelin]: led }), ['zeppelinos', led])
  const first = { [`0x${'00'.repeat(32)}`]: led }
  // Source: safe-smart-account, the runtime code of its proxy from 1.0.0 on.
  const safe = `608060405273${'f'.repeat(40)}600054167fa619486e${'0'.repeat(56)}60003514156050575af4`
  assert.deepEqual(await kindOf(safe, first), ['safe', led])
  // In other contracts the first place is anything, an owner for instance.
  assert.equal(await kindOf(any, first), undefined)
})

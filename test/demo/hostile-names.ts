/**
 * Names that every plain object has are no values of ours: not as a parameter, not as a member of a
 * body, not as a header, of no operation and no route.
 */

import assert from 'node:assert/strict'

import type { RunningFirn } from '../support/processes/firn-process.ts'

/** Names that `Object.prototype` has or that JavaScript treats specially. */
export const hostileNames = [
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  'then',
  'length',
]

/** A value of each path parameter that lets the others of its operation be read. */
const samples = new Map([
  ['chainId', '51002'],
  ['network', 'fuji'],
  ['blockchainId', 'p-chain'],
  ['metric', 'txCount'],
  ['address', '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  ['blockId', '1'],
  ['tokenId', '1'],
  ['txHash', `0x${'1'.repeat(64)}`],
  ['messageId', `0x${'1'.repeat(64)}`],
  ['nodeId', 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
  ['subnetId', '11111111111111111111111111111111LpoYY'],
])

type OpenApiDocument = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters: readonly { readonly name: string; readonly in: string }[]
            readonly requestBody?: unknown
          }
        >
      >
    >
  >
}

/** Sends each of `names` in every place that takes a text; no answer may be a 500. */
export async function sendNames(firn: RunningFirn, names: readonly string[]): Promise<void> {
  const document = (await (await fetch(`${firn.apiUrl}/openapi.json`)).json()) as OpenApiDocument
  const broken: string[] = []
  let tries = 0
  const ask = async (path: string, init?: RequestInit): Promise<void> => {
    const reply = await fetch(`${firn.apiUrl}${path}`, init)
    await reply.text()
    tries++
    if (reply.status >= 500 && reply.status !== 503) broken.push(`${reply.status} ${path}`)
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { parameters, requestBody }] of Object.entries(item)) {
      const plain = filled(path, samples)
      // Names nobody declared, each twice.
      await ask(`${plain}?${[...names, ...names].map((name) => `${name}=1`).join('&')}`, { method })
      for (const name of names) {
        const paths = parameters.map((parameter) =>
          parameter.in === 'path'
            ? filled(path, new Map([...samples, [parameter.name, name]]))
            : `${plain}?${parameter.name}=${name}`,
        )
        await Promise.all(paths.map((one) => ask(one, { method })))
        if (requestBody !== undefined) await sendBodies(ask, plain, name)
      }
    }
  }
  assert.deepEqual(broken, [])
  assert.ok(tries > 150 * names.length, `${tries} requests`)
  await askOtherPlaces(firn, names)
}

async function sendBodies(
  ask: (path: string, init: RequestInit) => Promise<void>,
  path: string,
  name: string,
): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  for (const body of [`{"${name}":1}`, `{"addresses":["${name}"]}`, `{"message":"${name}"}`])
    await ask(path, { method: 'POST', headers, body })
}

/** Headers, files of the explorer, and the node listener's routes and methods. */
async function askOtherPlaces(firn: RunningFirn, names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (const url of [
      `${firn.apiUrl}/${name}`,
      `${firn.apiUrl}/explorer/${name}`,
      `${firn.apiUrl}/assets/${name}`,
      `${firn.nodeUrl}/ext/${name}`,
      `${firn.nodeUrl}/ext/bc/${name}`,
      `${firn.nodeUrl}/ext/bc/${name}/rpc`,
      `${firn.nodeUrl}/ext/health?tag=${name}`,
    ]) {
      const reply = await fetch(url, { headers: { 'x-firn-dialect': name } })
      await reply.text()
      assert.ok(reply.status < 500, `${reply.status} ${url}`)
    }
    for (const method of [name, `info.${name}`, `${name}.${name}`]) {
      const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { [name]: name } })
      const reply = await fetch(`${firn.nodeUrl}/ext/info`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: call,
      })
      assert.equal(reply.status, 200)
      assert.match(await reply.text(), /"error"/, method)
    }
  }
}

function filled(path: string, values: ReadonlyMap<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '1')
}

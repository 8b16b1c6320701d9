/**
 * Processor time of a request, and what each thread answers, with 1, 2 and 4 `api.workers`.
 *
 *     node bench/workers.ts [requests] [connections]
 *
 * A started Firn with the generated chains; lists of 10 blocks on connections that stay open. The
 * turns of the numbers alternate, the better of two counts. Rates depend on how many cores are free
 * beside the generator; processor time does not.
 */

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const requests = Number(process.argv[2] ?? 48_000)
const connections = Number(process.argv[3] ?? 32)
const path = '/v1/chains/51001/blocks?pageSize=10'
// What the runtime compiles at first is not what a request costs.
const warmUp = 0.4

type Figures = { readonly micros: number; readonly rate: number; readonly shares: string }

const best = new Map<number, Figures>()
for (const workers of [1, 2, 4, 1, 2, 4]) {
  const figures = await measure(workers)
  const before = best.get(workers)
  if (before === undefined || figures.micros < before.micros) best.set(workers, figures)
}
const alone = best.get(1)?.micros ?? Number.NaN
for (const [workers, { micros, rate, shares }] of best)
  console.log(
    `${workers} workers  ${micros.toFixed(0)} us a request (${(micros / alone).toFixed(2)} x), ` +
      `${rate.toFixed(0)}/s, answered by each: ${shares}`,
  )

async function measure(workers: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const child = spawn(
    process.execPath,
    ['bin/firn.js', 'start', '--port', '0', '--node-port', '0', '--data-dir', folder],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        FIRN_CONFIG: 'test/support/processes/two-chains.yaml',
        FIRN_API_WORKERS: String(workers),
      },
    },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    let said = ''
    child.stderr.on('data', (part: Buffer) => (said += part.toString('utf8')))
    while (!said.includes("operator's page")) await pause(50)
    const api = new URL(/API and explorer +(\S+)/.exec(said)?.[1] ?? '')
    const metrics = `${/node listener +(\S+)\/ext/.exec(said)?.[1]}/ext/metrics`
    while (!(await isLive(api))) await pause(200)
    const agents = Array.from(
      { length: connections },
      () => new Agent({ keepAlive: true, maxSockets: 1 }),
    )
    await askAll(api, agents, Math.round(requests * warmUp))
    const [counted, spent, startedMs] = [
      await countsOf(metrics),
      micros(child.pid),
      performance.now(),
    ]
    await askAll(api, agents, requests)
    const seconds = (performance.now() - startedMs) / 1_000
    const used = micros(child.pid) - spent
    const after = await countsOf(metrics)
    for (const agent of agents) agent.destroy()
    const shares = [...after].map(([thread, count]) => {
      return `${Math.round(((count - (counted.get(thread) ?? 0)) / requests) * 100)} %`
    })
    return { micros: used / requests, rate: requests / seconds, shares: shares.join(', ') }
  } finally {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function askAll(api: URL, agents: readonly Agent[], count: number): Promise<void> {
  const each = Math.ceil(count / agents.length)
  await Promise.all(
    agents.map(async (agent) => {
      for (let done = 0; done < each;) {
        if (await isAnswered(api, agent)) done++
        else await pause(50)
      }
    }),
  )
}

/** Asks once; false where the service refuses because it is busy. */
function isAnswered(api: URL, agent: Agent): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = api
    get({ host, port, path, agent }, (reply) => {
      reply.resume()
      reply.once('end', () => resolve(reply.statusCode === 200))
    }).once('error', reject)
  })
}

/** Requests that each thread has answered. */
async function countsOf(metrics: string): Promise<Map<string, number>> {
  const text = await (await fetch(metrics)).text()
  const found = text.matchAll(/^firn_api_thread_requests_total\{thread="(\d+)"\} (\d+)$/gm)
  return new Map([...found].map(([, thread = '', count]) => [thread, Number(count)]))
}

async function isLive(api: URL): Promise<boolean> {
  const reply = await fetch(new URL('/status', api))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of this version
  const { chains } = (await reply.json()) as { chains: { stages: { state: string }[] }[] }
  const states = chains.flatMap(({ stages }) => stages.map(({ state }) => state))
  return chains.length > 2 && states.every((state) => state === 'live' || state === 'off')
}

/** Processor time of every thread of a process so far. Source: proc(5), clock ticks of 10 ms. */
function micros(pid: number | undefined): number {
  let ticks = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1]
    const [user = 0, system = 0] = (fields ?? '').split(' ').slice(11, 13).map(Number)
    ticks += user + system
  }
  return ticks * 10_000
}

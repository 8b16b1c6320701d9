/** Funds that came to an address of P, X and C and left it, as a picture. */

import { h, type JSX } from 'preact'

import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import { useWhole, type Answer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { amount, count, cutAmount, ends } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { coins, idLink, shown, table, type View } from '../kit/parts.ts'
import { type Flow, type FlowChain, flowsOf } from './address-flow.ts'

const mostPages = 5
const perPage = 100
/** Ends of one side that are drawn; those beyond are one. */
const mostEnds = 8

type OfAddress = Readonly<Record<'network' | 'address', string>>
type Pages = readonly {
  readonly transactions: readonly PrimaryNetworkTransaction[]
  readonly nextPageToken?: string | undefined
}[]

/** The picture, and the same as a table. */
export function Picture({ network, address }: OfAddress): JSX.Element {
  const [p, x, c] = (['p-chain', 'x-chain', 'c-chain'] as const).map((blockchainId) =>
    useWhole(
      urlOf('/v1/networks/{network}/blockchains/{blockchainId}/transactions', {
        network,
        blockchainId,
        addresses: address,
        pageSize: perPage,
      }),
      mostPages,
    ),
  )
  return h('div', null, [
    shown(joined([p, x, c]), ([ofP = [], ofX = [], ofC = []]) => {
      const flows = flowsOf(address, { P: txsIn(ofP), X: txsIn(ofX), C: txsIn(ofC) })
      const isWhole = [ofP, ofX, ofC].every((pages) => pages.at(-1)?.nextPageToken === undefined)
      return flows.length === 0
        ? h('p', { class: 'empty' }, 'Nothing came or went.')
        : [
            drawn(flows),
            h(
              'p',
              { class: 'quiet' },
              isWhole
                ? 'AVAX, of all its transactions. Where several paid together, each is shown with its part.'
                : `AVAX, of the latest ${count(mostPages * perPage)} transactions of each chain; there are more.`,
            ),
            asTable(network, flows),
          ]
    }),
  ])
}

/** All answers, or the first failure. */
function joined(answers: readonly (Answer<Pages> | undefined)[]): Answer<readonly Pages[]> {
  const failure = answers.find((one) => one?.failure !== undefined)?.failure
  if (failure !== undefined) return { failure }
  const data = answers.flatMap((one) => (one?.data === undefined ? [] : [one.data]))
  return data.length === answers.length ? { data } : {}
}

function txsIn(pages: Pages): readonly PrimaryNetworkTransaction[] {
  return pages.flatMap(({ transactions }) => transactions)
}

const width = 900
const bar = 12
const gap = 10
const drawnHeight = 320

/** Places of the ends of one side, from top to bottom. */
type Stack = ReadonlyMap<string, { readonly top: number; readonly size: number }>

function drawn(all: readonly Flow[]): JSX.Element {
  const flows = [...fewer(all, 'in'), ...fewer(all, 'out')]
  const total = (some: readonly Flow[]): number =>
    some.reduce((sum, one) => sum + Number(one.amount), 0)
  const incoming = flows.filter(({ direction }) => direction === 'in')
  const outgoing = flows.filter(({ direction }) => direction === 'out')
  const scale = drawnHeight / Math.max(total(incoming), total(outgoing), 1)
  const sizeOf = ({ amount: value }: Flow): number => Math.max(1, Number(value) * scale)
  const left = stack(incoming, sizeOf, ({ end }) => end)
  const right = stack(outgoing, sizeOf, ({ end }) => end)
  const chains = stackOfChains(flows, sizeOf)
  const bottom = (of: Stack): number =>
    Math.max(0, ...[...of.values()].map(({ top, size }) => top + size))
  const height = Math.max(bottom(left), bottom(right), bottom(chains)) + gap
  const ribbons = ribbonsOf(flows, { left, right, chains, sizeOf })
  return h('div', { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': 'flow of funds' }, [
    h(
      'svg',
      {
        class: 'sankey',
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': 'Flow of funds: the table below has the same amounts',
      },
      [
        ribbons,
        labels(left, incoming, { x: 0, text: bar + 6, anchor: 'start' }),
        labels(right, outgoing, { x: width - bar, text: width - bar - 6, anchor: 'end' }),
        [...chains].map(([chain, { top, size }]) => [
          h('rect', { x: middle, y: top, width: bar, height: size }),
          h(
            'text',
            { x: middle + bar / 2, y: top + size / 2, 'text-anchor': 'middle' },
            `${chain}-Chain`,
          ),
        ]),
      ],
    ),
  ])
}

const middle = (width - bar) / 2

/** A curve for each flow, from its end to its chain or the other way. */
function ribbonsOf(
  flows: readonly Flow[],
  {
    left,
    right,
    chains,
    sizeOf,
  }: Readonly<Record<'left' | 'right' | 'chains', Stack>> & {
    readonly sizeOf: (flow: Flow) => number
  },
): JSX.Element[] {
  const used = new Map<string, number>()
  const after = (key: string, size: number): number => {
    const at = used.get(key) ?? 0
    used.set(key, at + size)
    return at
  }
  return flows.map((flow) => {
    const { direction, end, chain } = flow
    const size = sizeOf(flow)
    const side = direction === 'in' ? left : right
    const y1 = (side.get(end)?.top ?? 0) + after(`${direction} ${end}`, size) + size / 2
    const y2 = (chains.get(chain)?.top ?? 0) + after(`${direction} chain ${chain}`, size) + size / 2
    const [x1, x2] = direction === 'in' ? [bar, middle] : [middle + bar, width - bar]
    const [from, until] = direction === 'in' ? [y1, y2] : [y2, y1]
    const half = (x1 + x2) / 2
    return h('path', {
      class: direction,
      d: `M${x1} ${from}C${half} ${from} ${half} ${until} ${x2} ${until}`,
      'stroke-width': size,
    })
  })
}

/** The largest ends of a side; the others together. */
function fewer(all: readonly Flow[], direction: Flow['direction']): readonly Flow[] {
  const flows = all.filter((one) => one.direction === direction)
  const largest = new Set([...new Set(flows.map(({ end }) => end))].slice(0, mostEnds))
  return flows.map((one) =>
    largest.has(one.end) ? one : { ...one, end: 'others', isAddress: false },
  )
}

function stack(
  flows: readonly Flow[],
  sizeOf: (flow: Flow) => number,
  keyOf: (flow: Flow) => string,
): Stack {
  const sizes = new Map<string, number>()
  for (const flow of flows) sizes.set(keyOf(flow), (sizes.get(keyOf(flow)) ?? 0) + sizeOf(flow))
  let top = 0
  return new Map(
    [...sizes].map(([key, size]) => {
      const place = { top, size }
      // Texts of thin ends need their own line.
      top += Math.max(size, 14) + gap
      return [key, place]
    }),
  )
}

/** A chain is as high as the larger of what came and what left. */
function stackOfChains(flows: readonly Flow[], sizeOf: (flow: Flow) => number): Stack {
  const sums = (chain: FlowChain, direction: Flow['direction']): number =>
    flows
      .filter((one) => one.chain === chain && one.direction === direction)
      .reduce((sum, one) => sum + sizeOf(one), 0)
  let top = 0
  return new Map(
    (['P', 'X', 'C'] as const).flatMap((chain) => {
      const size = Math.max(sums(chain, 'in'), sums(chain, 'out'))
      if (size === 0) return []
      const place = { top, size }
      top += size + 2 * gap
      return [[chain, place] as const]
    }),
  )
}

function labels(
  of: Stack,
  flows: readonly Flow[],
  at: { readonly x: number; readonly text: number; readonly anchor: 'start' | 'end' },
): View {
  return [...of].map(([end, { top, size }]) => {
    const own = flows.filter((flow) => flow.end === end)
    const sum = own.reduce((all, one) => all + one.amount, 0n)
    const name = own[0]?.isAddress === true ? ends(end, 10, 4) : end
    return [
      h('rect', { x: at.x, y: top, width: bar, height: size }),
      h(
        'text',
        { x: at.text, y: top + Math.max(size, 14) / 2, 'text-anchor': at.anchor },
        h('title', null, `${end}: ${amount(String(sum), 9)} AVAX`),
        `${name} · ${cutAmount(String(sum), 9)}`,
      ),
    ]
  })
}

function asTable(network: string, flows: readonly Flow[]): JSX.Element {
  return h('details', null, [
    h('summary', null, 'Show as table'),
    table(
      [['Chain'], ['Direction'], ['From or to'], ['Amount', 'num']],
      flows.map(({ chain, direction, end, isAddress, amount: value }) => [
        `${chain}-Chain`,
        direction === 'in' ? 'came' : 'left',
        isAddress ? idLink(to('primary', network, 'address', end), end, ends(end, 10, 6)) : end,
        coins(String(value), 9, 'AVAX'),
      ]),
    ),
  ])
}

/** New blocks of all chains as they come: pushed by the server, read where it does not push. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { blockKey, joinedBlocks, type NewBlock } from '../../../shape/events/new-block.ts'
import type { EvmBlock } from '../../../shape/evm/transaction.ts'
import { apiKey, get } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, counted, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { age } from '../kit/parts.ts'

const shownBlocks = 16
/** Where nothing is pushed blocks are read so often, and a stream is tried as often again. */
const pollMs = 10_000
const agesMs = 5_000

/** The newest blocks, newest first; `undefined` before the first answer. */
export type NewBlocks = {
  readonly blocks: readonly NewBlock[] | undefined
  readonly isStopped: boolean
  readonly toggle: () => void
}

/** Follows all chains while the page is seen, until it is stopped. */
export function useNewestBlocks(): NewBlocks {
  const [blocks, setBlocks] = useState<readonly NewBlock[]>()
  const [isStopped, setStopped] = useState(false)
  useEffect(() => {
    if (isStopped) return undefined
    return followed((newer) => setBlocks((before = []) => joinedBlocks(before, newer, shownBlocks)))
  }, [isStopped])
  return { blocks, isStopped, toggle: () => setStopped((before) => !before) }
}

/** Shows blocks until it is ended. Nothing is open or requested while nobody sees the page. */
function followed(show: (newer: readonly NewBlock[]) => void): () => void {
  let stream: EventSource | undefined
  const over = new AbortController()
  const poll = (): void => {
    get(urlOf('/v1/blocks', { pageSize: shownBlocks }), over.signal)
      .then(({ data }) => show((data?.blocks ?? []).map(ofEvm)))
      .catch(() => undefined)
  }
  const open = (): void => {
    if (document.hidden || stream !== undefined) return
    const key = apiKey()
    const query = key === '' ? '' : `?rltoken=${encodeURIComponent(key)}`
    stream = new EventSource(`/v1/blocks/events${query}`)
    stream.addEventListener('message', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server writes such lists
      show(JSON.parse(String(data)) as NewBlock[])
    })
    stream.addEventListener('error', () => {
      // Where the server was only lost for a moment the browser comes again by itself.
      if (stream?.readyState !== EventSource.CLOSED) return
      stream = undefined
      poll()
    })
  }
  const close = (): void => {
    stream?.close()
    stream = undefined
  }
  const seen = (): void => (document.hidden ? close() : open())
  open()
  const timer = setInterval(open, pollMs)
  document.addEventListener('visibilitychange', seen)
  return () => {
    over.abort()
    close()
    clearInterval(timer)
    document.removeEventListener('visibilitychange', seen)
  }
}

function ofEvm({ chainId, blockNumber, blockTimestamp, txCount }: EvmBlock): NewBlock {
  return { network: '', chainId, name: '', blockNumber, blockTimestamp, txCount }
}

/** Newest first; `nameOf` names chains that the server did not. */
export function NewestBlocks({
  stream: { blocks = [], isStopped, toggle },
  nameOf,
}: {
  readonly stream: NewBlocks
  readonly nameOf: (chainId: string) => string
}): JSX.Element {
  // Ages grow also while nothing comes.
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((before) => before + 1), agesMs)
    return () => clearInterval(timer)
  }, [])
  return h('section', { class: 'card newest-blocks', 'aria-label': 'Latest blocks' }, [
    h('header', null, [
      h('h2', null, 'Latest blocks'),
      h('button', { class: 'copy', type: 'button', onClick: toggle }, [
        isStopped ? 'Resume' : 'Pause',
      ]),
    ]),
    h(
      'ol',
      { class: 'scroll', tabIndex: 0, 'aria-label': 'blocks of all chains, newest first' },
      blocks.map((block) =>
        h('li', { key: blockKey(block) }, [
          h('span', { class: 'chain' }, visible(block.name) || nameOf(block.chainId ?? '')),
          h('a', { href: linkOf(block) }, count(block.blockNumber)),
          h('span', { class: 'quiet' }, [
            `${counted(block.txCount, 'txn')} · `,
            age(block.blockTimestamp),
            block.beganAnew && ' · a new chain began',
          ]),
        ]),
      ),
    ),
  ])
}

function linkOf({ network, chainId, blockchainId = '', blockNumber }: NewBlock): string {
  return chainId === undefined
    ? to('primary', network, 'block', blockchainId, blockNumber)
    : to('chain', chainId, 'block', blockNumber)
}

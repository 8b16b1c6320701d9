/** WebSockets of chains, at the paths of their calls and at the one of a node. */

import type { World } from '../../../core/world.ts'
import type { Log } from '../../../telemetry/log.ts'
import { type ChainDirectory, offeredRpc } from '../../operation/chain-directory.ts'
import type { SocketService } from '../../server/web-sockets.ts'
import { ChainFeed } from './chain-feed.ts'
import { ChainTalk } from './chain-talk.ts'
import { OwnLogs } from './own-logs.ts'

/** Source of the last: AvalancheGo, the handlers of its EVMs. */
const path = /^\/(?:v1\/chains\/([^/]+)\/rpc|ext\/bc\/([^/]+)\/(?:rpc|ws))$/

/** Talks with the chains of `chains` that have `publicRpc`; others are `not-found`. */
export function chainSockets(
  chains: ChainDirectory,
  { clock, random }: Pick<World, 'clock' | 'random'>,
  log: Log,
): SocketService {
  const feeds = new Map<string, ChainFeed>()
  const ownLogs = new OwnLogs()
  const failed = (error: unknown): void => log.debug('blocks not read for sockets', { error })
  return {
    isAt: (at) => path.test(at),
    open: (at, peer) => {
      const [, first, second] = path.exec(at) ?? []
      const chain = chains.find(first ?? second ?? '')
      const rpc = offeredRpc(chain)
      const { key } = chain.facts
      const feed = feeds.get(key) ?? new ChainFeed(chain, rpc, { clock, failed })
      feeds.set(key, feed)
      const talk = new ChainTalk({ ...peer, chain, feed, random, ownLogs })
      return { said: (text) => talk.said(text), end: () => talk.end() }
    },
  }
}

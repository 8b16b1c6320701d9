/** More of it for as long as wanted: rounds of life, a node and a Firn that go and come back. */

import { networkMinutes } from '../support/processes/test-settings.ts'
import type { Scene } from './scene.ts'

/** Parts of a round. */
export type Round = {
  /** Things that happen on the chains, all at once. */
  readonly life: () => Promise<unknown>
  /** Node `number` goes and comes back. */
  readonly restart: (number: number) => Promise<void>
  /** Firn number `at` is killed and started again. */
  readonly kill: (at: number) => Promise<void>
  readonly compare: (when: string) => Promise<void>
}

/** Rounds until the minutes of `TEST_NETWORK_MINUTES` are over; none without them. */
export async function soak({ say, network }: Scene, round: Round): Promise<void> {
  const until = performance.now() + networkMinutes * 60_000
  for (let number = 1; performance.now() < until; number++) {
    await Promise.all([round.life(), round.kill(number % 3)])
    const node = 1 + (number % 5)
    await round.restart(node)
    await network.ready(node)
    await round.life()
    await round.compare(`after round ${number}`)
    say(`round ${number} is over`)
  }
}

/** Validators of the primary network by weight, height after height. */

import { emptyId } from '../../../codec/primary/ids.ts'
import { type ProposerTree, proposerTree } from '../../../codec/proposer/windower.ts'
import { assert } from '../../../core/fault.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { stakersAt, weightChanges } from '../../../store/query/primary/validators.ts'
import type { Member } from './judge.ts'

// Stakes of a set: mainnet has some thirty thousand.
const mostStakers = 2 ** 22

/**
 * The set as it is at one height, from which that of a later one is made by what changed in between. Heights of a
 * chain's blocks never fall.
 */
export class ProposerSets {
  #members = new Map<number, Member>()
  #height: number | undefined
  #tree: ProposerTree<Member> = proposerTree([])

  /** The set after P-Chain block `height`, which is indexed. Heights that rise cost only what changed. */
  async at(reader: Reader, height: number): Promise<ProposerTree<Member>> {
    if (height === this.#height) return this.#tree
    const isLater = this.#height !== undefined && height > this.#height
    if (!isLater) this.#members.clear()
    const changes = isLater
      ? await weightChanges(reader, { subnetId: emptyId, after: this.#height ?? 0, height })
      : await stakersAt(reader, { subnetId: emptyId, height, limit: mostStakers })
    assert(changes !== undefined, 'a network has fewer stakes than mainnet may have')
    for (const { node, nodeId, weight } of changes) this.#add(node, nodeId, weight)
    this.#height = height
    if (changes.length > 0 || !isLater) {
      this.#tree = proposerTree([...this.#members.values()])
      // In this order the members of the next set are nearly sorted.
      this.#members = new Map(this.#tree.members.map((member) => [member.node, member]))
    }
    return this.#tree
  }

  #add(node: number, nodeId: Uint8Array, weight: bigint): void {
    const sum = (this.#members.get(node)?.weight ?? 0n) + weight
    if (sum === 0n) this.#members.delete(node)
    else this.#members.set(node, { node, nodeId, weight: sum })
  }
}

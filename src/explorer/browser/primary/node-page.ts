/** A node: its running terms, slots to propose, delegations, past terms and what they paid, cycles, validations of L1s. */

import { h, type JSX } from 'preact'

import type { Validator } from '../../../shape/primary/validator.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf, type AnswerAt, type Url } from '../kit/contract.ts'
import { count, ends, percent, words } from '../kit/format.ts'
import { to, withQuery } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  age,
  bar,
  card,
  coins,
  copied,
  facts,
  figures,
  heading,
  pill,
  rowTable,
  shown,
  table,
  when,
  type View,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { now, pace, type World } from '../kit/world.ts'
import { Delegations } from './delegations.ts'
import { l1ValidatorRows, owners, primarySubnetId, pTxLink, stakeSum } from './primary-parts.ts'
import { ProposerSlots } from './proposer-slots.ts'
import { stakeBar, stakeOf, validators } from './validators-page.ts'

/** A node. */
type NodeProps = { readonly world: World; readonly network: string; readonly nodeId: string }

/** The page. */
export function NodePage({ world, network, nodeId }: NodeProps): JSX.Element {
  useTitle(`Node ${ends(nodeId, 14, 6)}`)
  const terms = urlOf('/v1/networks/{network}/validators/{nodeId}', { network, nodeId })
  const running = useAnswer(
    withQuery(terms, { validationStatus: 'active', pageSize: 100 }),
    ...pace(),
  )
  return h('div', { class: 'stack' }, [
    heading('Node', h('span', { class: 'id' }, copied(nodeId))),
    shown(running, ({ validators: now }) =>
      now.length === 0
        ? card(
            'Current staking period',
            h(
              'p',
              { class: 'empty' },
              'None: not a validator of the primary network or a subnet now.',
            ),
          )
        : [
            termFigures(now.find(({ subnetId }) => subnetId === primarySubnetId)),
            now.map((term) =>
              card(termTitle(term), termFacts(network, term), pill('active', 'good')),
            ),
          ],
    ),
    h(ProposerSlots, { network, nodeId }),
    h(Delegations, { network, nodeId, key: nodeId }),
    pastTerms(network, terms),
    h(Cycles, {
      path: urlOf('/v1/networks/{network}/validators/{nodeId}/cycles', { network, nodeId }),
    }),
    (['pending', 'removed'] as const).map((status) =>
      validators(
        network,
        { nodeIds: nodeId, validationStatus: status },
        { name: status, title: words(`${status} periods`) },
      ),
    ),
    validations({ world, network, nodeId }),
  ])
}

/** Figures of the running term on the primary network. */
function termFigures(term: Validator | undefined): View {
  if (term === undefined) return null
  const uptime = term.uptimePerformance
  return figures([
    ['Stake', stakeSum(term.asset, term.amountStaked)],
    ['Delegated', stakeSum(term.asset, term.amountDelegated)],
    ['Delegators', count(term.delegatorCount ?? 0)],
    ['Share of all stake', percent((term.stakePercentage ?? 0).toFixed(2))],
    ['Uptime', uptime === undefined ? 'not known' : percent(String(uptime))],
    ['Ends', age(term.endTimestamp)],
  ])
}

function termTitle({ subnetId }: Validator): string {
  return subnetId === primarySubnetId
    ? 'Current staking period'
    : `Current period on ${ends(subnetId)}`
}

/** All of a term, but what the figures above say of that on the primary network. */
function termFacts(network: string, term: Validator): JSX.Element {
  const isTold = term.subnetId === primarySubnetId
  const { startTimestamp: start, endTimestamp: end, potentialRewards: hoped } = term
  const passed = Math.min(end, Math.max(start, now() / 1_000)) - start
  const per = (value: number | undefined): string =>
    value === undefined ? '' : percent(String(value))
  const sum = (value: string | undefined): View => stakeSum(term.asset, value)
  return facts([
    [
      'Period',
      h('div', null, [age(start), ' → ', age(end), bar(passed, end - start, 'time passed')]),
    ],
    ['Ends', when(end)],
    ['Auto-renewed', term.stakingType === 'autoRenewed' ? (term.autoRenew?.state ?? 'yes') : ''],
    ['Stake', h('div', null, stakeOf(network, term), stakeBar(term))],
    ['Free delegation capacity', sum(term.delegationCapacity)],
    ['Delegation fee', term.delegationFee === undefined ? '' : percent(term.delegationFee)],
    [
      'Uptime seen by your node',
      isTold
        ? ''
        : term.uptimePerformance === undefined
          ? 'not known'
          : per(term.uptimePerformance),
    ],
    ['AvalancheGo version', term.avalancheGoVersion],
    ['Expected reward', sum(hoped?.validationRewardAmount)],
    ['Expected from delegations', sum(hoped?.delegationRewardAmount)],
    ['Reward owner', hoped?.rewardAddresses && owners(network, hoped.rewardAddresses)],
    ['BLS public key', term.blsCredentials && copied(term.blsCredentials.publicKey)],
    [
      'Staking transaction',
      copied(term.txHash, to('primary', network, 'tx', 'p-chain', term.txHash)),
    ],
  ])
}

function pastTerms(
  network: string,
  path: Url<AnswerAt<'/v1/networks/{network}/validators/{nodeId}'>>,
): JSX.Element {
  return paged({
    path,
    query: { validationStatus: 'completed', sortOrder: 'desc' },
    name: 'past',
    title: 'Past staking periods',
    view: (page) =>
      rowTable(page.validators, [
        ['Transaction', '', ({ txHash }) => pTxLink(network, txHash)],
        ['Stake', 'num', (term) => stakeOf(network, term)],
        ['Reward', 'num', (term) => paid(term, term.rewards?.validationRewardAmount)],
        [
          'Delegation reward',
          'num wide',
          (term) => paid(term, term.rewards?.delegationRewardAmount),
        ],
        ['Started', 'num wide', ({ startTimestamp }) => age(startTimestamp)],
        ['Ended', 'num', ({ endTimestamp }) => age(endTimestamp)],
      ]),
  })
}

/** A reward of 0 was refused; where only weights are set there is none. */
function paid({ asset }: Validator, sum: string | undefined): View {
  return asset === undefined || sum === undefined ? '–' : stakeSum(asset, sum)
}

/** Cycles of validators that renew themselves; nothing for a node that has none. */
function Cycles({
  path,
}: {
  readonly path: Url<AnswerAt<'/v1/networks/{network}/validators/{nodeId}/cycles'>>
}): View {
  const first = useAnswer(withQuery(path, { pageSize: 1 })).data
  if (first === undefined || (first.cycles.length === 0 && first.currentCycle === undefined))
    return null
  return card(
    'Cycles',
    paged({
      path,
      query: { sortOrder: 'desc' },
      name: 'cycles',
      view: ({ cycles, currentCycle }) =>
        table(
          [
            ['Cycle', 'num'],
            ['Outcome'],
            ['Stake', 'num'],
            ['Reward', 'num'],
            ['Restaked', 'num wide'],
            ['Ends', 'num'],
          ],
          [
            ...(currentCycle === undefined
              ? []
              : [
                  [
                    count(currentCycle.cycleIndex),
                    pill(currentCycle.state, 'good'),
                    coins(currentCycle.weightAtCycleStart, 9, 'AVAX'),
                    h('span', null, [
                      coins(currentCycle.projectedValidationReward, 9, 'AVAX'),
                      ' expected',
                    ]),
                    '',
                    age(currentCycle.endTimestamp),
                  ],
                ]),
            ...cycles.map((cycle) => [
              count(cycle.cycleIndex),
              pill(cycle.outcome),
              coins(cycle.weightAtCycleStart, 9, 'AVAX'),
              coins(cycle.grossValidationReward, 9, 'AVAX'),
              coins(cycle.compoundedValidationReward, 9, 'AVAX'),
              age(cycle.endTimestamp),
            ]),
          ],
        ),
    }),
  )
}

function validations({ nodeId, ...of }: NodeProps): JSX.Element {
  const { network } = of
  return paged({
    path: urlOf('/v1/networks/{network}/l1Validators', { network }),
    query: { nodeId, includeInactiveL1Validators: 'true' },
    name: 'validations',
    title: 'L1 validations',
    view: (page) => l1ValidatorRows(of, page.validators, 'Node'),
  })
}

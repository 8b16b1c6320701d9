/** A primary network in figures: who validates it, what is staked, and what a stake earns. */

import { h, type JSX } from 'preact'

import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, share } from '../kit/format.ts'
import { figures } from '../kit/parts.ts'
import { pace } from '../kit/world.ts'
import { shortAvax } from './primary-parts.ts'

/** A yearly rate to one digit: `10.0`. */
function rate(percentage: string): string {
  return Number(percentage).toFixed(1)
}

/** The figures; a dash until they are known. */
export function NetworkFigures({ network }: { readonly network: string }): JSX.Element {
  const { data } = useAnswer(urlOf('/v1/networks/{network}', { network }), ...pace())
  const { validatorDetails: own, delegatorDetails: others, apr } = data ?? {}
  return figures([
    ['Validators', own ? count(own.validatorCount) : '–'],
    ['Staked by validators', own ? shortAvax(own.totalAmountStaked) : '–'],
    ['Delegated', others ? shortAvax(others.totalAmountStaked) : '–'],
    ['Supply', data ? shortAvax(data.currentSupply) : '–'],
    ['Staked of the supply', own ? share(Number(own.stakingRatio), 1) : '–'],
    [
      'APR, 14 days to a year',
      apr ? [`${rate(apr.shortest)} – ${rate(apr.longest)} `, h('small', null, '%')] : '–',
    ],
  ])
}

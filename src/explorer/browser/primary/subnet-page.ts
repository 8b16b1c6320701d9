/** A subnet: who owns it, what it became, its chains and its validators. */

import { h, type JSX } from 'preact'

import type { ChainInfo } from '../../../shape/evm/chain-info.ts'
import type { Subnet } from '../../../shape/primary/subnet.ts'
import { Routes } from '../icm/message-routes.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { ends, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { AvaxSeries, MetricChart } from '../kit/metric-chart.ts'
import { age, card, copied, facts, heading, shown, table, when, type View } from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { chainOf, type World } from '../kit/world.ts'
import { L1Validators } from './l1-page.ts'
import { subnetPill } from './primary-page.ts'
import { managerFacts, namedChain, owners, primarySubnetId } from './primary-parts.ts'
import { validators } from './validators-page.ts'

/** The page. */
export function SubnetPage({
  world,
  network,
  subnetId,
}: { readonly world: World } & Record<'network' | 'subnetId', string>): JSX.Element {
  const answer = useAnswer(
    urlOf('/v1/networks/{network}/subnets/{subnetId}', { network, subnetId }),
  )
  const isPrimary = subnetId === primarySubnetId
  const names = answer.data?.blockchains.map((chain) => visible(chain.blockchainName)).join(', ')
  const kind = isPrimary ? 'Primary network' : answer.data?.isL1 === true ? 'L1' : 'Subnet'
  useTitle(`${kind} ${names === undefined || isPrimary ? '' : `${names} `}${ends(subnetId)}`)
  return h('div', { class: 'stack' }, [
    heading(
      kind,
      h('span', null, [
        names === undefined || isPrimary ? null : h('div', null, names),
        h('span', { class: 'id' }, copied(subnetId)),
      ]),
      answer.data === undefined || isPrimary ? null : subnetPill(answer.data),
    ),
    shown(answer, (subnet) => [
      isPrimary ? null : card('About', subnetFacts(world, network, subnet)),
      card('Chains', chainRows(world, network, subnet)),
      subnet.isL1 ? h(L1Validators, { network, subnetId }) : null,
      subnet.isL1
        ? card(
            'Messages',
            h(Routes, {
              world,
              blockchainIds: subnet.blockchains.map(({ blockchainId }) => blockchainId),
            }),
          )
        : null,
      ...subnet.blockchains.flatMap(({ blockchainId }) => {
        const served = chainOf(world, blockchainId)
        return served === undefined ? [] : trafficOf(served)
      }),
      subnet.isL1
        ? h(AvaxSeries, {
            path: urlOf('/v2/subnet/{subnetId}/metrics/{metric}', {
              subnetId,
              metric: 'perSubnetDailyFeesPaid',
              network,
            }),
            title: 'Validator fees per day, AVAX',
          })
        : null,
      validators(
        network,
        { subnetId },
        {
          name: 'terms',
          title: subnet.isL1 ? 'Validators before the conversion' : 'Validators',
        },
      ),
    ]),
  ])
}

/** Charts of activity on a chain that is served here. */
function trafficOf({ chainId, chainName: name }: ChainInfo): JSX.Element {
  const charts = [
    ['txCount', 'Transactions per day'],
    ['activeAddresses', 'Active addresses per day'],
  ] as const
  return h(
    'div',
    { class: 'grid two', key: chainId },
    charts.map(([metric, title]) =>
      h(MetricChart, { chainId, metric, interval: 'day', title: `${visible(name)}: ${title}` }),
    ),
  )
}

function subnetFacts(world: World, network: string, subnet: Subnet): JSX.Element {
  const { ownerAddresses, threshold, locktime, l1ConversionTransactionHash: conversion } = subnet
  const made = (txHash: string): View =>
    copied(txHash, to('primary', network, 'tx', 'p-chain', txHash))
  return facts([
    ['Owners', owners(network, ownerAddresses, threshold)],
    ['Owners locked until', locktime === 0 ? '' : when(locktime)],
    ['Created', when(subnet.createBlockTimestamp)],
    ['Creation transaction', made(subnet.subnetId)],
    ['Conversion transaction', conversion === undefined ? '' : made(conversion)],
    ...managerFacts(world, subnet.l1ValidatorManagerDetails),
  ])
}

function chainRows(world: World, network: string, { blockchains }: Subnet): JSX.Element {
  return table(
    [['Chain'], ['EVM chain ID'], ['Blockchain ID', 'whole'], ['Created', 'num']],
    blockchains.map((chain) => [
      namedChain(world, network, chain),
      String(chain.evmChainId ?? ''),
      copied(chain.blockchainId),
      age(chain.createBlockTimestamp),
    ]),
  )
}

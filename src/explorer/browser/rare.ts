/** Parts that few visits need. They are one file of the bundle, loaded when the first of them is opened. */

import { ConsolePage } from './console/console-page.ts'
import { Read, Write } from './contract/calls.ts'
import { Events } from './contract/events.ts'
import { BalanceHistory } from './evm/balance-history.ts'
import { BroadcastPage } from './evm/broadcast-page.ts'
import { GasPage } from './evm/gas-page.ts'
import { Picture } from './primary/flow-picture.ts'
import { StakingPage } from './primary/staking-page.ts'

/** By name. */
export const rare = {
  BalanceHistory,
  BroadcastPage,
  ConsolePage,
  Events,
  GasPage,
  Picture,
  Read,
  StakingPage,
  Write,
} as const

/**
 * The visitor's own wallets. None is called before a button says so.
 *
 * Source: EIP-1193, EIP-6963, EIP-3085, EIP-3326, EIP-1474.
 */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { ChainInfo } from '../../../shape/evm/chain-info.ts'
import { visible } from '../kit/format.ts'

type Provider = {
  readonly request: (call: {
    readonly method: string
    readonly params?: unknown
  }) => Promise<unknown>
}

/** A wallet that offers itself to the page. */
export type Wallet = { readonly name: string; readonly provider: Provider }

/** An account of a wallet, `0x` hex. */
export type Account = { readonly from: string; readonly provider: Provider }

/** Wallets that announce themselves; else the one that older ones put into the window. */
export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  useEffect(() => {
    const announced = (event: Event): void => {
      const wallet = event instanceof CustomEvent ? walletIn(event.detail) : undefined
      if (wallet === undefined) return
      setWallets((all) =>
        all.some(({ provider }) => provider === wallet.provider) ? all : [...all, wallet],
      )
    }
    addEventListener('eip6963:announceProvider', announced)
    dispatchEvent(new Event('eip6963:requestProvider'))
    return () => removeEventListener('eip6963:announceProvider', announced)
  }, [])
  const older: unknown = Reflect.get(globalThis, 'ethereum')
  return wallets.length === 0 && isProvider(older)
    ? [{ name: 'browser wallet', provider: older }]
    : wallets
}

function walletIn(detail: unknown): Wallet | undefined {
  const { info, provider } = Object(detail)
  return isProvider(provider)
    ? { name: String(Object(info).name ?? 'a wallet').slice(0, 40), provider }
    : undefined
}

function isProvider(value: unknown): value is Provider {
  return typeof Object(value).request === 'function'
}

/** Asks a wallet for an account. Throws a sentence. */
export async function connect({ provider }: Wallet): Promise<Account> {
  const [from] = Object(await call(provider, 'eth_requestAccounts'))
  if (typeof from !== 'string') throw new Error('The wallet offers no account.')
  return { from, provider }
}

/** Offers a chain to a wallet, which goes to it. Throws a sentence. */
async function goTo(provider: Provider, chain: ChainInfo | undefined): Promise<void> {
  if (chain === undefined) throw new Error('This chain is not known here.')
  const chainId = `0x${Number(chain.chainId).toString(16)}`
  if ((await call(provider, 'eth_chainId')) === chainId) return
  const { chainName, rpcUrl, networkToken: nativeCurrency } = chain
  const switched = call(provider, 'wallet_switchEthereumChain', { chainId })
  await switched.catch((error: unknown) => {
    if (rpcUrl === '') throw error
    const { name, symbol, decimals } = nativeCurrency
    return call(provider, 'wallet_addEthereumChain', {
      chainId,
      chainName,
      rpcUrls: [new URL(rpcUrl, location.href).href],
      nativeCurrency: { name, symbol, decimals },
      blockExplorerUrls: [location.origin],
    })
  })
  if ((await call(provider, 'eth_chainId')) !== chainId)
    throw new Error(`The wallet is on another chain: switch it to ${chainName}.`)
}

/** A button for each wallet, which adds a chain to it. */
export function AddToWallet({ chain }: { readonly chain: ChainInfo }): JSX.Element {
  const wallets = useWallets()
  const [note, setNote] = useState('')
  const add = ({ provider }: Wallet): void => {
    goTo(provider, chain).then(
      () => setNote('The wallet is on this chain.'),
      (error: Error) => setNote(error.message),
    )
  }
  return h('span', { class: 'controls' }, [
    wallets.map((wallet) =>
      h('button', { type: 'button', onClick: () => add(wallet) }, `Add to ${visible(wallet.name)}`),
    ),
    h('span', { role: 'status' }, note),
  ])
}

/** Sends a transaction on a chain and gives its hash. Throws a sentence. */
export async function sent(
  { from, provider }: Account,
  chain: ChainInfo | undefined,
  { to, data, value }: { readonly to: string; readonly data: string; readonly value: string },
): Promise<string> {
  await goTo(provider, chain)
  const tx = { from, to, data, value: `0x${BigInt(value).toString(16)}` }
  return String(await call(provider, 'eth_sendTransaction', tx))
}

async function call(provider: Provider, method: string, ...params: unknown[]): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    const { code, message } = Object(error)
    // Source: EIP-1193, Provider Errors.
    throw new Error(
      code === 4001
        ? 'Rejected in the wallet.'
        : `The wallet says: ${String(message ?? error).slice(0, 200)}`,
    )
  }
}

/** Paths that official clients have and this service deliberately does not, and why. */

const absent: readonly { readonly form: RegExp; readonly why: string }[] = [
  {
    form: /^\/v1\/networks\/[^/]+\/blockchains\/[^/]+\/vertices(:listByHeight|\/[^/]+)?$/,
    why: 'vertices of the X-Chain before Cortina are not offered: nodes give them without a time',
  },
  {
    form: /^\/v2\/chains\/[^/]+\/btcb\/bridged:getAddresses$/,
    why: 'lists of users of the BTC.b bridge are not offered: they need the bridge operator’s records',
  },
  {
    form: /^\/v1\/(rpcUsageMetrics|subnetRpcUsageMetrics)$/,
    why: 'use of RPC is not offered: calls of nodes go through the node listener, which has no keys',
  },
  {
    form: /^\/v2\/lookingGlass\/compositeQuery$/,
    why: 'composite queries are not offered: join the lists of their parts',
  },
]

/** Why a path is not offered; `undefined` for one nobody has. */
export function whyAbsent(path: string): string | undefined {
  return absent.find(({ form }) => form.test(path))?.why
}

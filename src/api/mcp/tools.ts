/**
 * Tools for language models: which operations each of them asks, and in what words it is offered.
 *
 * Models write ids as text or as numbers, so every input takes both. All tools read.
 */

/** Input of a tool: texts by name; numbers and booleans are written as text. */
export type ToolInput = Readonly<Record<string, string>>

/** A question to the API: a path of the table of operations, and what it takes. */
export type Question = {
  /** With `{name}` for each parameter of the path. */
  readonly of: string
  readonly with: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** A tool. */
export type Tool = {
  readonly name: string
  /** Its answer, for a model that chooses. */
  readonly words: string
  /** Words on each input; the name of one that may be absent ends in `?`. */
  readonly inputs: Readonly<Record<string, string>>
  /** Questions by the name that their answer has in the tool's. */
  readonly asks: (input: ToolInput) => Readonly<Record<string, Question>>
  /** The tool that goes on from here. */
  readonly next?: string
  /** Path of the explorer's page on it. */
  readonly page?: (input: ToolInput) => string
}

const chain = 'EVM chain id, blockchain id (cb58 or hex) or alias, as list_chains gives it'
const network = 'mainnet or fuji; default mainnet'
const cursor = 'next.cursor of the answer before'
const limit = 'rows, 1 to 25; default 10'
const address = '0x… address'

/** Chains of the primary network that have blocks and transactions of their own kind. */
const primaryChains: ReadonlySet<string> = new Set(['p-chain', 'x-chain', 'c-chain'])

/** Returns whether the chain of an input is one of the primary network. */
export function isPrimary({ chain: name = '' }: ToolInput): boolean {
  return primaryChains.has(name)
}

function networkOf({ network: given }: ToolInput): string {
  return given === 'fuji' ? 'fuji' : 'mainnet'
}

function page({ cursor: pageToken, limit: size = '10' }: ToolInput): Question['with'] {
  return { pageToken, pageSize: String(Math.min(25, Math.max(1, Number(size) || 10))) }
}

function onChain(input: ToolInput): { readonly chainId: string } {
  return { chainId: input['chain'] ?? '' }
}

function atAddress(input: ToolInput): Question['with'] {
  return { ...onChain(input), address: input['address'] }
}

const evm = '/v1/chains/{chainId}'
const ofNetwork = '/v1/networks/{network}'
const kinds: ReadonlyMap<string, string> = new Map([
  ['coins', ':listNative'],
  ['tokens', ':listErc20'],
  ['nfts', ':listErc721'],
  ['internal', ':listInternals'],
])

/** In the order in which they are listed. */
export const tools: readonly Tool[] = [
  {
    name: 'search',
    words: 'Finds what an id, hash, address, height, name or symbol is, over all chains.',
    inputs: { q: 'what to look for', 'network?': network },
    asks: ({ q, network: of }) => ({ found: { of: '/v1/search', with: { q, network: of } } }),
  },
  {
    name: 'list_chains',
    words: 'EVM chains served here with their ids, and how far each is indexed.',
    inputs: { 'network?': network },
    asks: ({ network: of }) => ({
      chains: { of: '/v1/chains', with: { network: of } },
      status: { of: '/status', with: {} },
    }),
  },
  {
    name: 'get_block',
    words: 'A block of an EVM chain, or of p-chain or x-chain, and its first transactions.',
    inputs: {
      chain: `${chain}; p-chain, x-chain`,
      'id?': 'height or hash; default the newest',
      'network?': network,
    },
    asks: (input) => {
      const { chain: name = '', id } = input
      const ofPrimary = isPrimary(input)
      const of = ofPrimary ? `${ofNetwork}/blockchains/{blockchainId}/blocks` : `${evm}/blocks`
      const at = ofPrimary ? { network: networkOf(input), blockchainId: name } : { chainId: name }
      if (id === undefined) return { newest: { of, with: { ...at, pageSize: '1' } } }
      const block = { of: `${of}/{blockId}`, with: { ...at, blockId: id } }
      if (ofPrimary) return { block }
      const transactions = `${of}/{blockId}/transactions`
      return {
        block,
        transactions: { of: transactions, with: { ...at, blockId: id, pageSize: '10' } },
      }
    },
    next: 'get_transaction',
    page: ({ chain: of = '', id = '' }) => `/chain/${of}/block/${id}`,
  },
  {
    name: 'get_transaction',
    words:
      'A transaction of an EVM chain (transfers, decoded call, why it failed), or of p-chain or x-chain.',
    inputs: {
      chain: `${chain}; p-chain, x-chain, c-chain for atomic ones`,
      hash: 'its hash or id',
      'detail?': 'logs or calls: these as well',
      'network?': network,
    },
    asks: (input) => {
      const { chain: name = '', hash: txHash, detail } = input
      if (isPrimary(input)) {
        const at = { network: networkOf(input), blockchainId: name, txHash }
        return {
          transaction: {
            of: `${ofNetwork}/blockchains/{blockchainId}/transactions/{txHash}`,
            with: at,
          },
        }
      }
      const of = `${evm}/transactions/{txHash}`
      const at = { chainId: name, txHash }
      const more = detail === 'logs' || detail === 'calls' ? detail : undefined
      return {
        transaction: { of, with: at },
        ...(more && { [more]: { of: `${of}/${more}`, with: at } }),
      }
    },
    page: ({ chain: of = '', hash = '' }) => `/chain/${of}/tx/${hash}`,
  },
  {
    name: 'get_address',
    words:
      'What an address is, its coins and its first tokens; of p-chain and x-chain its balances.',
    inputs: { chain: `${chain}; p-chain, x-chain`, address: 'address', 'network?': network },
    asks: (input) => {
      const { chain: name = '', address: addresses } = input
      if (isPrimary(input)) {
        const at = { network: networkOf(input), blockchainId: name, addresses }
        return { balances: { of: `${ofNetwork}/blockchains/{blockchainId}/balances`, with: at } }
      }
      const of = `${evm}/addresses/{address}`
      const at = atAddress(input)
      return {
        about: { of, with: at },
        coins: { of: `${of}/balances:getNative`, with: at },
        tokens: { of: `${of}/balances:listErc20`, with: { ...at, pageSize: '10' } },
      }
    },
    next: 'list_activity',
    page: ({ chain: of = '', address: at = '' }) => `/chain/${of}/address/${at}`,
  },
  {
    name: 'list_activity',
    words: 'Transactions and transfers of an address on an EVM chain, newest first.',
    inputs: {
      chain,
      address,
      'kind?': 'all (default), coins, tokens, nfts or internal',
      'from?': 'first height',
      'to?': 'last height',
      'cursor?': cursor,
      'limit?': limit,
    },
    asks: (input) => {
      const { kind = 'all', from: startBlock, to: endBlock } = input
      const of = `${evm}/addresses/{address}/transactions${kinds.get(kind) ?? ''}`
      return {
        activity: { of, with: { ...atAddress(input), startBlock, endBlock, ...page(input) } },
      }
    },
    next: 'list_activity',
    page: ({ chain: of = '', address: at = '' }) => `/chain/${of}/address/${at}`,
  },
  {
    name: 'get_token',
    words: 'A token contract of an EVM chain: metadata and newest transfers; with tokenId one NFT.',
    inputs: { chain, address, 'tokenId?': 'id of an item of a collection', 'cursor?': cursor },
    asks: (input) => {
      const at = atAddress(input)
      const { tokenId } = input
      const item = `${evm}/nfts/collections/{address}/tokens/{tokenId}`
      return {
        about: { of: `${evm}/addresses/{address}`, with: at },
        ...(tokenId !== undefined && { item: { of: item, with: { ...at, tokenId } } }),
        transfers: {
          of: `${evm}/tokens/{address}/transfers`,
          with: { ...at, tokenId, ...page(input) },
        },
      }
    },
    next: 'get_token',
    page: ({ chain: of = '', address: at = '' }) => `/chain/${of}/address/${at}`,
  },
  {
    name: 'get_contract',
    words: 'Verified source, ABI and proxy of a contract of an EVM chain, and who made it.',
    inputs: { chain, address },
    asks: (input) => ({
      code: { of: `${evm}/contracts/{address}`, with: atAddress(input) },
      made: { of: `${evm}/contracts/{address}/transactions:getDeployment`, with: atAddress(input) },
    }),
    next: 'read_contract',
    page: ({ chain: of = '', address: at = '' }) => `/chain/${of}/address/${at}`,
  },
  {
    name: 'read_contract',
    words: 'Calls a method of a contract that only reads, on the node of its chain.',
    inputs: {
      chain,
      address,
      abi: 'ABI of the method as JSON, as the compiler writes it',
      'arguments?': 'JSON list: integers as text, bytes in hex',
    },
    asks: (input) => ({
      call: {
        of: `${evm}/contracts/{address}/calls`,
        with: atAddress(input),
        body: {
          calls: [
            {
              abi: JSON.parse(input['abi'] ?? ''),
              arguments: JSON.parse(input['arguments'] ?? '[]'),
            },
          ],
        },
      },
    }),
  },
  {
    name: 'list_l1_validators',
    words: 'Validators of L1s: weight, the balance that pays their fee, owners.',
    inputs: {
      'subnetId?': 'only of this L1',
      'nodeId?': 'only of this node',
      'network?': network,
      'cursor?': cursor,
      'limit?': limit,
    },
    asks: (input) => {
      const { subnetId, nodeId } = input
      const at = { network: networkOf(input), subnetId, nodeId, ...page(input) }
      return { validators: { of: `${ofNetwork}/l1Validators`, with: at } }
    },
    next: 'list_l1_validators',
  },
  {
    name: 'get_validator',
    words: 'Validations of a node of the primary network: stake, uptime, delegators, rewards.',
    inputs: { nodeId: 'NodeID-…', 'network?': network },
    asks: (input) => ({
      validator: {
        of: `${ofNetwork}/validators/{nodeId}`,
        with: { network: networkOf(input), nodeId: input['nodeId'], pageSize: '3' },
      },
    }),
  },
  {
    name: 'list_messages',
    words: 'Interchain messages, newest first; with id one of them.',
    inputs: {
      'id?': 'id of a message',
      'blockchainId?': 'source or destination, cb58 or hex',
      'from?': 'sender, 0x…',
      'to?': 'recipient, 0x…',
      'network?': network,
      'cursor?': cursor,
      'limit?': limit,
    },
    asks: (input) => {
      const { id: messageId, blockchainId, from, to, network: of } = input
      if (messageId !== undefined)
        return { message: { of: '/v1/icm/messages/{messageId}', with: { messageId } } }
      const filters = { blockchainId, from, to, network: of, ...page(input) }
      return { messages: { of: '/v1/icm/messages', with: filters } }
    },
    next: 'list_messages',
  },
  {
    name: 'get_metric',
    words:
      'A series of an EVM chain, newest first: txCount, activeAddresses, gasUsed, feesPaid and more.',
    inputs: {
      chain,
      metric: 'its name',
      'interval?': 'hour, day, week or month',
      'from?': 'Unix seconds',
      'to?': 'Unix seconds',
    },
    asks: (input) => {
      const { metric, interval: timeInterval, from: startTimestamp, to: endTimestamp } = input
      const range = { timeInterval, startTimestamp, endTimestamp, pageSize: '25' }
      const of = '/v2/chains/{chainId}/metrics/{metric}'
      return { series: { of, with: { ...onChain(input), metric, ...range } } }
    },
  },
]

/** The address of a question: parameters of its path filled in, the others behind it. */
export function addressOf({ of, with: values }: Question): string {
  const query = new Map(Object.entries(values))
  const path = of.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = query.get(name) ?? ''
    query.delete(name)
    return encodeURIComponent(value)
  })
  const given = [...query].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const text = new URLSearchParams(given).toString()
  return text === '' ? path : `${path}?${text}`
}

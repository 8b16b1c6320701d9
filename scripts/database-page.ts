/**
 * The page on the design of the database: every table of the real schema, what a row is, its cost.
 */

import { controlTables } from '../src/store/schema/control.ts'
import { apiUseTables, contractTables, deploymentTables } from '../src/store/schema/deployment.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { icmTables } from '../src/store/schema/icm.ts'
import { logTables } from '../src/store/schema/logs.ts'
import { activityDay, metricsTables } from '../src/store/schema/metrics.ts'
import { nftRequestTables } from '../src/store/schema/nft.ts'
import { primaryTables, undo } from '../src/store/schema/primary/tables.ts'
import type { Table } from '../src/store/schema/table.ts'

/**
 * A row in words, and its bytes: table and indexes as SQLite stores them on the bundled demo
 * network, page overhead left out. `undefined` where the demo has no row.
 */
type Note = readonly [row: string, bytes: number | undefined]

const controlNotes: Readonly<Record<string, Note>> = {
  meta: ['a fact about the store: format, chain id, genesis hash', 68],
  checkpoint: ['a stage: the last height committed, written with the rows', 36],
  lease: ['the writer of the store; its epoch is checked in every commit', 40],
  range_sum: ['a range of rows of a table: count and sum (decision 0010)', 28],
}

const evmNotes: Readonly<Record<string, Note>> = {
  address: ['an address, numbered in order of first sight', 28],
  address_by_bytes: ['the number of an address', 28],
  evm_block: ['a block: its header, and the call data of its transactions compressed', 1_443],
  evm_transaction: ['a transaction', 85],
  evm_transaction_by_hash: ['a transaction by the first 48 bits of its hash', 17],
  evm_transaction_failed: ['a transaction that failed', 9],
  evm_transaction_by_address: [
    'a transaction in the list of its sender, recipient or created contract',
    11,
  ],
  transfer: ['a token transfer; an entry of a batch is a transfer of its own', 28],
  transfer_by_address: ['a transfer in the list of its sender or recipient, by standard', 14],
  transfer_by_token: ['a transfer in the list of its token', 11],
  internal: ['an internal transaction with a value, a creation or a self-destruction', 30],
  internal_by_address: ['an internal transaction in the list of an address', 11],
  balance: ['an ERC-20 balance of an address from a height on', 19],
  holding: ['an address that a transfer of a token ever named, with the first height', 11],
  token: ['a token contract', 62],
  token_word: ['a word of the name or symbol of a token', undefined],
  event: ['a log that is kept whole for a later stage', 537],
  event_by_kind: ['such a log by its kind', 11],
  cut_messages: ['an end of the chain that was cut off, with the messages of its logs', undefined],
  nft_token: ['an ERC-721 token or ERC-1155 id, with the owner of an ERC-721 token', 80],
  nft_range: ['a run of ERC-721 ids that one log gave away (ERC-2309)', undefined],
  nft_amount: ['an ERC-1155 balance of an owner from a height on', 47],
  nft_metadata: ['metadata of a token, and when it is due to be read', 132],
}

const metricsNotes: Readonly<Record<string, Note>> = {
  rollup: ['an hour, day, week or month: counts', 24],
  rollup_day: ['a day: prices, fees, fastest block, new addresses', 54],
  rollup_deploys: ['a period: contracts and deployers, by what showed them', 27],
  activity_day: ['a day: transactions and gas by sender and by called address', undefined],
  activity_hour: ['an hour: the numbers of the addresses active in it', 686],
  ever_seen: ['which of 4,096 address numbers were active or deployed, one bit each', 524],
}

const logNotes: Readonly<Record<string, Note>> = {
  address: ['a contract that logged something, numbered as on the chain', 28],
  address_by_bytes: ['the number of such a contract', 28],
  log_entry: ['a log', 212],
  log_by_address: ['a log in the list of its contract', 11],
  log_by_topic: ['a log in the list of one of its topics', 13],
  log_transaction: ['a transaction that has logs', 44],
  log_block: ['a block that has logs', 47],
  log_mark: ['a block up to which logs were read, one in some hundred', 37],
}

const primaryNotes: Readonly<Record<string, Note>> = {
  address: ['the number of an address', 28],
  node: ['a node id', 96],
  asset: ['an asset, with its name once its creation is indexed', 112],
  primary_block: ['a block of the P-, X- or C-Chain', 168],
  primary_block_by_hash: ['a block by the first 32 bits of its hash', 15],
  raw_block: ['several blocks as the node gave them, compressed', 14_967],
  primary_transaction: ['a transaction; its body names what it made and spent', 127],
  primary_transaction_by_id: ['a transaction by the first 32 bits of its id', 17],
  primary_transaction_by_address: ['a transaction in the list of an address', 14],
  primary_transaction_by_asset: ['an X-Chain transaction in the list of an asset', 16],
  utxo: ['up to 16 UTXOs made one after another', 172],
  stray_utxo: ['a UTXO that is named for another transaction than the one that made it', 13],
  spend: ['the end of a UTXO: where and when it was spent', 21],
  late_spend: ['a UTXO spent before it was known', 18],
  stake_return: ['a staked UTXO that came back', 12],
  open_holding: ['an unspent UTXO in the list of an owner', 47],
  ordered_list: ['a long list, whose entries are indexed by amount too (decision 0008)', 7],
  spent_holding: ['a spent UTXO in the list of an owner', 32],
  early_import: ['an import whose export is not indexed yet', undefined],
  staker: ['a validating or delegating period', 465],
  staker_by_address: ['a period in the list of an owner', 10],
  cycle: ['a settled cycle of an auto-renewed validator', undefined],
  stake_day: ['a day on which the stakers of a subnet changed', 61],
  reward: ['a reward that was paid', 267],
  reward_by_address: ['a reward in the list of its owner', 10],
  subnet: ['a subnet', 172],
  subnet_owner: ['an owner of a subnet from a place on', 125],
  blockchain: ['a chain of a subnet, with its genesis', 974],
  l1_validator: ['a validation of an L1', 349],
  l1_change: ['a change of such a validation: weight, balance, owner', 80],
  supply: ['the supply of the staking asset of a subnet', 54],
  passed_slot: ['a slot in which a node was due to propose and got no block accepted', undefined],
  proposer_day: [
    'a day of a node, or of all, on a chain: slots proposed, idle, missed, unclear',
    42,
  ],
  progress: ['a chain: its time, and fees and excess of L1 validators', 29],
  undo: ['how a batch at the head is taken back, of the newest sixteen', undefined],
}

const messageNotes: Readonly<Record<string, Note>> = {
  icm_send: ['a message, as its source chain shows it', 265],
  icm_source_note: ['what the source chain says of a message later: fee, receipt', 61],
  icm_receive: ['a message, as its destination chain shows it', 333],
  icm_executed: ['a message whose call went through', 37],
  icm_list: ['a message in a list: of an address, a blockchain, or all', 68],
  icm_hour: ['messages between two blockchains in an hour', 79],
}

const ownNotes: Readonly<Record<string, Note>> = {
  nft_request: ['a request of a caller to read the metadata of a token again', undefined],
  token_doubt: [
    'the newest holder of a token whose balance by logs was not what a node told the API',
    undefined,
  ],
  verified_method: [
    'a method in the ABI of a verified contract, the first one with its selector',
    undefined,
  ],
  verified_contract: [
    'a contract whose sources were proved: sources, ABI, settings compressed',
    undefined,
  ],
  api_use: ['a caller: compute units of this minute and day', undefined],
  api_call_hour: ['answers to a key in an hour that are alike, counted', undefined],
  api_call: ['one of the newest answers to a key', undefined],
  api_key_use: ['when an API key was last used', undefined],
  deployment_document: [
    'API keys, keys of page tokens or aliases, on PostgreSQL; files of the data folder else',
    undefined,
  ],
  deployment_process: ['a process that indexes, and the leases it has, on PostgreSQL', undefined],
  deployment_chain: ['an EVM chain that a process of the deployment indexes', undefined],
}

/** The page. Throws when a table has no note, or a note no table. */
export function databasePage(): string {
  return [
    '# The database',
    'Printed from `src/store/schema` by `node scripts/print-reference.ts`.',
    '',
    'A store is one SQLite file or one PostgreSQL schema; both engines have the same tables and run the',
    'same statements (decision 0002). The words that every table uses:',
    '',
    '- `pos` is height × 2^20 + place in the block: the order of keys is the order of history.',
    '- An address, token, node or asset is a small integer in every table but the one that names it.',
    '- Facts are written once and never changed (decision 0005). What happens to them later has a table',
    '  of its own.',
    '- A list of an address or token is a table that consists of its key. A page of it reads one range of',
    '  that key and then one row of facts for each entry, and costs the same at any depth.',
    '- `body` holds what no question filters or sorts by, packed (`store/schema/packed/packed-record.ts`).',
    '',
    ...frozenHistory(),
    'Bytes are those of a row and its indexes in SQLite on the bundled demo network; on a public chain the',
    'rows are alike, but the call data of a block differs.',
    '',
    section('Every store', controlTables, controlNotes),
    section('An EVM chain', evmTables, evmNotes),
    section(
      'Time series of an EVM chain, in the same store',
      [...metricsTables, activityDay],
      metricsNotes,
    ),
    section('Logs of an EVM chain, in a store of their own', logTables, logNotes),
    section('A primary network', [...primaryTables, undo], primaryNotes),
    section('Interchain messages', icmTables, messageNotes),
    section(
      'Requests, use and keys',
      [...nftRequestTables, ...contractTables, ...apiUseTables, ...deploymentTables],
      ownNotes,
    ),
  ].join('\n')
}

function section(
  title: string,
  tables: readonly Table[],
  notes: Readonly<Record<string, Note>>,
): string {
  const own = tables.filter(({ name }) => !controlTables.some((one) => one.name === name))
  const listed = tables === controlTables ? tables : own
  const noted = new Map(Object.entries(notes))
  const names = new Set(listed.map(({ name }) => name))
  for (const name of noted.keys())
    if (!names.has(name)) throw new Error(`scripts/database-page.ts: no such table: ${name}`)
  const rows = listed.map((table) => {
    const note = noted.get(table.name)
    if (note === undefined)
      throw new Error(`scripts/database-page.ts: what is a row of ${table.name}?`)
    const [row, bytes] = note
    const indexes = table.indexes.map(({ columns, where }) =>
      where === undefined ? code(columns) : `${code(columns)} where \`${where}\``,
    )
    const others = Object.keys(table.columns).filter((name) => !table.key.includes(name))
    return [
      `\`${table.name}\``,
      row,
      code(table.key),
      others.length === 0 ? '' : code(others),
      indexes.join('; '),
      bytes === undefined ? '' : String(bytes),
    ]
  })
  const heads = ['table', 'one row is', 'key', 'other columns', 'indexes', 'bytes']
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [`## ${title}\n`, line(heads), line(heads.map(() => '---')), ...rows.map(line), ''].join(
    '\n',
  )
}

function code(names: readonly string[]): string {
  return `\`${names.join(', ')}\``
}

/** Describes how rows become segments and how questions find them there. */
function frozenHistory(): string[] {
  const names = [...evmTables, ...logTables]
    .filter(({ freezes }) => freezes !== undefined)
    .map(({ name }) => `\`${name}\``)
  return [
    '## Frozen history',
    '',
    'With `index.freeze` the oldest rows of tables of history move into segments (`store/history`, decision',
    `0012): ${names.join(', ')}. A table says so in its declaration (\`freezes\`).`,
    '',
    'How a row becomes history: `indexing/evm/freeze/freeze-stream.ts` finds the height up to which blocks are',
    'proven. `store/history/freeze.ts` reads the rows below it in order of their key, writes them into an SQLite',
    'file with the same tables, and in one commit removes them and adds the file to the list of segments in',
    '`meta`. Large batches of a backfill take a shorter way: `indexing/evm/freeze/freeze-at-once.ts` hands the',
    'writer of a batch one that gathers the rows of tables that freeze (`store/history/gathered-rows.ts`).',
    '',
    'Rows that come of traces (`stage`) have segments of their own, because they are stored later than the',
    'blocks that they are of. Rows of traces are in tables only where their blocks are: traces of frozen blocks',
    'become segments as they are stored. Logs freeze in their own store, by the same classes.',
    '',
    'Rows of `balance` and `holding` depend on what came before them, and yet a segment is written without it:',
    'its balances count from its first block (`running`), and it names each holder once (`first-rows`). The',
    'tables do the same from the first block that is not frozen; `indexing/evm/write/recount.ts` counts anew',
    'when that changes. Merging adds up balances and keeps the oldest of a holder; what reads does the same',
    '(`store/history/over-segments.ts`), so the whole balance costs one look into each segment.',
    '',
    'How a question finds it: it is written once, as a statement of SQL that says how the answers of tables and',
    'segments become one (`over` in `store/engine/database.ts`), and which of its parameters bound its heights.',
    '`store/history/over-segments.ts` asks the tables first, then the segments that reach into these heights,',
    'newest or oldest first, until the page is full. The compiler demands `over` of every statement that names a',
    'table of history. Such a statement joins these tables to each other, and to no other table: addresses and',
    'tokens are looked up afterwards, and of a row of traces its block.',
    '',
  ]
}

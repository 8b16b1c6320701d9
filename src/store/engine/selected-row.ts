/**
 * The row of a statement, typed by its text: `select height, timestamp_ms from evm_block` gives
 * `readonly [number, number | null]`, because the tables are declared so (`store/schema`).
 *
 * Understood are columns, `a.column` of joined tables, `count(*)`, `min`, `max`, `cast(… as text)` and
 * a last `coalesce(…, 0)`. Another expression is any value; a text of another form, or one whose list is
 * not known before it runs, gives any row.
 */

import type { everyTable } from '../schema/stores.ts'

type Stored = (typeof everyTable)[number]
/** Columns of all tables, by the name of the table. */
type Tables = { readonly [T in Stored as T['name']]: T['columns'] }

/** Names of the tables whose rows freeze: a question that names one says over what it is read. */
export type HistoryTable = {
  readonly [T in Stored as T['name']]: T extends { readonly freezes: string } ? T['name'] : never
}[Stored['name']]

type Value = Kinds[keyof Kinds] | null
type Row = readonly Value[]
type Kinds = { integer: number; amount: bigint; bytes: Uint8Array; text: string }
type ValueOf<Type> = Type extends keyof Kinds
  ? Kinds[Type]
  : Type extends `${infer Kind extends keyof Kinds}?`
    ? Kinds[Kind] | null
    : never
/** The value of a column; of one that is not there a type that nothing takes, so that its reader does not compile. */
export type ValueIn<Columns, Name extends string> = Name extends keyof Columns
  ? ValueOf<Columns[Name]>
  : { readonly noSuchColumn: Name }

/** Rows that a statement of this text gives. */
export type SelectedRow<Text extends string> = Text extends OtherForm
  ? Row
  : Text extends `select ${infer List} from ${infer Source}`
    ? [IsKnown<List>, IsWhole<List>] extends [true, true]
      ? Values<List extends `distinct ${infer Rest}` ? Rest : List, Source>
      : Row
    : Row
type OtherForm = `${string}left join ${string}` | `${string} union ${string}`

/** `false` for a text with parts that are known only when it runs. */
type IsKnown<Text extends string> =
  Record<never, never> extends { readonly [Name in Text]: 1 } ? false : true

/** `false` for a text that ends inside of brackets. */
type IsWhole<Text extends string> = Text extends `${string}(${infer Inside}`
  ? Inside extends `${string})${string}`
    ? true
    : false
  : true

type Values<
  List extends string,
  Source extends string,
  Before extends readonly unknown[] = [],
> = List extends `coalesce(${string}, 0)`
  ? readonly [...Before, number]
  : List extends `${infer Item},${infer Rest}`
    ? Values<Rest, Source, [...Before, Selected<Trimmed<Item>, Source>]>
    : readonly [...Before, Selected<Trimmed<List>, Source>]

type Selected<Item extends string, Source extends string> = Item extends 'count(*)' | `${number}`
  ? number
  : Item extends `${'min' | 'max'}(${infer Name})`
    ? Named<Name, Source> | null
    : Item extends `cast(${infer Name} as text)`
      ? string | (Named<Name, Source> & null)
      : Item extends `${string}${' ' | '(' | "'" | '?' | '*'}${string}`
        ? Value
        : Named<Item, Source>

/** The value of `column`, or of `alias.column`, whose alias stands behind the name of its table. */
type Named<Name extends string, Source extends string> = Name extends `${infer Alias}.${infer Own}`
  ? Source extends `${infer Before} ${Alias}${' ' | '\n'}${string}`
    ? InTable<LastWord<Before>, Own>
    : Value
  : InTable<FirstWord<Source>, Name>
type InTable<Name, Own extends string> = Name extends keyof Tables
  ? ValueIn<Tables[Name], Own>
  : Value

type Trimmed<Text extends string> = Text extends `${' ' | '\n'}${infer Rest}`
  ? Trimmed<Rest>
  : Text extends `${infer Rest}${' ' | '\n'}`
    ? Trimmed<Rest>
    : Text
type FirstWord<Text extends string> = Trimmed<
  Text extends `${infer First} ${string}` ? First : Text
>
type LastWord<Text extends string> = Text extends `${string} ${infer Rest}` ? LastWord<Rest> : Text

/**
 * The builders of shapes: JSON Schema values with the static types of TypeBox.
 *
 * TypeBox's own builders give the same values, but load 370 modules for them, a third of what a
 * start of the product loads. Its compiler takes these values as it takes its own.
 */

import type { Static, TOptional, TSchema, TUnsafe, Type as TypeBox } from 'typebox'

type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Intersect'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Void'
> & {
  /** A member that may be absent. JSON leaves out what is undefined, so a view may say that instead. */
  readonly Optional: <T extends TSchema>(schema: T) => TOptional<TUnsafe<Static<T> | undefined>>
}
type Options = Readonly<Record<string, unknown>> | undefined
type Schema = Readonly<Record<string, unknown>>

/** Marks members that may be absent; not enumerable, so that no printed schema shows it. */
const optional = '~optional'

const plain =
  (type: string) =>
  (options: Options): Schema => ({ type, ...options })

const builders = {
  Array: (items: Schema, options: Options): Schema => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Enum: (values: readonly unknown[], options: Options): Schema => ({
    enum: [...values],
    ...options,
  }),
  Integer: plain('integer'),
  Intersect: (allOf: readonly Schema[], options: Options): Schema => ({ allOf, ...options }),
  Literal: (value: unknown, options: Options): Schema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: plain('null'),
  Number: plain('number'),
  Object: (properties: Readonly<Record<string, object>>, options: Options): Schema => {
    const names = Object.entries(properties).flatMap(([name, one]) =>
      isOptional(one) ? [] : [name],
    )
    const required = names.length === 0 ? {} : { required: names }
    return { type: 'object', ...required, properties, ...options }
  },
  Optional: (schema: Schema): Schema =>
    Object.defineProperty({ ...schema }, optional, { value: true }),
  Record: (_key: Schema, value: Schema, options: Options): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: plain('string'),
  Unknown: (options: Options): Schema => ({ ...options }),
  Union: (anyOf: readonly Schema[], options: Options): Schema => ({ anyOf, ...options }),
  Void: plain('void'),
}

/** Builders of shapes, as TypeBox describes them; records have any text as their keys. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type.test.ts` holds each against TypeBox's
export const Type = builders as unknown as Builders

function isOptional(schema: object): boolean {
  return Object.hasOwn(schema, optional)
}

/**
 * The builders of shapes: JSON Schema values that carry their static type.
 *
 * They give the values of TypeBox's builders, whose compiler takes them. TypeBox's own load 370 modules, a
 * third of what a start of the product loads, and deriving its static types takes a third of what `tsc` takes.
 */

/** A JSON Schema of values of type `T`. The member is a type alone: no value has it. */
export type Schema<T = unknown> = { readonly '~static': T }

/** The type of the values of a schema. */
export type Static<S extends Schema> = S['~static']

/** Marks members that may be absent; not enumerable, so that no printed schema shows it. */
const optional = '~optional'

/** A schema of a member that may be absent. */
export type OptionalSchema<T = unknown> = Schema<T | undefined> & { readonly [optional]: true }

/** Schemas of the members of an object, by name. */
export type Properties = Readonly<Record<string, Schema>>

/** A schema of objects with these members. */
export type ObjectSchema<P extends Properties = Properties> = Schema<ObjectOf<P>> & {
  readonly properties: P
  readonly required?: readonly string[]
}

type ObjectOf<P extends Properties> = {
  [Name in keyof P as P[Name] extends OptionalSchema ? never : Name]: Static<P[Name]>
} & {
  [Name in keyof P as P[Name] extends OptionalSchema ? Name : never]?: Static<P[Name]>
} extends infer All
  ? { [Name in keyof All]: All[Name] }
  : never

type AllOf<Parts extends readonly Schema[]> = Parts extends readonly [
  infer First extends Schema,
  ...infer Rest extends readonly Schema[],
]
  ? Static<First> & AllOf<Rest>
  : unknown

type Keywords = Readonly<Record<string, unknown>>

/** Builders of shapes; each takes further keywords last. Records have any text as their keys. */
export const Type = {
  Array: <S extends Schema>(items: S, keywords?: Keywords): Schema<Static<S>[]> =>
    schemaOf({ type: 'array', items, ...keywords }),
  Boolean: (keywords?: Keywords): Schema<boolean> => schemaOf({ type: 'boolean', ...keywords }),
  Enum: <const T>(values: readonly T[], keywords?: Keywords): Schema<T> =>
    schemaOf({ enum: [...values], ...keywords }),
  Integer: (keywords?: Keywords): Schema<number> => schemaOf({ type: 'integer', ...keywords }),
  Intersect: <const Parts extends readonly Schema[]>(
    allOf: Parts,
    keywords?: Keywords,
  ): Schema<AllOf<Parts>> => schemaOf({ allOf, ...keywords }),
  Literal: <const T>(value: T, keywords?: Keywords): Schema<T> =>
    schemaOf({ type: typeof value, const: value, ...keywords }),
  Null: (keywords?: Keywords): Schema<null> => schemaOf({ type: 'null', ...keywords }),
  Number: (keywords?: Keywords): Schema<number> => schemaOf({ type: 'number', ...keywords }),
  Object: <P extends Properties>(properties: P, keywords?: Keywords): ObjectSchema<P> => {
    const names = Object.entries(properties).flatMap(([name, schema]) =>
      Object.hasOwn(schema, optional) ? [] : [name],
    )
    const required = names.length === 0 ? {} : { required: names }
    return schemaOf({ type: 'object', ...required, properties, ...keywords })
  },
  /** A member that may be absent. JSON leaves out what is undefined, so a view may say that instead. */
  Optional: <S extends Schema>(schema: S): OptionalSchema<Static<S>> =>
    schemaOf(Object.defineProperty({ ...schema }, optional, { value: true })),
  Record: <S extends Schema>(
    _key: Schema<string>,
    value: S,
    keywords?: Keywords,
  ): Schema<Record<string, Static<S>>> =>
    schemaOf({ type: 'object', patternProperties: { '^.*$': value }, ...keywords }),
  String: (keywords?: Keywords): Schema<string> => schemaOf({ type: 'string', ...keywords }),
  Union: <const Parts extends readonly Schema[]>(
    anyOf: Parts,
    keywords?: Keywords,
  ): Schema<Static<Parts[number]>> => schemaOf({ anyOf, ...keywords }),
  Unknown: (keywords?: Keywords): Schema => schemaOf({ ...keywords }),
  Void: (keywords?: Keywords): Schema<void> => schemaOf({ type: 'void', ...keywords }),
}

function schemaOf<S extends Schema>(keywords: object): S {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type.test.ts` holds each type against TypeBox's
  return keywords as S
}

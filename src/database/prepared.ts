import { type CompiledQuery, type Expression, type QueryResult, RawNode, ValueNode } from 'kysely';
import { isPostgres } from './database-time.ts';
import type { Reader } from './reader.ts';
import type { Database, Trx } from './tables/tables.ts';

type Scalar = string | number | null;

/** The values of a statement. They are passed each time that it runs. */
export type Values = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** The same values as placeholders, while the statement is built. */
export type Slots<Of extends Values> = {
  [Name in keyof Of]: Of[Name] extends readonly (infer One)[]
    ? readonly Expression<One>[]
    : Expression<Of[Name]>;
};

/**
 * A statement of one shape. It is built and compiled when it is first used, because Kysely needs longer for this than
 * SQLite needs to run a small statement. The contents of `Values` may change each time, and each length of a list is
 * compiled once. Everything else stays as in the first call.
 */
export type Prepared<Of extends Values, Row, Db extends Reader = Database | Trx> = (
  db: Db,
  values: Of,
) => Promise<QueryResult<Row>>;

/** Returns a statement that may change rows. */
export function prepared<Of extends Values, Row>(
  build: (db: Database | Trx, slots: Slots<Of>) => CompiledQuery<Row>,
): Prepared<Of, Row> {
  return prepare(build);
}

/** Returns a statement that reads. */
export function preparedRead<Of extends Values, Row>(
  build: (reader: Reader, slots: Slots<Of>) => CompiledQuery<Row>,
): Prepared<Of, Row, Reader> {
  return prepare(build);
}

function prepare<Of extends Values, Row, Db extends Reader>(
  build: (db: Db, slots: Slots<Of>) => CompiledQuery<Row>,
): Prepared<Of, Row, Db> {
  const compiled = new Map<string, { known: CompiledQuery<Row>; pieces: readonly Piece[] }>();
  return (db, values) => {
    const shape = getShape(db, values);
    let entry = compiled.get(shape);
    if (entry === undefined) {
      const known = withoutTree(build(db, createSlots(values)));
      entry = { known, pieces: toPieces(known.parameters) };
      compiled.set(shape, entry);
    }
    const { sql, query, queryId } = entry.known;
    const parameters = entry.pieces.flatMap((piece) => piece(values));
    return db.executeQuery<Row>({ sql, query, queryId, parameters });
  };
}

/** Consecutive parameters of a statement. */
type Piece = (values: Values) => readonly unknown[];

/**
 * Splits the parameters into pieces. Many rows have thousands of cells, so consecutive parameters from a list form one
 * piece.
 */
function toPieces(parameters: readonly unknown[]): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < parameters.length; ) {
    const first = parameters[start];
    let end = start + 1;
    while (first instanceof Slot && first.isFollowedBy(parameters[end], end - start)) end += 1;
    pieces.push(first instanceof Slot ? first.upTo(end - start) : () => [first]);
    start = end;
  }
  return pieces;
}

/** Compiles to a parameter that is later replaced with the value. */
class Slot<Value> implements Expression<Value> {
  readonly name: string;
  /** Its position in a list, or null if it is not in a list. */
  readonly at: number | null;

  constructor(name: string, at: number | null) {
    this.name = name;
    this.at = at;
  }

  get expressionType(): Value | undefined {
    return undefined;
  }

  /** True if `other` comes this many positions after this value in the same list. */
  isFollowedBy(other: unknown, places: number): boolean {
    if (!(other instanceof Slot) || this.at === null) return false;
    return other.name === this.name && other.at === this.at + places;
  }

  /** Returns this value and the values that follow it in its list, `count` in total. */
  upTo(count: number): Piece {
    return (values) => {
      const value = values[this.name];
      const at = this.at ?? 0;
      return isList(value) ? value.slice(at, at + count) : [value];
    };
  }

  toOperationNode(): ValueNode {
    return ValueNode.create(this);
  }
}

function getShape(db: Reader, values: Values): string {
  let shape = isPostgres(db) ? 'postgres' : 'sqlite';
  for (const value of Object.values(values)) if (isList(value)) shape += ` ${value.length}`;
  return shape;
}

/**
 * Returns the query without its tree. A statement with many rows has a large tree, which is needed only for reads
 * (`guarded-driver.ts`).
 */
function withoutTree<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  if (query.query.kind === 'SelectQueryNode') return query;
  return { ...query, query: RawNode.createWithSql('') };
}

function createSlots<Of extends Values>(values: Of): Slots<Of> {
  const slots: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    slots[name] = isList(value) ? value.map((_, at) => new Slot(name, at)) : new Slot(name, null);
  }
  if (!isWhole(values, slots)) throw new Error('A value has no slot.');
  return slots;
}

function isList(value: Scalar | readonly Scalar[] | undefined): value is readonly Scalar[] {
  return typeof value === 'object' && value !== null;
}

function isWhole<Of extends Values>(values: Of, slots: object): slots is Slots<Of> {
  return Object.keys(slots).length === Object.keys(values).length;
}
